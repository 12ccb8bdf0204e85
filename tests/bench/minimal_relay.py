"""The floor: the same libraries moving the same messages, with no checks, no rooms and no disk.

Run as a process; prints the same line as the relay when it listens.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from typing import TYPE_CHECKING

import grpc
import uvicorn
import uvloop

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    relay_pb2,
    relay_pb2_grpc,
    request_pb2,
    websocket_pb2,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Receive, Scope, Send

Sent = agent_assist_pb2.AskQuestionResponse


class MinimalRelay:
    """Broadcasts a question to every socket; the first reply with its id resolves it."""

    def __init__(self) -> None:
        self.sockets: set[Send] = set()
        self.waiting: dict[str, asyncio.Future[Sent]] = {}

    async def OpenRequest(
        self, request: relay_pb2.OpenRequestRequest, _context: object
    ) -> relay_pb2.OpenRequestResponse:
        question = request.question
        future = self.waiting[question.ID] = asyncio.get_running_loop().create_future()
        shown = websocket_pb2.WebsocketMessage(Cmd="AskQuestion", AskQuestionRequest=question)
        data = shown.SerializeToString()
        for send in self.sockets:
            await send({"type": "websocket.send", "bytes": data})
        response = await future
        outcome = relay_pb2.Outcome(
            request_id=question.ID,
            state=request_pb2.REQUEST_STATE_ANSWERED,
            contents=response.contents,
        )
        return relay_pb2.OpenRequestResponse(outcome=outcome)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return
        await receive()
        await send({"type": "websocket.accept"})
        self.sockets.add(send)
        try:
            while (event := await receive())["type"] == "websocket.receive":
                message = websocket_pb2.WebsocketMessage.FromString(event["bytes"])
                if message.Cmd == "AskQuestionReply":
                    future = self.waiting.pop(message.AskQuestionRequest.ID, None)
                    if future is not None:
                        future.set_result(message.AskQuestionResponse)
                elif message.Cmd == "UserLogin":
                    await send({"type": "websocket.send", "bytes": event["bytes"]})
        finally:
            self.sockets.discard(send)


class Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def main() -> None:
    relay = MinimalRelay()
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(
        relay.OpenRequest,
        request_deserializer=relay_pb2.OpenRequestRequest.FromString,
        response_serializer=relay_pb2.OpenRequestResponse.SerializeToString,
    )
    server.add_registered_method_handlers("lineup.v1.RelayService", {"OpenRequest": handler})
    grpc_port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    config = uvicorn.Config(
        relay,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )
    line = {"event": "listening", "http": f"127.0.0.1:{port}", "grpc": f"127.0.0.1:{grpc_port}"}
    print(json.dumps(line), flush=True)
    await Server(config).serve([listener])


if __name__ == "__main__":
    assert relay_pb2_grpc.RelayServiceStub is not None
    uvloop.run(main())

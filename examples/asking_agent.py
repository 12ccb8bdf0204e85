"""An agent: it lists tools, lets the human choose, writes, shows a picture, and reads answers.

    python examples/asking_agent.py ws://127.0.0.1:22080/ws --token TOKEN

Needs only `websockets`. It speaks the JSON form of the protocol (docs/protocol.md).
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import secrets
import struct
import zlib
from typing import Any

from websockets.asyncio.client import ClientConnection, connect


class Agent:
    """One connection; `ask` sends a message and returns what answers it."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.texts: asyncio.Queue[str] = asyncio.Queue()
        self.waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}

    async def ask(self, kind: str, payload: dict[str, Any], *, ref: str = "") -> dict[str, Any]:
        # Random and long, so that a message that is sent again after a reconnect counts once.
        ref = ref or secrets.token_hex(8)
        answer = self.waiting[ref] = asyncio.get_running_loop().create_future()
        envelope = {"v": 1, "id": ref, "type": kind, "payload": payload}
        await self.socket.send(json.dumps(envelope))
        return await answer

    async def listen(self) -> None:
        async for frame in self.socket:
            message = json.loads(frame)
            kind, payload = message["type"], message["payload"]
            if kind == "error" and payload["code"] == "unauthenticated":
                print("The relay does not know this token.", flush=True)
                raise SystemExit(1)
            if kind == "text":
                self.texts.put_nowait(payload["content"])
            elif kind == "tool.progress":
                print(f"  … {payload['progress']} {payload.get('message', '')}", flush=True)
            elif kind != "tool.receipt":  # a receipt is never the result
                answer = self.waiting.pop(payload.get("call_id") or payload.get("ref"), None)
                if answer is not None and not answer.done():
                    answer.set_result(payload)

    async def call(self, name: str, action: str, arguments: dict[str, Any]) -> str:
        """Call an action and wait for its one result."""
        call_id = secrets.token_hex(8)
        call = {"name": name, "action": action, "call_id": call_id, "arguments": arguments}
        answer = await self.ask("tool.call", call, ref=call_id)
        if "result" not in answer:
            return f"{answer['message']} ({answer['code']})"
        failed = f" ({answer.get('code', 'failed')})" if answer.get("failed") else ""
        return f"{answer['result']['message']}{failed}"


def blue_square(size: int = 64) -> str:
    """A PNG as base64, made by hand."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x25\x63\xeb" * size) * size
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


async def work(agent: Agent, token: str) -> None:
    hello = {"name": "Example agent", "token": token, "agent": "example", "version": "1"}
    await agent.ask("system.hello", hello)
    offered = (await agent.ask("tool.list", {})).get("tools", [])
    print("tools:", ", ".join(tool["name"] for tool in offered) or "none", flush=True)
    names = {tool["name"] for tool in offered}
    await agent.ask("text", {"content": "I am about to paint the **shed**."})
    picture = {"data": blue_square(), "mime_type": "image/png", "alt": "A blue square"}
    await agent.ask("image", picture)
    if "example_calculator" in names:
        total = await agent.call("example_calculator", "add", {"a": 0.1, "b": 0.2})
        print("0.1 + 0.2 =", total, flush=True)
    if "choice" in names:
        arguments = {"question": "Which colour?", "options": ["blue", "green"]}
        print("chosen:", await agent.call("choice", "choice", arguments), flush=True)
    print("write me something …", flush=True)
    print("heard:", await agent.texts.get(), flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description="Work with a human and the tools of devices.")
    parser.add_argument("url", help="the relay, ws://HOST:PORT/ws")
    parser.add_argument("--token", required=True)
    options = parser.parse_args()
    async with connect(options.url) as socket:
        agent = Agent(socket)
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(agent.listen())
            await work(agent, options.token)
            listening.cancel()


if __name__ == "__main__":
    asyncio.run(main())

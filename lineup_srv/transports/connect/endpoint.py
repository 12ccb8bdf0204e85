"""The ASGI application behind the services' paths."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.transports.connect.exchange import Exchange
from lineup_srv.transports.connect.forms import Reader, accepted_types, form_of
from lineup_srv.transports.connect.procedures import (
    ASSIST_NAMES,
    RELAY_NAME,
    procedures,
)
from lineup_srv.transports.held import HungUp, beside
from lineup_srv.transports.tokens import bearer_token, revocable
from lineup_srv.wire.connect import COMPRESSED, ConnectFailure, Envelopes, end_of_stream, enveloped

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine

    from google.protobuf.message import Message
    from starlette.types import Receive, Scope, Send

    from lineup_srv.transports.assist_calls import AssistCalls
    from lineup_srv.transports.connect.forms import Form
    from lineup_srv.transports.connect.procedures import Procedure
    from lineup_srv.transports.relay_calls import RelayCalls

__all__ = ["ConnectEndpoint"]

logger = logging.getLogger(__name__)

_ENVELOPE_BYTES = len(enveloped(b""))


class ConnectEndpoint:
    """Serves both services. A caller that hangs up cancels its call, as over gRPC.

    Args:
        assist: the calls of SrvAgentAssist.
        relay: the calls of RelayService.
        stopping: set when the relay ends; what is held then is ended as unavailable.
    """

    paths = tuple(f"/{service}/{{method}}" for service in (*ASSIST_NAMES, RELAY_NAME))
    """Where it is mounted."""

    def __init__(self, assist: AssistCalls, relay: RelayCalls, stopping: asyncio.Event) -> None:
        """Serve these calls."""
        self._procedures = procedures(assist, relay)
        self._reader = Reader()
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        exchange = Exchange(scope, receive, send)
        procedure = self._procedures.get(scope["path"])
        if procedure is None:
            await exchange.refuse(404)
            return
        if scope["method"] != "POST":
            await exchange.refuse(405, "allow", "POST")
            return
        # No page of another origin can send these types without asking first, and it is refused.
        form = form_of(exchange.header("content-type"), streams=procedure.streams)
        if form is None:
            await exchange.refuse(415, "accept-post", accepted_types(streams=procedure.streams))
            return
        with contextlib.suppress(HungUp):
            if procedure.streams:
                await self._stream(exchange, procedure, form)
            else:
                await self._unary(exchange, procedure, form)

    async def _unary(self, exchange: Exchange, procedure: Procedure, form: Form) -> None:
        body = b""

        async def work() -> None:
            nonlocal body
            packed = exchange.packed("content-encoding")
            call: Any = await procedure.admit(bearer_token(exchange.header("authorization")))
            data = await exchange.body()
            # Nothing is no gzip, but the protocol allows it.
            request = await self._reader.read(
                procedure.request, data, form, packed=packed and bool(data)
            )
            answer: Message = await beside(
                call(request), exchange.until_gone(), self._until_stopping()
            )
            body = form.write(answer)

        failure = await _ended(exchange, work)
        if failure is None:
            await exchange.answer(form.content_type, body)
        else:
            await exchange.fail(failure)

    async def _stream(self, exchange: Exchange, procedure: Procedure, form: Form) -> None:
        async def tell(message: Message) -> None:
            await exchange.tell(form.content_type, enveloped(form.write(message)))

        async def tell_all(events: AsyncIterator[Message]) -> None:
            async for event in events:
                await tell(event)

        async def beat() -> None:
            """An event without content, which every receiver ignores."""
            while True:
                await asyncio.sleep(limits.CONNECT_BEAT_SECONDS)
                await exchange.tell(form.content_type, enveloped(b"{}" if form.json else b""))

        async def work() -> None:
            packable = exchange.packed("connect-content-encoding")
            call: Any = await procedure.admit(bearer_token(exchange.header("authorization")))
            data = await exchange.body(limits.MESSAGE_BYTES + _ENVELOPE_BYTES)
            packed, data = _only_message(data, packable)
            request = await self._reader.read(procedure.request, data, form, packed=packed)
            answers: AsyncGenerator[Message] = call(request)
            async with contextlib.aclosing(answers):
                await beside(
                    tell_all(answers), exchange.until_gone(), self._until_stopping(), beat()
                )

        failure = await _ended(exchange, work)
        await exchange.tell(form.content_type, end_of_stream(failure), last=True)

    async def _until_stopping(self) -> None:
        await self._stopping.wait()
        raise ConnectFailure("unavailable", "the relay is shutting down")


def _only_message(data: bytes, packable: bool) -> tuple[bool, bytes]:
    """The one message of a request that is answered with a stream.

    Returns:
        whether it is packed, and its bytes.

    Raises:
        ConnectFailure: there is not one, or its flags are wrong.
        LineUpError: TOO_LARGE.
    """
    envelopes = Envelopes(limits.MESSAGE_BYTES)
    messages = list(envelopes.feed(data))
    if len(messages) != 1 or envelopes.torn:
        raise ConnectFailure("invalid_argument", "the request is not exactly one message")
    flags, message = messages[0]
    if flags not in (0, COMPRESSED) or (flags and not packable):
        raise ConnectFailure("invalid_argument", "the request's envelope has unknown flags")
    return bool(flags and message), message


async def _ended(
    exchange: Exchange, work: Callable[[], Coroutine[object, object, None]]
) -> ConnectFailure | None:
    """Do the work within the caller's time; returns how it failed.

    Raises:
        HungUp: nobody is there to be told.
    """
    patience = asyncio.timeout(None)
    try:
        exchange.check_version()
        patience = asyncio.timeout(exchange.timeout_seconds())
        async with patience:
            with revocable():
                await work()
    except ConnectFailure as failure:
        return failure
    except LineUpError as error:
        return ConnectFailure.refusal(error)
    except HungUp:
        raise
    except Exception as error:
        if isinstance(error, TimeoutError) and patience.expired():
            return ConnectFailure("deadline_exceeded", "the time of the call is over")
        logger.exception("a call failed")
        return ConnectFailure("internal", "internal error of the relay")
    return None

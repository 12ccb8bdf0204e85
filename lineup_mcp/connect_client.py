"""RelayService by Connect on the relay's HTTP port, for when its gRPC port cannot be reached.

https://connectrpc.com/docs/protocol, in binary. Importing this module costs a tenth of a second.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeVar

import httpx2
from google.protobuf.message import DecodeError, Message

from lineup_mcp.transport import SERVICE, RelayUnreachable, failed
from lineup_mcp.whereabouts import address
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire.connect import (
    END_STREAM,
    PROTOCOL_VERSION,
    Envelopes,
    enveloped,
    failure_in_end,
    failure_of,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from lineup_mcp.config import BridgeConfig
    from lineup_srv.wire.connect import ConnectFailure

__all__ = ["ConnectClient"]

_UNARY: Final = "application/proto"
_STREAM: Final = "application/connect+proto"
_MILLISECONDS: Final = 1000
_CONNECT_SECONDS: Final = 5.0
_IDLE_SECONDS: Final = 2.0
"""Shorter than the relay keeps an idle connection, or it would close one as it is used again."""
_REASON_CHARACTERS: Final = 200

A = TypeVar("A", bound=Message)


class ConnectClient:
    """A Transport.

    Args:
        config: where the relay is and the token.
    """

    def __init__(self, config: BridgeConfig) -> None:
        self.target = address(config.host, config.port)
        trusted = ssl.create_default_context(cafile=config.ca) if config.ca else True
        self._http = httpx2.AsyncClient(
            base_url=f"{'https' if config.tls else 'http'}://{self.target}",
            verify=trusted,
            headers={
                "accept-encoding": "identity",
                "authorization": f"Bearer {config.token}",
                "connect-protocol-version": PROTOCOL_VERSION,
            },
            limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS),
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
        )

    async def call(self, rpc: str, request: Message, answer: type[A], seconds: float) -> A:
        """Make a call that has one answer."""
        headers = {
            "content-type": _UNARY,
            "connect-timeout-ms": str(max(round(seconds * _MILLISECONDS), 1)),
        }
        try:
            async with (
                asyncio.timeout(seconds),
                self._posted(rpc, request.SerializeToString(), headers) as response,
            ):
                await _check(response, _UNARY)
                return answer.FromString(await _body(response))
        except TimeoutError:
            raise RelayUnreachable(f"no answer from {self.target} in {seconds:g} s") from None
        except DecodeError:
            raise _not_a_relay() from None

    async def stream(self, rpc: str, request: Message, answer: type[A]) -> AsyncGenerator[A]:
        """Make a call that has many answers."""
        headers = {"content-type": _STREAM}
        async with self._posted(rpc, enveloped(request.SerializeToString()), headers) as told:
            await _check(told, _STREAM)
            envelopes = Envelopes(limits.MESSAGE_BYTES)
            async for data in told.aiter_raw():
                for flags, message in envelopes.feed(data):
                    if flags == END_STREAM:
                        _raise_failure(message)
                        return
                    # A message without content is the relay's beat.
                    if (answered := _streamed(flags, message, answer)).ByteSize():
                        yield answered
            raise RelayUnreachable("the stream broke")

    async def close(self) -> None:
        """Drop the connection."""
        await self._http.aclose()

    @asynccontextmanager
    async def _posted(
        self, rpc: str, body: bytes, headers: dict[str, str]
    ) -> AsyncIterator[httpx2.Response]:
        """The relay's answer, as far as its head has come."""
        # The relay beats more often than this; calls with one answer have their own time.
        silent = limits.CONNECT_DEAD_SECONDS if headers["content-type"] == _STREAM else None
        timeout = httpx2.Timeout(None, connect=_CONNECT_SECONDS, read=silent)
        try:
            async with self._http.stream(
                "POST", f"{SERVICE}/{rpc}", content=body, headers=headers, timeout=timeout
            ) as response:
                yield response
        except httpx2.TransportError as error:
            reason = str(error) or type(error).__name__
            raise RelayUnreachable(f"{self.target}: {reason}") from error


async def _check(response: httpx2.Response, content_type: str) -> None:
    """Raise what an answer other than a good one says."""
    told = response.headers.get("content-type", "")
    if response.status_code == httpx2.codes.OK and told == content_type:
        return
    body = await _body(response)
    if (failure := failure_of(body)) is not None:
        raise _translated(failure)
    # The relay's border says in words what to change; a page of somebody else is of no use.
    words = body[:_REASON_CHARACTERS].decode(errors="replace") if "text/plain" in told else ""
    raise RelayUnreachable(f"HTTP {response.status_code} {words}".rstrip())


async def _body(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for data in response.aiter_raw():
        body += data
        if len(body) > limits.MESSAGE_BYTES:
            raise LineUpError(ErrorCode.TOO_LARGE, "the relay's answer is too large")
    return bytes(body)


def _streamed(flags: int, message: bytes, answer: type[A]) -> A:
    if flags:
        raise _not_a_relay()
    try:
        return answer.FromString(message)
    except DecodeError:
        raise _not_a_relay() from None


def _raise_failure(message: bytes) -> None:
    try:
        failure = failure_in_end(message)
    except ValueError:
        raise _not_a_relay() from None
    if failure is not None:
        raise _translated(failure)


def _translated(failure: ConnectFailure) -> Exception:
    if failure.error is None or failure.error.code is ErrorCode.UNSPECIFIED:  # of a newer relay
        return failed(failure.status, failure.message)
    return failure.error


def _not_a_relay() -> RelayUnreachable:
    return RelayUnreachable("what answers is no relay")

"""One HTTP request and its answer, in Connect's terms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.transports.held import HungUp, until_gone
from lineup_srv.wire.connect import PROTOCOL_VERSION, ConnectFailure

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

__all__ = ["Exchange"]

_MILLISECONDS: Final = 1000
_TIMEOUT_DIGITS: Final = 10
_GZIP: Final = "gzip"
_STATUS: Final = {
    "canceled": 499,
    "unknown": 500,
    "invalid_argument": 400,
    "deadline_exceeded": 504,
    "not_found": 404,
    "already_exists": 409,
    "permission_denied": 403,
    "resource_exhausted": 429,
    "failed_precondition": 400,
    "aborted": 409,
    "out_of_range": 400,
    "unimplemented": 501,
    "internal": 500,
    "unavailable": 503,
    "data_loss": 500,
    "unauthenticated": 401,
}


class Exchange:
    """Reads the request's headers and body and writes the answer.

    Args:
        scope: of the request.
        receive: gives its body, and then that the caller is gone.
        send: takes the answer.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer nothing yet."""
        self._headers: dict[str, bytes] = {
            name.decode("latin-1"): value for name, value in scope["headers"]
        }
        self._receive = receive
        self._send = send
        self._begun = False

    def header(self, name: str) -> str:
        """A header's value; empty if there is none. The name in lower case."""
        return self._headers.get(name, b"").decode("latin-1")

    def check_version(self) -> None:
        """Refuse a later protocol; existing clients may leave the header out.

        Raises:
            ConnectFailure: it is not ours.
        """
        version = self.header("connect-protocol-version")
        if version not in ("", PROTOCOL_VERSION):
            raise ConnectFailure("invalid_argument", "Connect-Protocol-Version must be 1")

    def timeout_seconds(self) -> float | None:
        """How long the caller waits; None for ever.

        Raises:
            ConnectFailure: the header is malformed.
        """
        told = self.header("connect-timeout-ms")
        if not told:
            return None
        if not (told.isascii() and told.isdigit() and len(told) <= _TIMEOUT_DIGITS):
            raise ConnectFailure(
                "invalid_argument", "Connect-Timeout-Ms must be a number of at most 10 digits"
            )
        return int(told) / _MILLISECONDS

    def packed(self, header: str) -> bool:
        """Whether the request's messages may be packed.

        Raises:
            ConnectFailure: in a way that is not supported.
        """
        encoding = self.header(header)
        if encoding in ("", "identity"):
            return False
        if encoding == _GZIP:
            return True
        raise ConnectFailure("unimplemented", f"unknown compression; supported is {_GZIP}")

    async def body(self, most_bytes: int = limits.MESSAGE_BYTES) -> bytes:
        """The whole body.

        Raises:
            LineUpError: TOO_LARGE.
            HungUp: the caller is gone.
        """
        announced = self.header("content-length")
        if announced.isdigit() and int(announced) > most_bytes:
            raise _too_large(most_bytes)
        body = bytearray()
        more = True
        while more:
            event = await self._receive()
            if event["type"] == "http.disconnect":
                raise HungUp
            body += event.get("body", b"")
            if len(body) > most_bytes:
                raise _too_large(most_bytes)
            more = event.get("more_body", False)
        return bytes(body)

    async def until_gone(self) -> None:
        """Wait for the caller to hang up; to be called when the body was read.

        Raises:
            HungUp: always.
        """
        await until_gone(self._receive)

    async def answer(self, content_type: str, body: bytes) -> None:
        """Answer a unary call."""
        await self._write(200, {"content-type": content_type}, body)

    async def fail(self, failure: ConnectFailure) -> None:
        """Answer a unary call with its failure."""
        body = json.dumps(failure.as_json(), ensure_ascii=False).encode()
        status = _STATUS[failure.status]
        await self._write(status, {"content-type": "application/json"}, body)

    async def refuse(self, status: int, header: str = "", value: str = "") -> None:
        """Answer what is no call of ours."""
        await self._write(status, {header: value} if header else {}, b"")

    async def tell(self, content_type: str, data: bytes, *, last: bool = False) -> None:
        """Send a part of a stream."""
        if not self._begun:
            self._begun = True
            # A proxy that keeps parts back until it has many would hold every outcome.
            headers = {"content-type": content_type, "x-accel-buffering": "no"}
            await self._start(200, headers)
        await self._send({"type": "http.response.body", "body": data, "more_body": not last})

    async def _write(self, status: int, headers: dict[str, str], body: bytes) -> None:
        await self._start(status, {**headers, "content-length": str(len(body))})
        await self._send({"type": "http.response.body", "body": body})

    async def _start(self, status: int, headers: dict[str, str]) -> None:
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff", **headers}
        await self._send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            }
        )


def _too_large(most_bytes: int) -> LineUpError:
    return LineUpError(ErrorCode.TOO_LARGE, f"a body has at most {most_bytes} bytes")

"""`POST /pair`: a device that has scanned a code asks to be let in (docs/protocol.md).

The code is in the body, never in an address, and no line of any log holds it. Only JSON is taken,
which a foreign page cannot send without being asked for permission that it does not get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, Response

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.fields import Fields
from lineup_srv.contract.json_text import check, load_object
from lineup_srv.service.pairing import Guest
from lineup_srv.transports.held import HungUp, beside, until_gone

if TYPE_CHECKING:
    from starlette.requests import Request

    from lineup_srv.service.pairing import Pairings
    from lineup_srv.service.ports import Clock

__all__ = ["PairingEndpoint", "WrongCodes"]

_UNCACHED: Final = {"Cache-Control": "no-store"}
_WINDOW_MS: Final = 60_000
_HUNG_UP: Final = 499
"""Nobody reads it."""
_STATUSES: Final = {
    ErrorCode.DECLINED: 403,
    ErrorCode.EXPIRED: 408,
    ErrorCode.UNAUTHENTICATED: 410,
    ErrorCode.TOO_LARGE: 400,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.LOG_UNAVAILABLE: 503,
}


class WrongCodes:
    """How many wrong codes came from which address in the last minute."""

    def __init__(self, clock: Clock) -> None:
        """None came yet."""
        self._clock = clock
        self._wrong: dict[str, list[int]] = {}

    def check(self, address: str) -> None:
        """Refuse an address that has guessed too often.

        Raises:
            LineUpError: RATE_LIMITED.
        """
        if len(self._recent(address)) >= limits.WRONG_CODES_PER_MINUTE:
            raise LineUpError(ErrorCode.RATE_LIMITED, "too many wrong codes: wait a minute")

    def add(self, address: str) -> None:
        """One more came; the address that was wrong longest ago is forgotten beyond the limit."""
        wrong = [*self._recent(address), self._clock.unix_ms()]
        self._wrong.pop(address, None)
        self._wrong[address] = wrong[-limits.WRONG_CODES_PER_MINUTE :]
        if len(self._wrong) > limits.ADDRESSES_REMEMBERED:
            del self._wrong[next(iter(self._wrong))]

    def _recent(self, address: str) -> list[int]:
        since = self._clock.unix_ms() - _WINDOW_MS
        return [at for at in self._wrong.get(address, ()) if at > since]


class PairingEndpoint:
    """The route's handler."""

    def __init__(self, pairings: Pairings, clock: Clock) -> None:
        """Let devices in by `pairings`."""
        self._pairings = pairings
        self._wrong = WrongCodes(clock)

    async def __call__(self, request: Request) -> Response:
        """Answered when the other device has decided; a guest that hangs up is gone."""
        address = request.client.host if request.client else ""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            error = LineUpError(ErrorCode.INVALID_ARGUMENT, "must be application/json")
            return _refusal(error, 415)
        try:
            self._wrong.check(address)
            code, guest = _asked(await _body(request))
            token = await beside(self._pairings.claim(code, guest), until_gone(request.receive))
        except HungUp:
            return Response(status_code=_HUNG_UP)
        except LineUpError as error:
            if error.code is ErrorCode.UNAUTHENTICATED:
                self._wrong.add(address)
            return _refusal(error, _STATUSES.get(error.code, 400))
        return JSONResponse({"token": token}, headers=_UNCACHED)


async def _body(request: Request) -> str:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > limits.PAIRING_BODY_BYTES:
            most = limits.PAIRING_BODY_BYTES
            raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most} bytes")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is not UTF-8") from None


def _asked(text: str) -> tuple[str, Guest]:
    tree = load_object(text, "", most_bytes=limits.PAIRING_BODY_BYTES)
    check(tree, "", limits.JSON_DEPTH)
    fields = Fields(tree, "")
    name = fields.text("name").strip()
    if not name or not name.isprintable():
        raise fields.wrong("name", "must be printable and say something")
    return fields.id("code"), Guest(name, fields.text("platform", default=""))


def _refusal(error: LineUpError, status: int) -> Response:
    body = {"code": error.code.value, "message": error.message, "next_step": error.next_step}
    if error.field:
        body["field"] = error.field
    return JSONResponse(body, status_code=status, headers=_UNCACHED)

"""How one more device joins a room: by a code that a device of the room shows (design §10).

A code is good once and for five minutes. Whoever presents it waits until the device that shows it
says yes, and then gets a token of its own. Codes are held in memory, by their hash, and end with
the relay: they are made anew in a moment.
"""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.service.admissions import token_key
from lineup_srv.service.ports import LogRefused, LogUnknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import ClientId, RoomId
    from lineup_srv.service.ports import Clock, Handle, Ids, Tokens

__all__ = ["Guest", "PairingState", "PairingTold", "Pairings"]


class PairingState(Enum):
    """How far the joining of a device got; the last three are ends."""

    OFFERED = "offered"
    CLAIMED = "claimed"
    JOINED = "joined"
    REFUSED = "refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class Guest:
    """Who presented a code, by its own account."""

    name: str
    platform: str


@dataclass(frozen=True, slots=True)
class PairingTold:
    """What the device that shows a code is told.

    Attributes:
        code: with OFFERED only.
        expires_unix_ms: until when it is good, or the guest be let in; 0 with an end.
        guest: None before CLAIMED.
    """

    state: PairingState
    code: str
    expires_unix_ms: int
    guest: Guest | None


@dataclass(slots=True)
class _Pairing:
    key: bytes
    room_id: RoomId
    client_id: ClientId
    tell: Callable[[PairingTold], None]
    timer: Handle
    guest: Guest | None = None
    decided: asyncio.Future[PairingState] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Pairings:
    """All codes of a relay; a connection shows one at a time."""

    def __init__(self, tokens: Tokens, clock: Clock, ids: Ids) -> None:
        """No code is good yet."""
        self._tokens = tokens
        self._clock = clock
        self._ids = ids
        self._shown: dict[bytes, _Pairing] = {}
        self._of_client: dict[ClientId, _Pairing] = {}

    def offer(
        self, room_id: RoomId, client_id: ClientId, tell: Callable[[PairingTold], None]
    ) -> PairingTold:
        """Make a code; an earlier one of this connection is void.

        Args:
            room_id: where it leads.
            client_id: the connection that shows it.
            tell: called with each later state; the last is an end, unless a new code is made.
        """
        self.forget(client_id)
        code = self._ids.new()
        key, until = token_key(code), self._until(limits.PAIRING_CODE_SECONDS)
        timer = self._clock.call_at(until, lambda: self._expire(pairing))
        pairing = _Pairing(key, room_id, client_id, tell, timer)
        self._shown[key] = self._of_client[client_id] = pairing
        return PairingTold(PairingState.OFFERED, code, until, None)

    async def claim(self, code: str, guest: Guest) -> str:
        """Present a code, which spends it, and wait to be let in.

        Returns:
            A token of its own for the guest.

        Raises:
            LineUpError: UNAUTHENTICATED, the code is not good; DECLINED; EXPIRED, nobody decided;
                LOG_UNAVAILABLE.
        """
        key = token_key(code)
        pairing = self._shown.pop(key, None)
        if pairing is None or not hmac.compare_digest(pairing.key, key):
            raise LineUpError(ErrorCode.UNAUTHENTICATED, "the code is unknown, used or too old")
        pairing.guest = guest
        pairing.timer.cancel()
        until = self._until(limits.PAIRING_DECISION_SECONDS)
        pairing.timer = self._clock.call_at(until, lambda: self._expire(pairing))
        pairing.tell(PairingTold(PairingState.CLAIMED, "", until, guest))
        try:
            state = await pairing.decided
        except asyncio.CancelledError:
            pairing.timer.cancel()
            self._end(pairing, PairingState.EXPIRED)  # the guest hung up
            raise
        if state is PairingState.JOINED:
            return await self._let_in(pairing, guest)
        if state is PairingState.REFUSED:
            raise LineUpError(ErrorCode.DECLINED, "the other device did not let this one in")
        raise LineUpError(ErrorCode.EXPIRED, "nobody let this device in in time")

    async def _let_in(self, pairing: _Pairing, guest: Guest) -> str:
        token = self._ids.new() + self._ids.new()
        try:
            await self._tokens.add(
                pairing.room_id, token, kind="device", name=guest.name, expires_unix_ms=None
            )
        except (LogRefused, LogUnknown) as error:
            self._end(pairing, PairingState.REFUSED)
            raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
        self._end(pairing, PairingState.JOINED)
        return token

    def decide(self, client_id: ClientId, *, let_in: bool) -> None:
        """The device that shows a code decides about its guest, or withdraws the code.

        Raises:
            LineUpError: INVALID_ARGUMENT: it shows no code, or nobody has presented it.
        """
        pairing = self._of_client.get(client_id)
        if pairing is None or (let_in and pairing.guest is None) or pairing.decided.done():
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, "no device waits", field="pairing.state")
        pairing.timer.cancel()
        pairing.decided.set_result(PairingState.JOINED if let_in else PairingState.REFUSED)
        if not let_in:
            self._end(pairing, PairingState.REFUSED)

    def forget(self, client_id: ClientId) -> None:
        """A connection is over, or shows another code: nobody comes in by its old one."""
        pairing = self._of_client.pop(client_id, None)
        if pairing is None:
            return
        pairing.timer.cancel()
        self._shown.pop(pairing.key, None)
        if not pairing.decided.done():
            pairing.decided.set_result(PairingState.EXPIRED)

    def _expire(self, pairing: _Pairing) -> None:
        pairing.decided.set_result(PairingState.EXPIRED)
        self._end(pairing, PairingState.EXPIRED)

    def _end(self, pairing: _Pairing, state: PairingState) -> None:
        """Say how it ended, unless the device shows another code by now."""
        if self._of_client.get(pairing.client_id) is pairing:
            self.forget(pairing.client_id)
            pairing.tell(PairingTold(state, "", 0, pairing.guest))

    def _until(self, seconds: int) -> int:
        return self._clock.unix_ms() + seconds * 1000

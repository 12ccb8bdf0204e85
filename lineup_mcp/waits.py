"""The calls that wait, and what each word of the relay means for them. No rpc is made here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import request_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Wait", "Waits"]

_MILLISECONDS: Final = 1000


class Wait:
    """One call that waits for a request.

    Args:
        request_id: of the request; its outcome may carry another, earlier one.
        opening: makes the request to open from the seconds that remain; None when the call goes
            on waiting for a request that is open already.
        deadline: when it ends unless the relay moves it, in the event loop's time.
        held: whether the call waits for the outcome at all.
    """

    def __init__(
        self,
        request_id: str,
        opening: Callable[[int], relay_pb2.OpenRequestRequest] | None,
        deadline: float,
        *,
        held: bool = True,
    ) -> None:
        self.request_id = request_id
        self.opening = opening
        self.deadline = deadline
        self.held = held
        self.outcome: asyncio.Future[relay_pb2.Outcome]
        self.outcome = asyncio.get_running_loop().create_future()
        self.latest: relay_pb2.Outcome | None = None
        """The last word of the relay, pending or not."""
        self.sent_at: float | None = None
        """When the relay was first asked to show it, in the loop's time; it may have done so."""
        self.opened = asyncio.Event()
        """The relay confirmed that it is open, or it ended."""
        self.calling = False
        """An rpc that opens it is under way."""

    @property
    def sent(self) -> bool:
        """The relay may have shown it."""
        return self.sent_at is not None

    def ended(self) -> bool:
        """Its end is known, or nobody waits for it."""
        return self.outcome.done()

    def seconds_left(self, now: float) -> float:
        """Until the deadline, never below zero."""
        return max(self.deadline - now, 0.0)

    def fail(self, error: Exception) -> None:
        """End it with RelayUnreachable or LineUpError; ignored if it has ended."""
        if not self.outcome.done():
            self.outcome.set_exception(error)
        self.opened.set()


class Waits:
    """All calls of one bridge that wait. `now` is the event loop's time everywhere."""

    def __init__(self) -> None:
        self._all: set[Wait] = set()

    def __len__(self) -> int:
        """How many calls wait."""
        return len(self._all)

    def begin(self, wait: Wait) -> None:
        """A call begins to wait."""
        self._all.add(wait)

    def end(self, wait: Wait) -> None:
        """A call waits no more, whatever came of it."""
        self._all.discard(wait)
        if not wait.outcome.done():
            wait.outcome.cancel()
        elif not wait.outcome.cancelled():
            # An error that nobody looked at any more is no error.
            wait.outcome.exception()

    def ids(self) -> list[str]:
        """What the relay is told that this agent waits for."""
        return sorted({wait.request_id for wait in self._all if wait.held and wait.sent})

    def heard(self, outcome: relay_pb2.Outcome, caller: Wait | None, now: float) -> bool:
        """An outcome arrived, by a call or by the stream; the first one counts.

        Args:
            outcome: pending or an end.
            caller: whose call it answers; None if it came by the stream.
            now: the event loop's time.

        Returns:
            False if it is an end that no call took.
        """
        ids = {outcome.request_id, outcome.alias} - {""}
        waits = [wait for wait in self._all if wait is caller or wait.request_id in ids]
        for wait in waits:
            wait.latest = outcome
        if outcome.state == request_pb2.REQUEST_STATE_PENDING:
            if outcome.deadline_unix_ms and outcome.clock_unix_ms:
                left = (outcome.deadline_unix_ms - outcome.clock_unix_ms) / _MILLISECONDS
                for wait in waits:
                    wait.deadline = now + left
            return True
        taking = [wait for wait in waits if not wait.outcome.done()]
        for wait in taking:
            wait.outcome.set_result(outcome)
            wait.opened.set()
        return bool(taking)

    def move(self, request_id: str, deadline: float) -> None:
        """A human gave a request more time."""
        for wait in self._all:
            known = {wait.request_id, wait.latest.request_id if wait.latest is not None else ""}
            if request_id in known:
                wait.deadline = deadline

    def lost(self, request_id: str) -> list[Wait]:
        """The relay does not know a request; returns the calls that have to open it again."""
        again = []
        for wait in self._all:
            if wait.request_id != request_id or wait.calling or wait.outcome.done():
                continue
            if wait.opening is None:
                msg = "the relay does not know this question any more"
                wait.fail(LineUpError(ErrorCode.UNKNOWN_REQUEST, msg, field="question_id"))
            else:
                again.append(wait)
        return again

"""The tools and calls of one room: timers, who waits for which call, and what agents hear."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.domain.call_commands import (
    CallChecked,
    CallDeadlineReached,
    CallWaitOver,
    UpdateCall,
)
from lineup_srv.domain.call_effects import (
    CatalogChanged,
    CheckCall,
    ClearCallTimers,
    ForgetSecret,
    SetCallTimer,
    SetCallWait,
    TellCall,
)
from lineup_srv.service.call_arguments import misfit_of
from lineup_srv.service.ports import CatalogTold

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import CallId, CommandId
    from lineup_srv.domain.call import CallWait
    from lineup_srv.domain.call_effects import CallEffect
    from lineup_srv.service.call_inbox import CallInbox
    from lineup_srv.service.ports import AgentOutbox, Handle
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["RoomCalls"]


class RoomCalls:
    """Carries out a room's effects about tools and calls.

    `inboxes` are those of the streams that wait for a call, by the command that opened each; put
    here and taken away by `ToolCalls`. `catalog_signal` is set, and replaced, when the catalog may
    have changed.
    """

    def __init__(self, runner: RoomRunner, outside: Outside) -> None:
        """Work for `runner` through the ports in `outside`."""
        self._runner = runner
        self._outside = outside
        self._deadlines: dict[CallId, Handle] = {}
        self._waits: dict[CallId, Handle] = {}
        self._pace: dict[CallId, _Pace] = {}
        self._telling: Handle | None = None
        self._told_revision = 0
        self.catalog_signal = asyncio.Event()
        self.inboxes: dict[CommandId, CallInbox] = {}

    def carry_out(self, effect: CallEffect) -> None:
        """Do what the room wants done. Never waits."""
        match effect:
            case TellCall():
                self._tell(effect)
            case CatalogChanged():
                self._catalog_changed()
            case CheckCall():
                self._outside.tasks.start(self._check(effect))
            case SetCallTimer():
                self._set_deadline(effect.call_id, effect.deadline_unix_ms)
            case SetCallWait():
                self._set_wait(effect.call_id, effect.wait)
            case ClearCallTimers():
                self._clear(effect.call_id)
            case ForgetSecret():
                self._outside.secrets.forget(self._runner.room_id, effect.secret_id)
            case _:  # pragma: no cover - mypy proves that nothing is left
                assert_never(effect)

    def _tell(self, effect: TellCall) -> None:
        holding = self._runner.room.live.holdings.get(effect.call.call_id)
        for holder in () if holding is None else holding.holders:
            inbox = self.inboxes.get(holder)
            if inbox is not None:
                inbox.put(effect)

    def watch(self) -> None:
        """Set the timer of every live call's deadline by the wall clock as it is now."""
        for call in self._runner.room.logged.calls.live():
            self._set_deadline(call.call_id, call.deadline_unix_ms)

    def greet(self, stream: AgentOutbox) -> None:
        """Tell an agent that has just attached which catalog there is, if devices have come."""
        revision = self._runner.room.live.catalog.revision
        if revision:
            stream.put(CatalogTold(revision))

    def close(self) -> None:
        """Stop all timers."""
        for handle in (*self._deadlines.values(), *self._waits.values()):
            handle.cancel()
        for pace in self._pace.values():
            pace.stop()
        if self._telling is not None:
            self._telling.cancel()

    @property
    def idle(self) -> bool:
        """Whether nothing is watched and nobody waits."""
        return not (self._deadlines or self._waits or self._pace or self.inboxes)

    # Progress ----------------------------------------------------------------------------------

    def progress(self, command: UpdateCall) -> bool:
        """Whether this progress is to be submitted now; else it is, if no later one replaces it."""
        pace = self._pace.get(command.call_id)
        if pace is not None:
            pace.latest = command
            return False
        call = self._runner.room.logged.calls.find(command.call_id)
        if call is not None and call.live:
            self._start_pace(command.call_id)
        return True

    def end_progress(self, call_id: CallId) -> None:
        """The result is there: progress that waits for its turn says nothing any more."""
        pace = self._pace.pop(call_id, None)
        if pace is not None:
            pace.stop()

    def _start_pace(self, call_id: CallId) -> None:
        at = self._outside.clock.unix_ms() + limits.CALL_PROGRESS_MS
        handle = self._outside.clock.call_at(at, lambda: self._next_progress(call_id))
        self._pace[call_id] = _Pace(handle)

    def _next_progress(self, call_id: CallId) -> None:
        latest = self._pace.pop(call_id).latest
        if latest is not None:
            self._start_pace(call_id)
            self._runner.submit(latest)

    # Timers ------------------------------------------------------------------------------------

    def _set_deadline(self, call_id: CallId, deadline_unix_ms: int) -> None:
        def fire() -> None:
            if self._outside.clock.unix_ms() < deadline_unix_ms:
                # The wall clock was set back while the timer ran.
                self._set_deadline(call_id, deadline_unix_ms)
                return
            self._deadlines.pop(call_id, None)
            command_id = self._runner.new_command_id()
            self._runner.submit(CallDeadlineReached(command_id, call_id, deadline_unix_ms))

        _replace(self._deadlines, call_id, self._call_at(deadline_unix_ms, fire))

    def _set_wait(self, call_id: CallId, wait: CallWait | None) -> None:
        if wait is None:
            _replace(self._waits, call_id, None)
            return

        def fire() -> None:
            self._waits.pop(call_id, None)
            self._runner.submit(CallWaitOver(self._runner.new_command_id(), call_id, wait))

        _replace(self._waits, call_id, self._call_at(wait.until_unix_ms, fire))

    def _clear(self, call_id: CallId) -> None:
        _replace(self._deadlines, call_id, None)
        _replace(self._waits, call_id, None)
        self.end_progress(call_id)

    def _call_at(self, unix_ms: int, fire: Callable[[], None]) -> Handle:
        return self._outside.clock.call_at(unix_ms, fire)

    # The catalog -------------------------------------------------------------------------------

    def wake(self) -> None:
        """Wake those who wait for the catalog to change."""
        self.catalog_signal.set()
        self.catalog_signal = asyncio.Event()

    def _catalog_changed(self) -> None:
        self.wake()
        if self._telling is None:
            at = self._outside.clock.unix_ms() + limits.CATALOG_TOLD_MS
            self._telling = self._outside.clock.call_at(at, self._tell_catalog)

    def _tell_catalog(self) -> None:
        self._telling = None
        revision = self._runner.room.live.catalog.revision
        if revision != self._told_revision:
            self._told_revision = revision
            for stream in self._runner.delivery.streams.values():
                stream.put(CatalogTold(revision))

    async def _check(self, effect: CheckCall) -> None:
        """Check a waiting call's arguments against what its tool takes now."""
        ref = effect.call.called.arguments
        bodies = await self._outside.bodies.gather_at_any_price(self._runner.room_id, [ref])
        text = ref.inline if ref.inline is not None else bodies[ref.sha256].decode()
        misfit = misfit_of(self._outside.schemas, effect.schema_json, text)
        await self._runner.submit(
            CallChecked(
                self._runner.new_command_id(),
                effect.call.call_id,
                effect.client_id,
                effect.schema_json,
                misfit,
            )
        )


class _Pace:
    """Progress of one call that waits for its turn; the latest takes it."""

    def __init__(self, handle: Handle) -> None:
        self.latest: UpdateCall | None = None
        self._handle = handle

    def stop(self) -> None:
        self._handle.cancel()


def _replace(handles: dict[CallId, Handle], call_id: CallId, handle: Handle | None) -> None:
    before = handles.pop(call_id, None)
    if before is not None:
        before.cancel()
    if handle is not None:
        handles[call_id] = handle

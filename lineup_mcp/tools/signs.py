"""Signs of life of a call: what the device says of its progress, and that the call still waits.

MCP wants the number to grow each time, whoever it comes from.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from lineup_srv.wire._gen.lineup.v1 import tool_pb2

if TYPE_CHECKING:
    from lineup_mcp.tools.waiting import Progress

__all__ = ["Signs"]

_log = logging.getLogger(__name__)

_MESSAGE_CHARACTERS: Final = 200
_STEP: Final = 0.001
_PHASES: Final = {
    tool_pb2.CALL_PHASE_ACCEPTED: "a device took the call",
    tool_pb2.CALL_PHASE_STARTING: "the app is being started",
    tool_pb2.CALL_PHASE_STARTED: "the app runs",
}


class Signs:
    """The progress notifications of one call.

    Args:
        send: sends one; None if nobody asked for any.
    """

    def __init__(self, send: Progress | None) -> None:
        self._send = send
        self._last = -1.0
        self._total: float | None = None
        self._message = ""

    async def hear(self, update: tool_pb2.ToolCallUpdate) -> None:
        """Pass on a receipt or progress of the device. Never raises."""
        if update.phase == tool_pb2.CALL_PHASE_PROGRESS:
            self._total = update.total or None
            self._message = update.message
            await self._tell(update.progress, self._total)
        elif update.phase in _PHASES:
            self._message = update.message or _PHASES[update.phase]
            await self._tell(self._last, self._total)

    async def beat(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Say that the call still waits: with the device's own numbers, if it gave some."""
        if self._total is None:
            await self._tell(progress, total, message)
        else:
            await self._tell(self._last, self._total)

    async def _tell(self, progress: float, total: float | None, message: str | None = None) -> None:
        if self._send is None:
            return
        self._last = progress if progress > self._last else max(self._last, 0.0) + _STEP
        words = (self._message or message or "")[:_MESSAGE_CHARACTERS]
        try:
            await self._send(self._last, total, words or None)
        except Exception:
            # It belongs to a task that serves all calls; a lost sign is no lost call.
            _log.debug("a sign of life was not sent", exc_info=True)

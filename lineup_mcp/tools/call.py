"""What every tool takes and gives back besides its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_mcp.results import Result
    from lineup_mcp.tools.waiting import Progress
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Call", "Reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call, apart from its arguments.

    Args:
        slice_seconds: how long it may take; None = as long as the timeout.
        heartbeat_seconds: between two signs of life.
        progress: gives a sign of life; None when the agent program asked for none.
        use_id: what the agent program calls this very call, the same when it repeats it; may be
            empty.
    """

    slice_seconds: float | None
    heartbeat_seconds: float
    progress: Progress | None
    use_id: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a call.

    Args:
        result: what the agent program is told.
        outcome: what it is about, which is confirmed once it has left.
        without_mail: said instead when nothing else waits for the agent; None = the same.
        machine_read: a program reads it, so nothing may be added.
        call_id: of the call of a tool whose end it tells, which is confirmed once it has left.
    """

    result: Result
    outcome: relay_pb2.Outcome | None = None
    without_mail: Result | None = None
    machine_read: bool = False
    call_id: str = ""

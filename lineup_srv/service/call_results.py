"""The result of a call on its way in: checked, made durable, then submitted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.call import CallPhase, CallResult
from lineup_srv.service.call_arguments import instance_of, result_misfit
from lineup_srv.service.ports import LogRefused, LogUnknown

if TYPE_CHECKING:
    from lineup_srv.contract.ids import CallId, Ref
    from lineup_srv.domain.call import Call, Progress
    from lineup_srv.domain.call_commands import UpdateCall
    from lineup_srv.domain.contents import Content
    from lineup_srv.domain.people import Author
    from lineup_srv.service.bodies import Intake
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["CallSaid", "end_call"]


@dataclass(frozen=True, slots=True)
class CallSaid:
    """What a device says of a call; fields as in UpdateCall, the result still as text."""

    call_id: CallId
    by: Author
    ref: Ref
    phase: CallPhase | None
    progress: Progress | None
    result_json: str
    contents: tuple[Content, ...]
    code: ErrorCode
    message: str


async def end_call(
    runner: RoomRunner, outside: Outside, command: UpdateCall, said: CallSaid, intake: Intake
) -> None:
    """Check what a device sends against the schema as called, keep it, and submit it.

    Args:
        runner: the room.
        outside: the ports.
        command: the update, its result still to be set.
        said: what the device says; its phase is SUCCEEDED or FAILED.
        intake: the bytes behind its contents.

    Raises:
        LineUpError: LOG_UNAVAILABLE, nothing was submitted.
    """
    runner.calls.end_progress(said.call_id)
    call = runner.room.logged.calls.find(said.call_id)
    if call is None:
        await runner.submit(command)
        return
    misfit, read = result_misfit(outside.schemas, call.action, said.result_json)
    if call.called.secret and said.contents:
        misfit = misfit or "a secret answer is text only"
    if said.phase is CallPhase.FAILED:
        misfit = ""  # what failed owes nobody a result that fits
    instance_id = instance_of(read or {})
    try:
        if call.called.secret:
            result = None
            if said.phase is CallPhase.SUCCEEDED and not misfit:
                result = CallResult(None, (), instance_id, command.command_id)
                await outside.secrets.keep(runner.room_id, command.command_id, said.result_json)
            command = replace(command, message="")
        else:
            json = None
            if said.result_json and read is not None:
                json = intake.text(said.result_json, mime="application/json")
            result = CallResult(json, said.contents, instance_id, "")
            if said.phase is CallPhase.FAILED and json is None and not said.contents:
                result = None
            await outside.bodies.keep(runner.room_id, intake)
    except (LogRefused, LogUnknown) as error:
        raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
    await runner.submit(replace(command, result=result, misfit=misfit))
    after = runner.room.logged.calls.find(said.call_id)
    if result is not None and result.secret_id and not _names(after, result.secret_id):
        # Another answer was first, or the log is full: this one is nobody's.
        outside.secrets.forget(runner.room_id, result.secret_id)


def _names(call: Call | None, secret_id: str) -> bool:
    return call is not None and call.result is not None and call.result.secret_id == secret_id

"""Calls of tools ↔ protobuf."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import ApplicationId, CallId, Ref
from lineup_srv.domain.call import CallPhase, Progress, ToolKey
from lineup_srv.service.tool_calls import CallSaid, CallWanted
from lineup_srv.transports.mapping.checks import checked, named
from lineup_srv.transports.mapping.contents import contents_from_wire, contents_to_wire, text_of
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codes import code_from_wire, code_to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.domain.call import Call
    from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.service.bodies import Intake
    from lineup_srv.service.tool_calls import CallTold
    from lineup_srv.transports.mapping.contents import Links

__all__ = [
    "call_message",
    "call_said",
    "call_told",
    "call_wanted",
    "timeout_of",
    "update_message",
]

_PHASES: Final = {
    CallPhase.OFFERED: tool_pb2.CALL_PHASE_UNSPECIFIED,
    CallPhase.ACCEPTED: tool_pb2.CALL_PHASE_ACCEPTED,
    CallPhase.STARTING: tool_pb2.CALL_PHASE_STARTING,
    CallPhase.STARTED: tool_pb2.CALL_PHASE_STARTED,
    CallPhase.SUCCEEDED: tool_pb2.CALL_PHASE_SUCCEEDED,
    CallPhase.FAILED: tool_pb2.CALL_PHASE_FAILED,
    CallPhase.CANCELLED: tool_pb2.CALL_PHASE_CANCELLED,
    CallPhase.EXPIRED: tool_pb2.CALL_PHASE_EXPIRED,
}
_SAID: Final = {
    tool_pb2.CALL_PHASE_ACCEPTED: CallPhase.ACCEPTED,
    tool_pb2.CALL_PHASE_STARTING: CallPhase.STARTING,
    tool_pb2.CALL_PHASE_STARTED: CallPhase.STARTED,
    tool_pb2.CALL_PHASE_PROGRESS: None,
    tool_pb2.CALL_PHASE_SUCCEEDED: CallPhase.SUCCEEDED,
    tool_pb2.CALL_PHASE_FAILED: CallPhase.FAILED,
}
"""What a device says of a call; the other phases are the relay's."""
_MAX_TIMEOUT_MS: Final = limits.MAX_TIMEOUT_SECONDS * 1000
_DEFAULT_TIMEOUT_MS: Final = limits.DEFAULT_TIMEOUT_SECONDS * 1000


def timeout_of(timeout_ms: int) -> int:
    """A call's time: the usual one where none is given, at most the longest, in ms."""
    return min(timeout_ms, _MAX_TIMEOUT_MS) if timeout_ms > 0 else _DEFAULT_TIMEOUT_MS


# From devices and agents --------------------------------------------------------------------------


def call_said(message: WebsocketMessage, by: Author, intake: Intake) -> CallSaid:
    """A device's receipt, progress or result.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    update, field = message.tool_call_update, "tool_call_update"
    call_id = CallId(named(update.call_id, f"{field}.call_id"))
    if update.phase not in _SAID:
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "is none that a device says", field=f"{field}.phase"
        )
    words = checked(update.message, f"{field}.message", limits.REASON_CHARACTERS)
    is_progress = update.phase == tool_pb2.CALL_PHASE_PROGRESS
    return CallSaid(
        call_id=call_id,
        by=by,
        ref=Ref(message.ref),
        phase=_SAID[update.phase],
        progress=_progress(update, words, field) if is_progress else None,
        result_json=checked(update.result_json, f"{field}.result_json", limits.RESULT_BYTES),
        contents=contents_from_wire(update.contents, intake, field=f"{field}.contents"),
        code=code_from_wire(update.code),
        message="" if is_progress else words,
    )


def _progress(update: tool_pb2.ToolCallUpdate, words: str, field: str) -> Progress:
    if not (math.isfinite(update.progress) and math.isfinite(update.total)):
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "must be a finite number", field=f"{field}.progress"
        )
    return Progress(update.progress, update.total, words)


def call_wanted(call: tool_pb2.ToolCall, agent: AgentIdentity, agent_name: str) -> CallWanted:
    """A call as an agent asks for it; the arguments are checked where they are kept.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    application = checked(call.application_id, "call.application_id", limits.ID_CHARACTERS)
    return CallWanted(
        call_id=CallId(named(call.call_id, "call.call_id")),
        tool=ToolKey(ApplicationId(application), named(call.name, "call.name")),
        action=checked(call.action, "call.action", limits.ID_CHARACTERS),
        arguments_json=call.arguments_json or "{}",
        agent=agent,
        agent_name=agent_name,
        timeout_ms=timeout_of(call.timeout_ms),
        catalog_revision=call.catalog_revision,
    )


# To devices and agents ----------------------------------------------------------------------------


def call_message(
    shown: ShowCall, bodies: Mapping[str, bytes], clock_unix_ms: int
) -> WebsocketMessage:
    """A call for a device."""
    tool_call = _call(shown.call, bodies)
    tool_call.timeout_ms = max(shown.call.deadline_unix_ms - clock_unix_ms, 0)
    return WebsocketMessage(Cmd=Cmd.TOOL_CALL.value, tool_call=tool_call, seq=shown.seq)


def _call(call: Call, bodies: Mapping[str, bytes]) -> tool_pb2.ToolCall:
    called = call.called
    return tool_pb2.ToolCall(
        call_id=call.call_id,
        name=called.tool.name,
        action=called.action,
        arguments_json=text_of(called.arguments, bodies),
        instance_id=called.instance_id,
        application_id=called.tool.application_id,
        agent_id=call.agent.agent_id,
        opened_unix_ms=call.opened_unix_ms,
        deadline_unix_ms=call.deadline_unix_ms,
    )


def update_message(
    shown: ShowCallUpdate, bodies: Mapping[str, bytes], links: Links | None
) -> WebsocketMessage:
    """How a call stands, for devices that do not run it; with the answer if a human gave one.

    The call itself goes along to a device that never had it: there is nothing to run any more.
    """
    call, answer = shown.call, shown.answer
    update = tool_pb2.ToolCallUpdate(
        call_id=call.call_id,
        phase=tool_pb2.CALL_PHASE_TAKEN if shown.taken else _PHASES[shown.phase],
        code=code_to_wire(call.code),
        changed_unix_ms=call.changed_unix_ms,
        received=call.received,
    )
    if answer is not None:
        update.result_json = "" if answer.json is None else text_of(answer.json, bodies)
        update.contents.extend(contents_to_wire(answer.contents, bodies, links))
    return WebsocketMessage(
        Cmd=Cmd.TOOL_CALL_UPDATE.value,
        Nickname="" if call.by is None else call.by.nickname,
        tool_call=_call(call, bodies) if shown.with_call else None,
        tool_call_update=update,
        seq=shown.seq,
    )


def call_told(told: CallTold) -> relay_pb2.CallToolResponse:
    """How a call stands, for the agent that called."""
    call, result, progress = told.call, told.call.result, told.progress
    update = tool_pb2.ToolCallUpdate(
        call_id=call.call_id,
        phase=_PHASES[call.phase],
        message=call.message,
        code=code_to_wire(call.code),
    )
    if progress is not None:
        update.phase = tool_pb2.CALL_PHASE_PROGRESS
        update.progress, update.total = progress.progress, progress.total
        update.message = progress.message
    elif result is not None:
        json = told.secret_json if result.json is None else text_of(result.json, told.bodies)
        update.result_json = json
        update.contents.extend(contents_to_wire(result.contents, told.bodies))
        update.instance_id = result.instance_id
    return relay_pb2.CallToolResponse(
        update=update,
        nickname="" if call.by is None else call.by.nickname,
        platform="" if call.by is None else call.by.platform,
        changed_unix_ms=call.changed_unix_ms,
        deadline_unix_ms=call.deadline_unix_ms,
    )

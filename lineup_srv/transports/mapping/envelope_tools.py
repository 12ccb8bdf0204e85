"""What is offered and called ↔ the messages of JSON envelopes (wire §5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.contract.ids import ApplicationId, CallId
from lineup_srv.contract.json_form import json_form
from lineup_srv.contract.json_text import print_json
from lineup_srv.contract.offers import read_offer
from lineup_srv.domain.call import CallPhase, Progress, ToolKey
from lineup_srv.schemas import can_match
from lineup_srv.service.tool_calls import CallSaid, CallWanted
from lineup_srv.transports.mapping.calls import timeout_of
from lineup_srv.transports.mapping.contents import text_of
from lineup_srv.transports.mapping.envelope_commands import contents_from
from lineup_srv.transports.mapping.tools import applications_of
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.contract.ids import Ref
    from lineup_srv.contract.offers import Offer
    from lineup_srv.domain.call import Call
    from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate, ShowRefusedTools
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.service.bodies import Intake
    from lineup_srv.service.tool_calls import CallTold, CatalogView

__all__ = [
    "call_payload",
    "called_tool",
    "catalog_payload",
    "offer_from",
    "refused_payload",
    "said_from",
    "told_payload",
    "unmade_call",
    "update_payload",
    "wanted_from",
]

_SAID: Final = {
    m.Phase.ACCEPTED: CallPhase.ACCEPTED,
    m.Phase.STARTING: CallPhase.STARTING,
    m.Phase.STARTED: CallPhase.STARTED,
}
"""The receipts of apps; the other phases are the relay's."""
_RECEIPTS: Final = {phase: receipt for receipt, phase in _SAID.items()}

# From apps ----------------------------------------------------------------------------------------


def offer_from(told: m.ToolList) -> Offer:
    """What an app offers."""
    tree = {"tools": list(told.tools or ()), "applications": list(told.applications or ())}
    return read_offer(tree, "payload", can_match)


def said_from(
    payload: m.ToolReceipt | m.ToolProgress | m.ToolResult, by: Author, ref: Ref, intake: Intake
) -> CallSaid:
    """An app's receipt, progress or result.

    Raises:
        LineUpError: INVALID_ARGUMENT: a phase that is the relay's to tell.
    """
    call_id = CallId(payload.call_id)
    nothing = ErrorCode.UNSPECIFIED
    match payload:
        case m.ToolReceipt():
            if payload.phase not in _SAID:
                message = "is the relay's to tell"
                raise LineUpError(ErrorCode.INVALID_ARGUMENT, message, field="payload.phase")
            return CallSaid(call_id, by, ref, _SAID[payload.phase], None, "", (), nothing, "")
        case m.ToolProgress():
            progress = Progress(payload.progress, payload.total, payload.message)
            return CallSaid(call_id, by, ref, None, progress, "", (), nothing, "")
        case m.ToolResult():
            failed = payload.failed or payload.code is not nothing
            return CallSaid(
                call_id=call_id,
                by=by,
                ref=ref,
                phase=CallPhase.FAILED if failed else CallPhase.SUCCEEDED,
                progress=None,
                result_json=print_json(payload.result),
                contents=tuple(contents_from(payload.contents, intake)),
                code=payload.code,
                message=str(payload.result["message"])[: limits.REASON_CHARACTERS],
            )


# From agents --------------------------------------------------------------------------------------


def called_tool(payload: m.ToolCall | m.MiniAppToolCall) -> ToolKey:
    """Which tool an agent calls."""
    if isinstance(payload, m.MiniAppToolCall):
        return ToolKey(ApplicationId(payload.application), payload.tool)
    return ToolKey(ApplicationId(""), payload.name)


def wanted_from(
    payload: m.ToolCall | m.MiniAppToolCall,
    agent: AgentIdentity,
    agent_name: str,
    catalog_revision: int,
) -> CallWanted:
    """A call as an agent asks for it."""
    return CallWanted(
        call_id=CallId(payload.call_id),
        tool=called_tool(payload),
        action=payload.action,
        arguments_json=print_json(payload.arguments),
        agent=agent,
        agent_name=agent_name,
        timeout_ms=timeout_of(payload.timeout_ms),
        catalog_revision=catalog_revision,
    )


# To apps ------------------------------------------------------------------------------------------


def call_payload(
    shown: ShowCall, bodies: Mapping[str, bytes], clock_unix_ms: int
) -> m.ToolCall | m.MiniAppToolCall:
    """A call for an app."""
    call = shown.call
    called = call.called
    arguments = json.loads(text_of(called.arguments, bodies))
    timeout_ms = max(call.deadline_unix_ms - clock_unix_ms, 0)
    if called.tool.application_id:
        return m.MiniAppToolCall(
            application=called.tool.application_id,
            tool=called.tool.name,
            action=called.action,
            call_id=call.call_id,
            arguments=arguments,
            timeout_ms=timeout_ms,
            agent=call.agent.agent_id,
        )
    return m.ToolCall(
        name=called.tool.name,
        action=called.action,
        call_id=call.call_id,
        arguments=arguments,
        timeout_ms=timeout_ms,
        agent=call.agent.agent_id,
    )


def update_payload(shown: ShowCallUpdate) -> m.ToolReceipt:
    """How a call stands, for apps that do not run it."""
    by = "" if shown.call.by is None else shown.call.by.nickname
    phase = m.Phase.TAKEN if shown.taken else m.Phase(shown.phase.value)
    return m.ToolReceipt(call_id=shown.call.call_id, phase=phase, by=by)


def refused_payload(shown: ShowRefusedTools, envelope_id: str) -> m.ToolsRefused:
    """Which of its tools an app hears are not offered."""
    return m.ToolsRefused(tools=shown.refused, ref=envelope_id)


# To agents ----------------------------------------------------------------------------------------


def catalog_payload(view: CatalogView, ref: str) -> m.ToolList:
    """The room's tools; `ref` is the id of the question."""
    own, applications = applications_of(view)
    return m.ToolList(
        tools=tuple(map(json_form, own)), applications=tuple(map(json_form, applications)), ref=ref
    )


def told_payload(
    told: CallTold, contents: tuple[m.Content, ...]
) -> m.ToolReceipt | m.ToolProgress | m.ToolResult | None:
    """How a call stands, for the agent that called; None: no device has it yet.

    Args:
        told: how it stands.
        contents: those of its result, as JSON clients get them.
    """
    call, progress = told.call, told.progress
    if progress is not None:
        return m.ToolProgress(
            call_id=call.call_id,
            progress=progress.progress,
            total=progress.total,
            message=progress.message,
        )
    if call.live:
        receipt = _RECEIPTS.get(call.phase)
        return None if receipt is None else m.ToolReceipt(call_id=call.call_id, phase=receipt)
    return m.ToolResult(
        name=call.called.tool.name,
        action=call.called.action,
        call_id=call.call_id,
        result=_result(told),
        failed=call.phase is not CallPhase.SUCCEEDED,
        code=call.code,
        contents=contents,
        by="" if call.by is None else call.by.nickname,
    )


def _result(told: CallTold) -> dict[str, object]:
    """What the device sent, and always a `message` (seed 000, V1)."""
    call = told.call
    text = told.secret_json
    if call.result is not None and call.result.json is not None:
        text = text_of(call.result.json, told.bodies)
    sent: dict[str, object] = json.loads(text) if text else {}
    if not isinstance(sent.get("message"), str):
        sent = {**sent, "message": call.message or _words(call)}
    return sent


def _words(call: Call) -> str:
    entry = ERRORS[call.code]
    return "Done." if call.phase is CallPhase.SUCCEEDED else f"{entry.meaning} {entry.next_step}"


def unmade_call(payload: m.ToolCall | m.MiniAppToolCall, error: LineUpError) -> m.ToolResult:
    """The one result of a call that was refused before it was one."""
    return m.ToolResult(
        name=called_tool(payload).name,
        action=payload.action,
        call_id=payload.call_id,
        result={"message": f"{error.in_full} {error.next_step}"},
        failed=True,
        code=error.code,
    )

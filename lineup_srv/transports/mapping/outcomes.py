"""Outcomes, mail and stream events → the messages of RelayService."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.domain.request import RequestKind, RequestState
from lineup_srv.service.ports import (
    CatalogTold,
    DeadlineTold,
    DevicesCounted,
    MailCounted,
    OutcomeTold,
    UnknownTold,
)
from lineup_srv.transports.mapping.checks import fitting
from lineup_srv.transports.mapping.contents import contents_to_wire, text_of
from lineup_srv.transports.mapping.replies import answers_to_wire
from lineup_srv.transports.mapping.texts import text_to_wire
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2
from lineup_srv.wire.codes import code_to_wire

if TYPE_CHECKING:
    from lineup_srv.service.ports import AgentEvent
    from lineup_srv.service.relay import MailTold, TextTold
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2

__all__ = ["event_to_wire", "mail_to_wire", "outcome_to_wire", "state_to_wire"]

_STATES = {
    RequestState.PENDING: request_pb2.REQUEST_STATE_PENDING,
    RequestState.ANSWERED: request_pb2.REQUEST_STATE_ANSWERED,
    RequestState.DECLINED: request_pb2.REQUEST_STATE_DECLINED,
    RequestState.EXPIRED: request_pb2.REQUEST_STATE_EXPIRED,
    RequestState.CANCELLED: request_pb2.REQUEST_STATE_CANCELLED,
}


def state_to_wire(state: RequestState) -> request_pb2.RequestState:
    """The protobuf value of a state."""
    return _STATES[state]


def outcome_to_wire(told: OutcomeTold, clock_unix_ms: int) -> relay_pb2.Outcome:
    """An outcome, or PENDING; `clock_unix_ms` is the relay's clock.

    `alias` is the id of the last call that joined the request: earlier ones have no waiter.
    """
    request = told.request
    outcome = relay_pb2.Outcome(
        request_id=request.request_id,
        state=state_to_wire(request.state),
        reason=code_to_wire(request.reason),
        deadline_unix_ms=request.deadline_unix_ms,
        devices_online=told.devices_online,
        late=request.late,
        redelivered=told.redelivered,
        question=text_of(request.asked.text, told.bodies)[: limits.QUOTED_CHARACTERS],
        opened_unix_ms=request.opened_unix_ms,
        report=request.asked.kind is RequestKind.REPORT,
        message=request.message,
        clock_unix_ms=clock_unix_ms,
        alias=request.aliases[-1] if request.aliases else "",
        project_directory=request.asked.project_directory,
        other_session=told.other_session,
    )
    reply = request.reply
    if reply is not None and not request.pending:
        outcome.contents.extend(contents_to_wire(reply.contents, told.bodies))
        outcome.answers.extend(answers_to_wire(reply))
        outcome.action = reply.action.value
        outcome.input_json = reply.input_json
        outcome.nickname = reply.by.nickname
        outcome.device = reply.by.device_id
        outcome.platform = reply.by.platform
        outcome.replied_unix_ms = reply.at_unix_ms
    return outcome


def event_to_wire(event: AgentEvent, clock_unix_ms: int) -> relay_pb2.AttachResponse:
    """What an attached agent is told."""
    match event:
        case OutcomeTold():
            return relay_pb2.AttachResponse(outcome=outcome_to_wire(event, clock_unix_ms))
        case UnknownTold():
            unknown = relay_pb2.UnknownRequest(request_id=event.request_id)
            return relay_pb2.AttachResponse(unknown_request=unknown)
        case DeadlineTold():
            moved = relay_pb2.DeadlineMoved(
                request_id=event.request_id, deadline_unix_ms=event.deadline_unix_ms
            )
            return relay_pb2.AttachResponse(deadline_moved=moved)
        case MailCounted():
            count = relay_pb2.MailboxCount(count=event.count)
            return relay_pb2.AttachResponse(mailbox_count=count)
        case CatalogTold():
            changed = relay_pb2.CatalogChanged(revision=event.revision)
            return relay_pb2.AttachResponse(catalog_changed=changed)
        case DevicesCounted():
            online = relay_pb2.DevicesOnline(count=event.count)
            return relay_pb2.AttachResponse(devices_online=online)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(event)


def mail_to_wire(mail: MailTold, clock_unix_ms: int) -> relay_pb2.TakeMessagesResponse:
    """What was waiting in a mailbox, as much as fits: the rest is still there for the next time."""
    outcomes = fitting(outcome_to_wire(told, clock_unix_ms) for told in mail.outcomes)
    response = relay_pb2.TakeMessagesResponse(outcomes=outcomes)
    texts = (_mailed_text(told) for told in mail.texts)
    response.texts.extend(fitting(texts, response.ByteSize()))
    return response


def _mailed_text(told: TextTold) -> agent_pb2.Text:
    text = text_to_wire(told.mailed.text, told.bodies, received=False)
    text.redelivered = told.mailed.redelivered
    text.other_session = told.mailed.other_session
    return text

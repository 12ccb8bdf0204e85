"""Requests, their answers and their ends → WebSocket messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract.errors import ERRORS
from lineup_srv.domain.effects import (
    SendPending,
    ShowReply,
    ShowRequest,
    ShowState,
)
from lineup_srv.domain.request import RequestKind, RequestState
from lineup_srv.transports.mapping.asked import question_to_wire, report_to_wire
from lineup_srv.transports.mapping.checks import fitting
from lineup_srv.transports.mapping.outcomes import state_to_wire
from lineup_srv.transports.mapping.replies import question_reply_to_wire, report_reply_to_wire
from lineup_srv.wire._gen.lineup.v1 import request_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codes import code_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineup_srv.domain.effects import StateUpdate
    from lineup_srv.domain.request import Request
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["request_messages"]


def request_messages(
    message: ShowRequest | ShowReply | ShowState | SendPending,
    bodies: Mapping[str, bytes],
    links: Links | None,
    *,
    extended: bool,
) -> list[ws.WebsocketMessage]:
    """The frames of one effect for one kind of client; arguments as in `messages_for`."""
    match message:
        case ShowRequest():
            return [_request(message.request, bodies, message.seq, links)]
        case ShowReply():
            return [_reply(message, bodies, links)]
        case ShowState():
            return _state(message, extended=extended)
        case SendPending():
            return [_pending(message.requests, bodies)]
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(message)


def _is_report(request: Request) -> bool:
    return request.asked.kind is RequestKind.REPORT


def _request(
    request: Request, bodies: Mapping[str, bytes], seq: int, links: Links | None
) -> ws.WebsocketMessage:
    if _is_report(request):
        return ws.WebsocketMessage(
            Cmd=Cmd.WORK_REPORT.value,
            WorkReportRequest=report_to_wire(request, bodies, links),
            seq=seq,
        )
    return ws.WebsocketMessage(
        Cmd=Cmd.ASK_QUESTION.value,
        AskQuestionRequest=question_to_wire(request, bodies, links),
        seq=seq,
    )


def _reply(
    message: ShowReply, bodies: Mapping[str, bytes], links: Links | None
) -> ws.WebsocketMessage:
    request, reply = message.request, message.reply
    if _is_report(request):
        return ws.WebsocketMessage(
            Cmd=Cmd.WORK_REPORT_REPLY_NOTIFICATION.value,
            WorkReportRequest=report_to_wire(request, bodies, links),
            WorkReportResponse=report_reply_to_wire(request, reply, bodies, links),
            StrParam=f"Work report confirmed by client {reply.by.client_id}",
            Nickname=reply.by.nickname,
            seq=message.seq,
        )
    return ws.WebsocketMessage(
        Cmd=Cmd.ASK_QUESTION_REPLY_NOTIFICATION.value,
        AskQuestionRequest=question_to_wire(request, bodies, links),
        AskQuestionResponse=question_reply_to_wire(request, reply, bodies, links),
        StrParam=f"Response received from client {reply.by.client_id}",
        Nickname=reply.by.nickname,
        seq=message.seq,
    )


def _state(message: ShowState, *, extended: bool) -> list[ws.WebsocketMessage]:
    update = message.update
    if extended:
        return [
            ws.WebsocketMessage(
                Cmd=Cmd.REQUEST_STATE.value, request_state=_update(update), seq=message.seq
            )
        ]
    if update.received or update.state not in (RequestState.EXPIRED, RequestState.CANCELLED):
        return []
    return [
        ws.WebsocketMessage(
            Cmd=Cmd.REQUEST_CANCELLED.value,
            RequestCancelledNotification=ws.RequestCancelledNotification(
                request_id=update.request_id,
                reason=update.message or ERRORS[update.reason].meaning,
                message_type="WorkReport" if update.report else "AskQuestion",
            ),
        )
    ]


def _update(update: StateUpdate) -> request_pb2.RequestStateUpdate:
    return request_pb2.RequestStateUpdate(
        request_id=update.request_id,
        state=state_to_wire(update.state),
        reason=code_to_wire(update.reason),
        by_nickname="" if update.by is None else update.by.nickname,
        by_device="" if update.by is None else update.by.device_id,
        deadline_unix_ms=update.deadline_unix_ms,
        late=update.late,
        received=update.received,
        agent_gone=update.agent_gone,
        message=update.message,
        changed_unix_ms=update.changed_unix_ms,
    )


def _pending(requests: Iterable[Request], bodies: Mapping[str, bytes]) -> ws.WebsocketMessage:
    """As many as fit, oldest first: the others come when these are answered."""
    pending = fitting(_pending_message(request, bodies) for request in requests)
    return ws.WebsocketMessage(
        Cmd=Cmd.GET_PENDING_MESSAGES.value,
        GetPendingMessagesResponse=ws.GetPendingMessagesResponse(
            pending_messages=pending, total_count=len(pending)
        ),
    )


def _pending_message(request: Request, bodies: Mapping[str, bytes]) -> ws.PendingMessage:
    report = _is_report(request)
    message = ws.PendingMessage(
        message_type="WorkReport" if report else "AskQuestion",
        created_at=request.opened_unix_ms,
        timeout=request.timeout_seconds,
    )
    if report:
        message.work_report_request.CopyFrom(report_to_wire(request, bodies))
    else:
        message.ask_question_request.CopyFrom(question_to_wire(request, bodies))
    return message

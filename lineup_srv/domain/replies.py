"""Answers: the first one counts, later ones are kept or refused (design §4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import accept, acknowledge_again, refuse
from lineup_srv.domain.effects import Only, ShowReply
from lineup_srv.domain.facts import (
    Answered,
    Corrected,
    Declined,
    HandedOver,
    LateReplied,
)
from lineup_srv.domain.request import Reply, ReplyAction, Request, RequestState
from lineup_srv.domain.texts import keep_text

if TYPE_CHECKING:
    from lineup_srv.domain.commands import HandOver, ReplyTo
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["hand_over", "reply_to"]


def reply_to(room: Room, command: ReplyTo, draft: Draft) -> None:
    """A device answers, dismisses or corrects."""
    request = room.logged.find(command.request_id)
    if acknowledge_again(room, command, draft):
        return
    reply = Reply(
        ref=command.ref,
        action=command.action,
        contents=command.contents,
        answers=command.answers,
        input_json=command.input_json,
        by=command.by,
        at_unix_ms=draft.now_unix_ms,
    )
    if request is None:
        _keep_unknown(room, command, draft)
    elif request.pending:
        kind = Declined if reply.action is ReplyAction.DECLINE else Answered
        draft.log(kind(*draft.stamp(), request_id=request.request_id, reply=reply))
        _hand_to_waiters(room, request, draft)
        accept(room, command, draft, ErrorCode.UNSPECIFIED)
    elif request.reply is None:
        draft.log(LateReplied(*draft.stamp(), request_id=request.request_id, reply=reply))
        accept(room, command, draft, ErrorCode.KEPT_LATE)
    elif _may_correct(request, reply):
        draft.log(Corrected(*draft.stamp(), request_id=request.request_id, reply=reply))
        accept(room, command, draft, ErrorCode.UNSPECIFIED)
    else:
        _refuse_second(request, request.reply, command, draft)


def _hand_to_waiters(room: Room, request: Request, draft: Draft) -> None:
    """One fact for each waiting agent, in the same commit as the answer."""
    for agent_id in room.live.waiters(request.request_id):
        if agent_id not in request.handed_to:
            draft.log(
                HandedOver(
                    *draft.stamp(),
                    request_id=request.request_id,
                    agent_id=agent_id,
                    taken=False,
                    redelivered=False,
                )
            )


def hand_over(room: Room, _command: HandOver, draft: Draft) -> None:
    """Give answers that came from elsewhere to those who wait here.

    A late answer goes by the mailbox: whoever waited has had the end as its outcome.
    """
    for request_id in room.logged.mail_ids:
        request = room.logged.requests[request_id]
        if not request.late:
            _hand_to_waiters(room, request, draft)


def _may_correct(request: Request, reply: Reply) -> bool:
    return (
        reply.action is ReplyAction.CORRECT
        and request.state is RequestState.ANSWERED
        and not request.handed_to
        and request.reply is not None
        and request.reply.by.same_device(reply.by)
    )


def _refuse_second(request: Request, winner: Reply, command: ReplyTo, draft: Draft) -> None:
    """Say who was first; a client without refs gets the winner's answer instead of an Ack."""
    if command.ref:
        message = f"{winner.by.nickname} answered first"
        refuse(command, draft, ErrorCode.ALREADY_ANSWERED, message=message)
    else:
        draft.effects.append(ShowReply(Only(command.by.client_id), request, winner, 0))


def _keep_unknown(room: Room, command: ReplyTo, draft: Draft) -> None:
    """Keep an answer to an unknown request as a text for the agent named in it."""
    if not command.agent_id or not command.contents:
        refuse(command, draft, ErrorCode.UNKNOWN_REQUEST)
    else:
        keep_text(room, command, draft, unknown_request=True)

"""A device's messages → commands: one row for each `Cmd` that a room decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, Ref, RequestId, TextId
from lineup_srv.domain.commands import (
    CheckValidity,
    ListOnline,
    ListPending,
    MoveDeadline,
    SeeClient,
    WriteText,
)
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.replies import reply_from_wire
from lineup_srv.transports.mapping.signals import SIGNAL_CMDS, signal_from_wire
from lineup_srv.transports.mapping.texts import text_from_wire
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import CommandId
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.people import Author
    from lineup_srv.service.bodies import Intake
    from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

__all__ = ["DEVICE_CMDS", "Sender", "device_command"]


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a message, the id of its command, and where its bodies are collected."""

    by: Author
    command_id: CommandId
    intake: Intake


def device_command(message: WebsocketMessage, sender: Sender) -> Command:
    """The command for a message whose Cmd is one of `DEVICE_CMDS`.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    return _READ[message.Cmd](message, sender)


def _reply(message: WebsocketMessage, sender: Sender) -> Command:
    return reply_from_wire(message, sender.by, sender.intake, sender.command_id)


def _signal(message: WebsocketMessage, sender: Sender) -> Command:
    return signal_from_wire(message, sender.by.client_id, sender.command_id)


def _list_pending(_message: WebsocketMessage, sender: Sender) -> Command:
    return ListPending(sender.command_id, sender.by.client_id)


def _list_online(_message: WebsocketMessage, sender: Sender) -> Command:
    return ListOnline(sender.command_id, sender.by.client_id)


def _check_validity(message: WebsocketMessage, sender: Sender) -> Command:
    ids, field = message.CheckMessageValidityRequest.request_ids, "CheckMessageValidityRequest"
    if len(ids) > limits.IDS_PER_CHECK:
        raise LineUpError(
            ErrorCode.TOO_LARGE, f"at most {limits.IDS_PER_CHECK} ids", field=f"{field}.request_ids"
        )
    return CheckValidity(
        sender.command_id,
        sender.by.client_id,
        tuple(
            RequestId(checked(text, f"{field}.request_ids", limits.ID_CHARACTERS)) for text in ids
        ),
    )


def _see_client(message: WebsocketMessage, sender: Sender) -> Command:
    return SeeClient(
        sender.command_id, sender.by.client_id, message.client_info.visible, Ref(message.ref)
    )


def _move_deadline(message: WebsocketMessage, sender: Sender) -> Command:
    extend, field = message.extend_deadline, "extend_deadline.request_id"
    if not extend.request_id:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no request", field=field)
    return MoveDeadline(
        command_id=sender.command_id,
        request_id=RequestId(checked(extend.request_id, field, limits.ID_CHARACTERS)),
        ref=Ref(message.ref),
        add_seconds=extend.add_seconds,
        by=sender.by,
        first_ack=None,
    )


def _write_text(message: WebsocketMessage, sender: Sender) -> Command:
    text = message.text
    return WriteText(
        command_id=sender.command_id,
        text_id=TextId(sender.command_id),
        agent_id=AgentId(checked(text.agent_id, "text.agent_id", limits.ID_CHARACTERS)),
        contents=text_from_wire(text, sender.intake),
        by=sender.by,
        ref=Ref(message.ref),
        first_ack=None,
    )


_READ: dict[str, Callable[[WebsocketMessage, Sender], Command]] = {
    Cmd.ASK_QUESTION_REPLY.value: _reply,
    Cmd.WORK_REPORT_REPLY.value: _reply,
    Cmd.GET_PENDING_MESSAGES.value: _list_pending,
    Cmd.GET_ONLINE_USERS.value: _list_online,
    Cmd.CHECK_MESSAGE_VALIDITY.value: _check_validity,
    Cmd.CLIENT_INFO.value: _see_client,
    Cmd.EXTEND_DEADLINE.value: _move_deadline,
    Cmd.TEXT.value: _write_text,
    **dict.fromkeys(SIGNAL_CMDS, _signal),
}
DEVICE_CMDS = frozenset(_READ)

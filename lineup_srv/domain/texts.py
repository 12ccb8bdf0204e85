"""Texts between humans and agents, and pictures that agents show (design §4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import accept, acknowledge_again, refuse
from lineup_srv.domain.decision import Said
from lineup_srv.domain.facts import PictureShown, TextKept, TextSaid, ack_code_of

if TYPE_CHECKING:
    from lineup_srv.domain.commands import ReplyTo, SayText, ShowPicture, WriteText
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["keep_text", "say_text", "show_picture", "write_text"]


def write_text(room: Room, command: WriteText, draft: Draft) -> None:
    """Keep a device's text until its agent, or any agent, has received it."""
    if not acknowledge_again(room, command, draft):
        keep_text(room, command, draft, unknown_request=False)


def keep_text(
    room: Room, command: WriteText | ReplyTo, draft: Draft, *, unknown_request: bool
) -> None:
    """Log what a device wrote as a text for the agent that it names."""
    if not room.logged.takes_text(draft.now_unix_ms):
        refuse(command, draft, ErrorCode.RATE_LIMITED)
        return
    kept = TextKept(
        *draft.stamp(),
        text_id=command.text_id,
        agent_id=command.agent_id,
        contents=command.contents,
        by=command.by,
        ref=command.ref,
        unknown_request=unknown_request,
    )
    draft.log(kept)
    accept(room, command, draft, ack_code_of(kept))


def say_text(room: Room, command: SayText, draft: Draft) -> None:
    """Show an agent's text on every device."""
    draft.log(
        TextSaid(
            *draft.stamp(),
            text_id=command.text_id,
            agent=command.agent,
            agent_name=command.agent_name,
            contents=command.contents,
        )
    )
    draft.result = Said(room.logged.last_seq + 1)


def show_picture(room: Room, command: ShowPicture, draft: Draft) -> None:
    """Show an agent's picture on every device."""
    draft.log(
        PictureShown(
            *draft.stamp(),
            text_id=command.text_id,
            agent=command.agent,
            agent_name=command.agent_name,
            picture=command.picture,
        )
    )
    draft.result = Said(room.logged.last_seq + 1)

"""What devices say to each other without a trace: chat, typing, forwarding (wire §2, §3).

Nothing here is logged, stored or sent again; a signal only ever reaches members of its own room.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.domain.acks import taken
from lineup_srv.domain.effects import Except, Only, SendAck, ShowSignal

if TYPE_CHECKING:
    from lineup_srv.contract.ids import RequestId
    from lineup_srv.domain.commands import PassSignal
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = [
    "Chat",
    "ForwardFailed",
    "ForwardMode",
    "ForwardQuery",
    "ForwardState",
    "ForwardTarget",
    "ForwardWindow",
    "Signal",
    "Typing",
    "pass_signal",
]


class ForwardMode(Enum):
    """How the window that a text is typed into is chosen."""

    UNSPECIFIED = "unspecified"
    FOCUSED_WINDOW = "focused_window"
    SPECIFIC_WINDOW = "specific_window"


@dataclass(frozen=True, slots=True)
class ForwardTarget:
    """Where a chat text should be typed on a PC."""

    mode: ForwardMode
    window_id: str


@dataclass(frozen=True, slots=True)
class ForwardWindow:
    """A window that can be typed into."""

    window_id: str
    title: str


@dataclass(frozen=True, slots=True)
class Chat:
    """A message to another device."""

    message_id: str
    content: str
    forward: ForwardTarget | None


@dataclass(frozen=True, slots=True)
class Typing:
    """Somebody writes an answer to a request."""

    request_id: RequestId


@dataclass(frozen=True, slots=True)
class ForwardQuery:
    """Asks a device whether and where it can type."""

    query_id: str


@dataclass(frozen=True, slots=True)
class ForwardState:
    """Whether and where a device can type; an answer when it names a query, else a change."""

    query_id: str
    enabled: bool
    windows: tuple[ForwardWindow, ...]


@dataclass(frozen=True, slots=True)
class ForwardFailed:
    """A text could not be typed."""

    window_id: str
    reason: str


Signal = Chat | Typing | ForwardQuery | ForwardState | ForwardFailed


def pass_signal(room: Room, command: PassSignal, draft: Draft) -> None:
    """Pass a signal on to its receiver, or to all others; the sender learns if nobody is there."""
    sender = room.live.members.get(command.by)
    if sender is None:
        return
    me = Only(command.by)
    if command.receiver is None:
        to: Only | Except = Except(command.by)
        receiver = None
    else:
        receiver = room.live.members.get(command.receiver)
        to = Only(command.receiver)
    if command.receiver is not None and receiver is None:
        if command.ref:
            draft.effects.append(_offline(me, command))
        return
    draft.effects.append(ShowSignal(to, sender, receiver, command.signal))
    if command.ref:
        draft.effects.append(taken(me, command.ref))


def _offline(me: Only, command: PassSignal) -> SendAck:
    code = ErrorCode.RECEIVER_OFFLINE
    return replace(taken(me, command.ref), accepted=False, code=code, message=ERRORS[code].meaning)

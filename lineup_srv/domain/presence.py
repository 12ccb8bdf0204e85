"""Members: devices that come, rename themselves and go (wire §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.acks import taken
from lineup_srv.domain.effects import (
    DevicesChanged,
    Except,
    MemberJoined,
    MemberLeft,
    Only,
    SendPending,
    ShowPresence,
    Welcome,
)
from lineup_srv.domain.updates import state_update

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.domain.commands import ListPending, Login, Logout
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.state import Room

__all__ = ["devices_online", "list_pending", "login", "logout", "welcome"]


def devices_online(members: Iterable[Member]) -> int:
    """How many different devices are connected; a client without device_id is one by itself."""
    return len({m.author.device_id or m.author.client_id for m in members})


def login(room: Room, command: Login, draft: Draft) -> None:
    """Join the room, or rename: the others hear of a rename only if the name changed."""
    author = command.member.author
    before = room.live.members.get(author.client_id)
    draft.changes.append(MemberJoined(command.member))
    draft.effects.append(welcome(room, command.member, renamed=before is not None))
    if command.ref:
        draft.effects.append(taken(Only(author.client_id), command.ref))
    if before is None or before.author.nickname != author.nickname:
        draft.effects.append(ShowPresence(Except(author.client_id), command.member, connected=True))
    if before is None:
        members = [*room.live.members.values(), command.member]
        draft.effects.append(DevicesChanged(devices_online(members)))


def welcome(room: Room, member: Member, *, renamed: bool) -> Welcome:
    """What a member gets after its login: the open requests, each with its state."""
    updates = tuple(
        (request, state_update(room, request, by=None)) for request in room.logged.open_requests()
    )
    return Welcome(
        to=Only(member.author.client_id),
        member=member,
        renamed=renamed,
        updates=updates,
        last_seq=room.logged.last_seq,
    )


def logout(room: Room, command: Logout, draft: Draft) -> None:
    """Leave the room."""
    member = room.live.members.get(command.client_id)
    if member is None:
        return
    draft.changes.append(MemberLeft(command.client_id))
    draft.effects.append(ShowPresence(Except(command.client_id), member, connected=False))
    rest = [m for m in room.live.members.values() if m is not member]
    draft.effects.append(DevicesChanged(devices_online(rest)))


def list_pending(room: Room, command: ListPending, draft: Draft) -> None:
    """All open requests, oldest first."""
    draft.effects.append(SendPending(Only(command.client_id), tuple(room.logged.open_requests())))

"""Members: devices that come, rename themselves and go (wire §3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import refused, taken
from lineup_srv.domain.call_effects import ClientUsed
from lineup_srv.domain.effects import (
    DevicesChanged,
    Except,
    MemberJoined,
    MemberLeft,
    Only,
    SendOnline,
    SendPending,
    SendValidity,
    ShowPresence,
    Welcome,
)
from lineup_srv.domain.updates import state_update

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.commands import (
        CheckValidity,
        ListOnline,
        ListPending,
        Login,
        Logout,
        SeeClient,
    )
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.state import Room

__all__ = [
    "check_validity",
    "devices_online",
    "list_online",
    "list_pending",
    "login",
    "logout",
    "note_use",
    "see_client",
    "welcome",
]


def devices_online(members: Iterable[Member]) -> int:
    """On how many devices a human sees what agents ask; one without device_id is one by itself."""
    return len({m.author.device_id or m.author.client_id for m in members if m.shows_requests})


def login(room: Room, command: Login, draft: Draft) -> None:
    """Join the room, or rename: the others hear of a rename only if the name changed.

    A full room refuses a newcomer by its result; it is no member that an Ack could be sent to.
    """
    author = command.member.author
    before = room.live.members.get(author.client_id)
    if before is None and len(room.live.members) >= limits.MEMBERS_PER_ROOM:
        draft.result = refused(ErrorCode.RATE_LIMITED)
        return
    draft.changes.append(MemberJoined(command.member))
    draft.effects.append(welcome(room, command.member, renamed=before is not None))
    if command.ref:
        draft.effects.append(taken(Only(author.client_id), command.ref))
    if before is None or before.author.nickname != author.nickname:
        draft.effects.append(ShowPresence(Except(author.client_id), command.member, connected=True))
    if before is None or before.shows_requests != command.member.shows_requests:
        others = (m for c, m in room.live.members.items() if c != author.client_id)
        members = [*others, command.member]
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
    draft.changes.append(ClientUsed(command.client_id, 0))
    draft.effects.append(ShowPresence(Except(command.client_id), member, connected=False))
    rest = [m for m in room.live.members.values() if m is not member]
    draft.effects.append(DevicesChanged(devices_online(rest)))


def see_client(room: Room, command: SeeClient, draft: Draft) -> None:
    """A device's page went to the front or away from it."""
    member = room.live.members.get(command.client_id)
    if member is None:
        return
    if member.visible != command.visible:
        draft.changes.append(MemberJoined(replace(member, visible=command.visible)))
    if command.visible:
        note_use(room, command.client_id, draft)
    if command.ref:
        draft.effects.append(taken(Only(command.client_id), command.ref))


def note_use(room: Room, client_id: ClientId, draft: Draft) -> None:
    """A human used this connection: its tools are the first to be called (design §4.2)."""
    if client_id in room.live.members:
        draft.changes.append(ClientUsed(client_id, draft.now_unix_ms))


def list_online(room: Room, command: ListOnline, draft: Draft) -> None:
    """Everyone but the asker (wire §3)."""
    others = (m for c, m in room.live.members.items() if c != command.client_id)
    draft.effects.append(SendOnline(Only(command.client_id), tuple(others)))


def check_validity(room: Room, command: CheckValidity, draft: Draft) -> None:
    """Which requests are pending; unknown ids are not."""
    found = ((i, room.logged.find(i)) for i in command.request_ids)
    validity = tuple((i, request is not None and request.pending) for i, request in found)
    draft.effects.append(SendValidity(Only(command.client_id), validity))


def list_pending(room: Room, command: ListPending, draft: Draft) -> None:
    """All open requests, oldest first."""
    draft.effects.append(SendPending(Only(command.client_id), tuple(room.logged.open_requests())))

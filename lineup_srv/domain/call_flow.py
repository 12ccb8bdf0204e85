"""How a call finds its device: who may run it, to whom it is given, what it waits for.

An action that a human answers is shown on every device that offers it. Any other goes to one tab:
to the one that ran the last call of the same MiniApp, to one that is in front before others, of
these to the one that a human used last.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.call import Call, CallPhase, CallWait, Provider, WaitKind
from lineup_srv.domain.call_effects import CallWaits, SetCallWait, ShowCall
from lineup_srv.domain.call_facts import CallEnded, CallGiven
from lineup_srv.domain.effects import Only

if TYPE_CHECKING:
    from collections.abc import Collection

    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.call import ToolKey
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.state import Room

__all__ = [
    "clients_of",
    "end_call",
    "give",
    "give_to_next",
    "is_repeatable",
    "pick",
    "provider_of",
    "show_again",
    "wait_for",
]

_SECONDS = {
    WaitKind.ACCEPT: limits.CALL_ACCEPT_SECONDS,
    WaitKind.APP: limits.CALL_APP_SECONDS,
    WaitKind.OWNER: limits.CALL_OWNER_SECONDS,
}


def provider_of(member: Member) -> Provider:
    """The tab behind a connection."""
    author = member.author
    return Provider(author.device_id, member.tab_id, author.client_id)


def clients_of(room: Room, provider: Provider) -> tuple[ClientId, ...]:
    """The connections of a tab: none while it is away, two while it comes back."""
    return tuple(
        client_id
        for client_id, member in room.live.members.items()
        if provider_of(member).same_tab(provider)
    )


def is_repeatable(call: Call) -> bool:
    """Whether running it twice does no harm, so that a second device may be asked."""
    return call.action.hints.read_only or call.action.hints.idempotent


def pick(
    room: Room, key: ToolKey, asked: Collection[Provider], now_unix_ms: int
) -> Provider | None:
    """The tab that should run the next call of a tool; None: nobody that was not asked offers it.

    Args:
        room: the room.
        key: the tool.
        asked: tabs that had their chance.
        now_unix_ms: the relay's clock.
    """
    live = room.live
    members = (live.members[c] for c in live.catalog.providers(key) if c in live.members)
    free = [
        member
        for member in members
        if not any(provider_of(member).same_tab(other) for other in asked)
    ]
    if not free:
        return None

    home = _home(room, key, now_unix_ms)

    def order(member: Member) -> tuple[bool, bool, int]:
        is_home = home is not None and provider_of(member).same_tab(home)
        used = live.used.get(member.author.client_id, member.connected_unix_ms)
        return is_home, member.visible, used

    return provider_of(max(free, key=order))


def _home(room: Room, key: ToolKey, now_unix_ms: int) -> Provider | None:
    """The tab where the tool's MiniApp runs a call or ran its last: what it keeps is there.

    After `limits.APP_HOME_SECONDS` without a call any tab is as good.
    """
    application_id = key.application_id
    if not application_id:
        return None
    calls = room.logged.calls
    for call in calls.live():
        if call.called.tool.application_id == application_id and call.owner is not None:
            return call.owner
    horizon = now_unix_ms - limits.APP_HOME_SECONDS * 1000
    for call in takewhile(lambda ended: ended.changed_unix_ms > horizon, calls.ended()):
        is_its = call.called.tool.application_id == application_id
        if is_its and call.phase is CallPhase.SUCCEEDED:
            return call.owner
    return None


def give_to_next(room: Room, call: Call, draft: Draft) -> bool:
    """Give the call to a tab that was not asked yet, if there is one."""
    asked = call.asked if call.owner is None else (*call.asked, call.owner)
    owner = pick(room, call.called.tool, asked, draft.now_unix_ms)
    if owner is None:
        return False
    give(call, owner, draft)
    wait_for(call, WaitKind.ACCEPT, draft)
    return True


def give(call: Call, owner: Provider, draft: Draft) -> None:
    """Log whom the call goes to; it is sent when that is durable."""
    draft.log(CallGiven(*draft.stamp(), call_id=call.call_id, owner=owner, instead_of=call.owner))


def show_again(room: Room, call: Call, client_id: ClientId, draft: Draft) -> None:
    """A device that may run the call, or runs it, is here: it gets the call, maybe again."""
    draft.effects.append(ShowCall(Only(client_id), call, call.opened_seq))
    wait = room.live.call_waits.get(call.call_id)
    if wait is None or wait.kind is not WaitKind.OWNER:
        return
    untaken = call.phase is CallPhase.OFFERED and not call.action.interactive
    wait_for(call, WaitKind.ACCEPT if untaken else None, draft)


def wait_for(call: Call, kind: WaitKind | None, draft: Draft) -> None:
    """Wait for this from now on, in place of what was waited for; None: for nothing."""
    wait = None
    if kind is not None:
        until = draft.now_unix_ms + _SECONDS[kind] * 1000
        wait = CallWait(kind, until, draft.command_id)
    draft.changes.append(CallWaits(call.call_id, wait))
    draft.effects.append(SetCallWait(call.call_id, wait))


def end_call(
    call: Call, phase: CallPhase, code: ErrorCode, draft: Draft, *, message: str = ""
) -> CallEnded:
    """Log an end that no device's result has brought."""
    ended = CallEnded(
        *draft.stamp(),
        call_id=call.call_id,
        phase=phase,
        code=code,
        message=message or ERRORS[code].meaning,
        owner=None,
        by=None,
        result=None,
        ref=Ref(""),
    )
    draft.log(ended)
    draft.changes.append(CallWaits(call.call_id, None))
    return ended

"""One room per token: decides, then records (design §2.1).

`handle(room, command, now)` decides and changes nothing; its facts are folded and its changes
applied by `record`. What comes of a fact when it is delivered is in `effects_of`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.domain import (
    agents,
    call_ends,
    call_holders,
    call_updates,
    calls,
    deadlines,
    mailbox,
    offers,
    presence,
    replies,
    requests,
    signals,
    texts,
)
from lineup_srv.domain.call_commands import (
    AckCalls,
    Announce,
    AwaitCall,
    CallChecked,
    CallDeadlineReached,
    CallTool,
    CallWaitOver,
    CancelCall,
    HangUpCall,
    MatchCalls,
    UpdateCall,
)
from lineup_srv.domain.commands import (
    AckMessages,
    Attach,
    Await,
    Cancel,
    CheckValidity,
    Command,
    DeadlineReached,
    Detach,
    Goodbye,
    HandOver,
    HangUp,
    LeaseEnded,
    ListOnline,
    ListPending,
    Login,
    Logout,
    MoveDeadline,
    Open,
    PassSignal,
    RelayReturned,
    ReplyTo,
    SayText,
    SeeClient,
    SetWaiting,
    ShowPicture,
    TakeMessages,
    WriteText,
)
from lineup_srv.domain.decision import Decision, Draft
from lineup_srv.domain.fold import apply_change, fold

if TYPE_CHECKING:
    from lineup_srv.domain.commands import AgentCommand
    from lineup_srv.domain.state import Room

__all__ = ["handle", "record"]

_OF_A_HUMAN = (ReplyTo, MoveDeadline, WriteText)
"""A device says this because a human used it."""


def handle(  # noqa: C901 - one case for each kind
    room: Room, command: Command, now_unix_ms: int
) -> Decision:
    """Decide what a command leads to. Changes nothing.

    Args:
        room: the state to decide on, with the tentative facts of earlier commands folded in.
        command: what is asked.
        now_unix_ms: the relay's clock.
    """
    draft = Draft(command.command_id, now_unix_ms)
    if isinstance(command, _OF_A_HUMAN):
        presence.note_use(room, command.by.client_id, draft)
    match command:
        case Login():
            presence.login(room, command, draft)
        case Logout():
            offers.withdraw_offer(room, command.client_id, draft)
            presence.logout(room, command, draft)
        case ListPending():
            presence.list_pending(room, command, draft)
        case ReplyTo():
            replies.reply_to(room, command, draft)
        case HandOver():
            replies.hand_over(room, command, draft)
        case MoveDeadline():
            deadlines.move_deadline(room, command, draft)
        case DeadlineReached():
            deadlines.deadline_reached(room, command, draft)
        case ListOnline():
            presence.list_online(room, command, draft)
        case CheckValidity():
            presence.check_validity(room, command, draft)
        case SeeClient():
            presence.see_client(room, command, draft)
        case PassSignal():
            signals.pass_signal(room, command, draft)
        case WriteText():
            texts.write_text(room, command, draft)
        case RelayReturned():
            deadlines.relay_returned(room, command, draft)
            call_ends.keep_calls(room, command, draft)
            if command.loaded:
                agents.await_agents(room, draft)
        case Announce():
            offers.announce(room, command, draft)
        case MatchCalls():
            offers.match_calls(room, command, draft)
        case CallChecked():
            offers.call_checked(room, command, draft)
        case UpdateCall():
            call_updates.update_call(room, command, draft)
        case CallDeadlineReached():
            call_ends.call_deadline_reached(room, command, draft)
        case CallWaitOver():
            call_ends.call_wait_over(room, command, draft)
        case _:
            _handle_agent(room, command, draft)
    return draft.done()


def _handle_agent(  # noqa: C901 - one case for each kind
    room: Room, command: AgentCommand, draft: Draft
) -> None:
    match command:
        case Open():
            requests.open_request(room, command, draft)
        case Await():
            requests.await_request(room, command, draft)
        case HangUp():
            agents.hang_up(room, command, draft)
        case Cancel():
            requests.cancel(room, command, draft)
        case Attach():
            agents.attach(room, command, draft)
        case SetWaiting():
            agents.set_waiting(room, command, draft)
        case Detach():
            agents.detach(room, command, draft)
        case LeaseEnded():
            agents.lease_ended(room, command, draft)
        case Goodbye():
            call_ends.end_calls_of(room, command, draft)
            requests.goodbye(room, command, draft)
        case TakeMessages():
            mailbox.take_messages(room, command, draft)
        case AckMessages():
            mailbox.ack_messages(room, command, draft)
        case SayText():
            texts.say_text(room, command, draft)
        case ShowPicture():
            texts.show_picture(room, command, draft)
        case CallTool():
            calls.call_tool(room, command, draft)
        case AwaitCall():
            calls.await_call(room, command, draft)
        case HangUpCall():
            call_holders.hang_up_call(room, command, draft)
        case CancelCall():
            call_ends.cancel_call(room, command, draft)
        case AckCalls():
            call_ends.ack_calls(room, command, draft)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(command)


def record(room: Room, decision: Decision) -> None:
    """Fold a decision's facts and apply its changes; facts are tentative until they commit."""
    for fact in decision.facts:
        fold(room.logged, fact)
    for change in decision.changes:
        apply_change(room.live, change)

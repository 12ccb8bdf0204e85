"""What is told of a command whose facts could not be logged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import RequestId
from lineup_srv.domain.effects import Everyone, Only, SendAck, ShownEarly, ShowState, StateUpdate
from lineup_srv.domain.request import Asked, RequestState
from lineup_srv.domain.unlogged import withdraw
from tests.domain.playbook import (
    PHONE,
    Play,
    cancels,
    logs_in,
    moves_deadline,
    opens,
    replies,
    report,
    says,
    writes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.acks import RefCommand
    from lineup_srv.domain.commands import Command

CODE = ErrorCode.LOG_UNAVAILABLE


@pytest.mark.requirement("B01")
@pytest.mark.parametrize("command", [replies("q1"), moves_deadline("q1", 60), writes("note")])
def test_a_ref_is_told_that_the_log_is_not_available(command: RefCommand) -> None:
    refusal = SendAck(
        to=Only(PHONE.client_id),
        ref=command.ref,
        accepted=False,
        code=CODE,
        message=ERRORS[CODE].meaning,
        seq=0,
    )

    assert withdraw(Play().room, command) == ((refusal,), ())


@pytest.mark.parametrize("asked", [None, report("done")], ids=["question", "report"])
def test_a_card_that_was_shown_is_withdrawn(asked: Asked | None) -> None:
    play = Play()
    command = opens("q1", asked=asked)
    play.decide(command)

    effects, changes = withdraw(play.room, command)

    gone = StateUpdate(
        request_id=RequestId("q1"),
        report=asked is not None,
        state=RequestState.CANCELLED,
        reason=CODE,
        by=None,
        deadline_unix_ms=0,
        late=False,
        received=False,
        agent_gone=False,
        message=ERRORS[CODE].meaning,
        changed_unix_ms=0,
    )
    assert effects == (ShowState(Everyone(), gone, 0),)
    assert changes == (ShownEarly(RequestId("q1"), echoed=True),)


@pytest.mark.parametrize(
    "command",
    [
        opens("q1"),
        cancels("q1"),
        replies("q1", ref=""),
        moves_deadline("q1", 1, ref=""),
        writes("note", ref=""),
        says("said"),
        logs_in(PHONE, ref="ref-login-0000000"),
    ],
)
def test_nobody_is_told_of_what_nobody_saw(command: Command) -> None:
    assert withdraw(Play().room, command) == ((), ())

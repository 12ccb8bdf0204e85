"""The mailbox: what an agent has not received, and who may take it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import AgentId, CommandId, RequestId, TextId
from lineup_srv.domain.commands import RelayReturned
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.decision import Mail, MailedRequest, MailedText
from lineup_srv.domain.effects import Everyone, MailChanged, ShowState, ShowTextReceived
from lineup_srv.domain.facts import HandedOver, Received, TextHandedOver, TextKept, TextReceived
from lineup_srv.domain.mailbox import mail_count
from lineup_srv.domain.updates import state_update
from tests.domain.playbook import (
    ADA,
    BOB,
    NO_REF,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    Step,
    acknowledges,
    agent,
    attaches,
    awaits,
    deadline_reached,
    detaches,
    hangs_up,
    lease_ends,
    opens,
    question,
    replies,
    says_goodbye,
    sets_waiting,
    takes,
    words,
    writes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.people import AgentIdentity

Q1 = RequestId("q1")
EMPTY = Mail((), ())
ONE = agent("one", session="s1")


def mail(play: Play, who: AgentIdentity) -> Mail:
    """What an agent takes."""
    result = play.do(takes(by=who)).result
    assert isinstance(result, Mail)
    return result


def ids(found: Mail) -> list[str]:
    return [item.request.request_id for item in found.requests]


def answered(*, by: AgentIdentity = ADA, asked_in: str = "/work") -> Play:
    """`by` is attached; `q1`, which it asked, was answered while nobody waited for it."""
    play = Play()
    play.attached(by=by)
    play.do(opens("q1", by=by, asked=question("go?", directory=asked_in)))
    play.do(hangs_up("c2", by=by))
    play.do(sets_waiting(by=by))
    play.do(replies("q1"))
    return play


# What is in it ------------------------------------------------------------------------------------


@pytest.mark.requirement("B13", "B88")
def test_an_answer_that_nobody_waits_for_is_handed_over_with_the_agents_next_call() -> None:
    play = answered()
    before = play.request("q1")

    step = play.do(takes())

    item = MailedRequest(before, redelivered=False, other_session=False)
    assert step == Step(
        facts=(HandedOver(*play.stamp(), Q1, ADA.agent_id, taken=True, redelivered=False),),
        early=(),
        told=(MailChanged(),),
        effects=(),
        result=Mail((item,), ()),
    )


@pytest.mark.requirement("B51")
def test_what_was_not_acknowledged_is_handed_over_again_and_marked() -> None:
    play = answered()
    mail(play, ADA)

    step = play.do(takes())

    assert isinstance(step.result, Mail)
    assert [item.redelivered for item in step.result.requests] == [True]
    assert step.facts == (
        HandedOver(*play.stamp(), Q1, ADA.agent_id, taken=True, redelivered=True),
    )


def test_a_redelivery_is_marked_even_after_a_restart() -> None:
    play = answered()
    mail(play, ADA)
    play.restart()
    play.attached()

    assert [item.redelivered for item in mail(play, ADA).requests] == [True]


def test_what_was_received_is_gone() -> None:
    play = answered()
    mail(play, ADA)

    step = play.do(acknowledges("q1"))

    told = ShowState(Everyone(), state_update(play.room, play.request("q1"), by=None), 4)
    assert step == Step(
        facts=(Received(*play.stamp(), Q1),),
        early=(),
        told=(told, MailChanged()),
        effects=(),
        result=None,
    )
    assert told.update.received
    assert mail(play, ADA) == EMPTY


# What is too much for one time ----------------------------------------------------------------


def sized(size: int) -> tuple[Content, ...]:
    """A picture of so many bytes."""
    ref = ContentRef(f"a picture of {size}", size, "image/png", None)
    return (Content(ContentKind.IMAGE, ref, ""),)


def with_texts(*sizes: int) -> Play:
    """An answer of 40 bytes and texts of these sizes wait for an attached agent."""
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(sets_waiting())
    play.do(hangs_up("c2"))
    play.do(replace(replies("q1"), contents=sized(40)))
    for number, size in enumerate(sizes):
        text = writes(f"t{number}", ref=f"ref-of-text-{number:04}")
        play.do(replace(text, contents=sized(size)))
    return play


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        ((60,), ["q1", "t0"]),
        ((61, 1), ["q1"]),
        ((30, 30, 1), ["q1", "t0", "t1"]),
        ((), ["q1"]),
    ],
)
def test_as_much_is_handed_over_as_one_message_holds(
    sizes: tuple[int, ...], taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAIL_BYTES", 100)
    play = with_texts(*sizes)

    found = mail(play, ADA)

    assert [*ids(found), *(item.text.text_id for item in found.texts)] == taken


def test_what_is_larger_goes_alone_and_what_waits_behind_it_is_no_repeat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MAIL_BYTES", 30)
    play = with_texts(500, 1)
    assert ids(mail(play, ADA)) == ["q1"]
    play.do(acknowledges("q1"))

    [large] = mail(play, ADA).texts
    play.do(acknowledges(texts=("t0",)))
    [last] = mail(play, ADA).texts

    assert [(i.text.text_id, i.redelivered) for i in (large, last)] == [
        ("t0", False),
        ("t1", False),
    ]


def test_a_late_answer_is_in_it() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(deadline_reached("q1", NOW + TIMEOUT * 1000))
    play.do(sets_waiting())
    play.do(replies("q1"))
    play.do(hangs_up("c2"))

    [item] = mail(play, ADA).requests

    assert item.request.late


def test_an_answer_that_somebody_waits_for_is_not_in_it() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(replies("q1"))

    assert mail(play, ADA) == EMPTY


def test_an_agent_that_is_not_here_takes_nothing() -> None:
    play = answered()

    assert play.do(takes(by=BOB)) == Step((), (), (), (), EMPTY)


def test_the_oldest_answer_comes_first() -> None:
    play = Play()
    play.attached()
    for request_id in ("q1", "q2"):
        play.do(opens(request_id))
        play.do(hangs_up(play.command_id))
    play.do(sets_waiting())
    play.do(replies("q2"))
    play.do(replies("q1"))

    assert mail_count(play.room, play.agent()) == 2
    assert ids(mail(play, ADA)) == ["q2", "q1"]


# Whose it is --------------------------------------------------------------------------------------


@pytest.mark.requirement("B10")
def test_another_agent_gets_nothing_while_the_owner_is_here() -> None:
    twin = replace(ONE, agent_id=AgentId("two"))
    play = answered(by=ONE)
    play.attached(by=twin)

    assert mail(play, twin) == EMPTY


def test_an_owner_whose_lease_still_runs_is_here() -> None:
    twin = replace(ONE, agent_id=AgentId("two"))
    play = answered(by=ONE)
    lease = play.agent(ONE).lease
    play.do(detaches(lease, by=ONE))
    play.attached(by=twin)
    assert mail(play, twin) == EMPTY

    play.do(lease_ends(lease, by=ONE))

    assert ids(mail(play, twin)) == ["q1"]


def test_the_same_session_inherits_after_goodbye() -> None:
    twin = replace(ONE, agent_id=AgentId("two"), directory="/elsewhere")
    play = answered(by=ONE)
    play.do(says_goodbye(by=ONE))
    play.attached(by=twin)

    [item] = mail(play, twin).requests

    assert item == MailedRequest(
        replace(play.request("q1"), handed_to=()), redelivered=False, other_session=False
    )


@pytest.mark.requirement("B10")
@pytest.mark.parametrize(
    ("owner", "heir", "marked"),
    [
        (ONE, agent("two", session="s2"), None),
        (ONE, agent("two"), True),
        (agent("one"), agent("two", session="s2"), True),
        (agent("one"), agent("two"), True),
        (agent("one"), agent("two", directory="/elsewhere"), None),
        (agent("one"), agent("two", machine="m2"), None),
        (agent("one"), replace(agent("two"), client="other"), None),
        (agent("one", machine=""), agent("two", machine=""), None),
    ],
    ids=[
        "both have sessions and they differ",
        "the heir has no session",
        "the owner has no session",
        "neither has a session",
        "another directory",
        "another machine",
        "another program",
        "no machine is known",
    ],
)
def test_an_heir_without_a_session_inherits_by_project_and_is_told_so(
    owner: AgentIdentity, heir: AgentIdentity, marked: bool | None
) -> None:
    play = answered(by=owner)
    play.do(says_goodbye(by=owner))
    play.attached(by=heir)

    found = mail(play, heir).requests

    assert [item.other_session for item in found] == ([] if marked is None else [marked])


def test_a_project_counts_that_the_heir_was_only_called_with() -> None:
    play = answered(by=agent("one"), asked_in="/deep")
    play.do(says_goodbye(by=agent("one")))
    heir = agent("two")
    play.attached(by=heir)
    assert mail(play, heir) == EMPTY

    play.do(awaits("q0", by=replace(heir, directory="/deep")))
    play.do(opens("q2", by=replace(heir, directory="/deep"), asked=question("what?")))

    assert ids(mail(play, heir)) == ["q1"]


def test_after_a_start_the_owner_has_a_leases_time_to_come_back() -> None:
    heir = agent("two")
    play = answered(by=agent("one"))
    play.restart()
    play.do(RelayReturned(CommandId(""), loaded=True))
    play.attached(by=heir)
    assert mail(play, heir) == EMPTY

    play.do(lease_ends(play.agent(agent("one")).lease, by=agent("one")))

    assert ids(mail(play, heir)) == ["q1"]


# Acknowledging ------------------------------------------------------------------------------------


def test_only_who_had_it_can_acknowledge() -> None:
    play = answered()
    play.attached(by=BOB)
    mail(play, ADA)

    assert play.do(acknowledges("q1", by=BOB)) == Step((), (), (), (), None)
    assert play.request("q1").waits_in_mailbox


def test_an_awaited_answer_is_acknowledged_too() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(replies("q1"))

    assert len(play.do(acknowledges("q1")).facts) == 1
    assert play.request("q1").received


def test_a_repeated_or_doubled_acknowledgement_counts_once() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.do(opens("alias", asked=question("go?")))
    play.do(replies("alias"))

    assert len(play.do(acknowledges("q1", "alias", "q1")).facts) == 1
    assert play.do(acknowledges("alias")).facts == ()


@pytest.mark.parametrize("request_id", ["unknown", "q1"], ids=["unknown", "ended unanswered"])
def test_there_is_nothing_to_acknowledge_without_an_answer(request_id: str) -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(deadline_reached("q1", NOW + TIMEOUT * 1000))

    assert play.do(acknowledges(request_id)) == Step((), (), (), (), None)


# Texts --------------------------------------------------------------------------------------------


def test_a_text_for_an_agent_is_handed_over_marked_again_and_received() -> None:
    play = Play()
    play.attached()
    play.do(replies("lost", agent_id="ada"))
    text = play.text("text of lost")

    first = play.do(takes())
    handed = TextHandedOver(*play.stamp(), text.text_id, ADA.agent_id)
    assert first == Step(
        (handed,),
        (),
        (MailChanged(),),
        (),
        Mail((), (MailedText(text, redelivered=False, other_session=False),)),
    )

    [again] = mail(play, ADA).texts
    assert again == MailedText(
        replace(text, handed_to=(ADA.agent_id,)), redelivered=True, other_session=False
    )

    done = play.do(acknowledges(texts=(text.text_id, text.text_id)))
    received = TextReceived(*play.stamp(), text.text_id)
    told = ShowTextReceived(Everyone(), text.text_id, len(play.log))
    assert done == Step((received,), (), (told, MailChanged()), (), None)
    assert mail(play, ADA) == EMPTY


def test_a_text_for_another_agent_is_not_handed_over_or_acknowledged() -> None:
    play = Play()
    play.attached(by=BOB)
    play.do(replies("lost", agent_id="ada"))

    assert mail(play, BOB) == EMPTY
    assert play.do(acknowledges(texts=("text of lost", "unknown"), by=BOB)).facts == ()


def test_a_text_for_an_agent_that_is_gone_goes_to_the_next_of_its_session() -> None:
    twin = replace(ONE, agent_id=AgentId("two"))
    stranger = agent("three", session="s3")
    play = answered(by=ONE)
    play.do(replies("lost", agent_id="one"))
    play.attached(by=twin)
    play.attached(by=stranger)
    assert not mail(play, twin).texts

    play.do(says_goodbye(by=ONE))

    assert not mail(play, stranger).texts
    assert [m.text.text_id for m in mail(play, twin).texts] == ["text of lost"]


@pytest.mark.parametrize(
    ("owner", "heir", "marked"),
    [
        (ONE, replace(ONE, agent_id=AgentId("two"), directory="/elsewhere"), False),
        (ONE, agent("two"), True),
        (agent("one"), agent("two"), True),
        (ONE, agent("two", session="s2"), None),
        (agent("one"), agent("two", directory="/elsewhere"), None),
    ],
    ids=[
        "the same session",
        "the heir has no session",
        "neither has a session",
        "both have sessions and they differ",
        "another directory",
    ],
)
def test_a_text_for_an_agent_that_only_attached_goes_to_its_heir_and_says_so(
    owner: AgentIdentity, heir: AgentIdentity, marked: bool | None
) -> None:
    play = Play()
    play.attached(by=owner)
    play.attached(by=heir)
    play.do(writes("note", to="one"))
    assert mail(play, heir) == EMPTY

    play.do(says_goodbye(by=owner))

    assert [m.other_session for m in mail(play, heir).texts] == [marked] * (marked is not None)


def test_a_text_for_an_agent_from_before_a_restart_goes_to_its_heir() -> None:
    play = answered(by=ONE)
    play.do(writes("note", to="one"))
    play.restart()
    twin = replace(ONE, agent_id=AgentId("two"))
    play.attached(by=twin)

    [mailed] = mail(play, twin).texts

    assert mailed == MailedText(
        replace(play.text("note"), handed_to=()), redelivered=False, other_session=False
    )


def test_a_text_for_an_agent_that_nobody_knows_waits_for_that_agent() -> None:
    play = Play()
    play.attached(by=ONE)
    play.do(writes("note", to="nobody"))

    assert mail(play, ONE) == EMPTY
    play.attached(by=agent("nobody"))
    assert [m.text.text_id for m in mail(play, agent("nobody")).texts] == ["note"]


def test_a_text_to_all_is_marked_for_each_agent_by_itself() -> None:
    play = Play()
    play.attached()
    play.attached(by=BOB)
    everyone = TextId("hello")
    play.receive(
        TextKept(
            *play.stamp(),
            everyone,
            AgentId(""),
            words("hello"),
            by=PHONE,
            ref=NO_REF,
            unknown_request=False,
        )
    )

    assert [m.redelivered for m in mail(play, ADA).texts] == [False]
    assert [m.redelivered for m in mail(play, BOB).texts] == [False]
    assert [m.redelivered for m in mail(play, BOB).texts] == [True]

    play.do(acknowledges(texts=(everyone,)))
    assert mail(play, BOB) == EMPTY


def test_a_bridge_that_attaches_with_what_it_was_given_takes_it_from_the_mailbox() -> None:
    play = answered()
    step = play.do(attaches("q1"))

    assert step.facts == (
        HandedOver(*play.stamp(), Q1, ADA.agent_id, taken=True, redelivered=False),
    )
    assert mail(play, ADA) == EMPTY
    play.do(sets_waiting())
    assert [item.redelivered for item in mail(play, ADA).requests] == [True]


def test_an_agent_that_takes_again_and_again_does_not_make_the_room_grow() -> None:
    play = answered()
    for _ in range(5):
        mail(play, ADA)
    assert play.request("q1").handed_to == (ADA.agent_id,)

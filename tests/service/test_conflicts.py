"""An append that finds facts of another relay: all is decided again, and nobody notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.ids import AgentId, CommandId, RequestId
from lineup_srv.domain.commands import ListPending
from lineup_srv.domain.decision import Resumed
from lineup_srv.domain.effects import (
    SendAck,
    ShowPresence,
    ShowReply,
    ShowRequest,
    ShowState,
    Welcome,
)
from lineup_srv.domain.facts import Answered, HandedOver, Opened
from lineup_srv.service.ports import DevicesCounted, OutcomeTold, UnknownTold
from tests.domain.playbook import (
    BOB,
    LAPTOP,
    PHONE,
    detaches,
    logs_in,
    opens,
    replies,
    sets_waiting,
)
from tests.service.stage import ROOM, opened

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.effects import Message
    from tests.service.stage import Stage

REF = "ref-0000000000000"
OTHER_REF = "ref-1111111111111"


async def test_a_card_that_was_shown_is_not_shown_again_after_a_conflict(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    await _meet_a_conflict(stage, twin, opens("q"))

    assert [(type(m), _about(m), _seq(m)) for m in stage.told()] == [
        (ShowRequest, "q", 0),
        (ShowRequest, "foreign", 1),
        (ShowState, "q", 2),
    ]


@pytest.mark.parametrize("flying", [True, False])
async def test_a_login_that_met_a_conflict_is_still_a_login(
    stage: Stage, twin: Stage, flying: bool
) -> None:
    await stage.join(PHONE)
    _, stream = await stage.attach()
    stream.events.clear()

    await _meet_a_conflict(stage, twin, opens("q"), logs_in(LAPTOP), flying=flying)

    [welcome] = [m for m in stage.told(LAPTOP) if isinstance(m, Welcome)]
    assert not welcome.renamed
    assert [request.request_id for request, _ in welcome.updates] == ["foreign", "q"]
    assert [m.member.author for m in stage.told(PHONE) if isinstance(m, ShowPresence)] == [LAPTOP]
    assert stream.events == [DevicesCounted(2)]


async def test_a_waiting_list_that_met_a_conflict_still_brings_what_ended(
    stage: Stage, twin: Stage
) -> None:
    await stage.do(opens("q", by=BOB))
    await stage.do(replies("q"))
    _, stream = await stage.attach()
    stream.events.clear()

    results = await _meet_a_conflict(stage, twin, opens("q2", by=BOB), sets_waiting("q", "no"))

    assert isinstance(results[1], Resumed)
    outcome, unknown = stream.events
    assert isinstance(outcome, OutcomeTold)
    assert outcome.request.request_id == "q"
    assert unknown == UnknownTold(RequestId("no"))


async def test_a_broken_stream_that_met_a_conflict_still_ends_its_lease(
    stage: Stage, twin: Stage
) -> None:
    lease, _ = await stage.attach()

    await _meet_a_conflict(stage, twin, opens("q", by=BOB), detaches(lease))

    assert 30 in stage.clock.watched
    stage.clock.advance(30)
    await stage.settled(twin)
    assert AgentId("ada") not in (await stage.runner()).room.live.agents


async def test_what_comes_during_a_reload_is_decided_after_what_came_before(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    await twin.do(opens("other", by=BOB))
    await stage.settled(twin)
    stage.log.appending.close()
    await stage.submit(opens("q"))
    await stage.log.appending.arrived()
    stage.log.reading.close()
    _write_foreign(stage)
    stage.log.appending.open()
    await stage.log.reading.arrived()
    stage.devices.sent.clear()

    answered = await stage.submit(replies("q", ref=REF))
    listed = await stage.submit(ListPending(CommandId(""), PHONE.client_id))

    assert not answered.done()
    stage.log.reading.open()
    await stage.settled(twin)
    assert listed.done()
    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [
        Opened,
        Opened,
        Opened,
        Answered,
        HandedOver,
    ]
    [ack] = [m for m in stage.told() if isinstance(m, SendAck)]
    assert (ack.accepted, ack.seq) == (True, 4)


async def test_what_another_relay_appends_while_a_room_is_read_is_not_lost(stage: Stage) -> None:
    stage.log.reading.close()
    joining = await stage.begin(stage.do(logs_in(PHONE)))
    await stage.log.reading.arrived()

    _write_foreign(stage)
    stage.log.reading.open()
    await joining
    await stage.settled()

    assert [m.seq for m in stage.told() if isinstance(m, ShowRequest)] == [1]


async def test_what_another_relay_appends_while_a_conflict_is_read_is_not_lost(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    stage.log.appending.close()
    await stage.submit(opens("q"))
    await stage.log.appending.arrived()
    _write_foreign(stage, "foreign 1")
    stage.log.reading.close()
    stage.log.appending.open()
    await stage.log.reading.arrived()

    stage.log.reading.step()
    await stage.log.reading.arrived()
    _write_foreign(stage, "foreign 2")
    stage.log.reading.open()
    await stage.settled(twin)

    shown = [m for m in stage.told() if isinstance(m, ShowRequest)]
    assert [m.request.request_id for m in shown] == ["q", "foreign 1", "foreign 2"]


async def test_facts_that_were_read_before_they_were_announced_are_told_once(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    stage.log.silent = True

    await _meet_a_conflict(stage, twin, opens("q"))
    told, reads = len(stage.told()), stage.log.reads
    stage.log.announce()
    await stage.settled(twin)

    assert told == len(stage.told()) == 3
    assert stage.log.reads == reads


async def test_a_long_absence_is_delivered_page_by_page(stage: Stage, twin: Stage) -> None:
    stage.log.page_facts = 2
    await stage.join(PHONE)
    for number in range(3):
        _write_foreign(stage, f"foreign {number}")

    await stage.settled(twin)

    assert [m.seq for m in stage.told() if isinstance(m, ShowRequest)] == [1, 2, 3]


async def _meet_a_conflict(
    stage: Stage, twin: Stage, first: Command, *others: Command, flying: bool = True
) -> list[object]:
    """Submit commands; the append finds a card of another relay.

    `flying`: the others wait for the same append as the first, else behind it.
    """
    stage.log.appending.close()
    futures = [await stage.submit(first)]
    if not flying:
        await stage.log.appending.arrived()
    futures += [await stage.submit(command) for command in others]
    await stage.log.appending.arrived()
    _write_foreign(stage)
    stage.log.appending.open()
    await stage.settled(twin)
    return [future.result() for future in futures]


def _write_foreign(stage: Stage, request_id: str = "foreign") -> None:
    """What a third relay logs."""
    stage.log.write(ROOM, [opened(opens(request_id, by=BOB), f"third {request_id}")])


def _seq(message: Message) -> int:
    """The fact that a message reports; 0 for none. An Ack comes beside it."""
    return message.seq if isinstance(message, ShowRequest | ShowReply | ShowState) else 0


def _about(message: Message) -> str:
    if isinstance(message, ShowState):
        return message.update.request_id
    assert isinstance(message, ShowRequest)
    return message.request.request_id

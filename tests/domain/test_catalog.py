"""The catalog of a room: what devices offer, merged (design §4.2, §7)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import ApplicationId, ClientId, Ref
from lineup_srv.contract.offers import Offer, Refusal
from lineup_srv.contract.tools import Application
from lineup_srv.domain.call import OfferedTool, ToolKey, offered_tools
from lineup_srv.domain.call_effects import CatalogChanged, CatalogTouched, ShowRefusedTools
from lineup_srv.domain.call_facts import ToolForgotten, ToolRemembered
from lineup_srv.domain.catalog import Catalog, interactive_part, is_newer
from lineup_srv.domain.effects import Only, SendAck
from lineup_srv.domain.effects_of import changes_of
from lineup_srv.domain.offers import listed_tools
from tests.domain.playbook import LAPTOP, NOW, PHONE, device, logs_in
from tests.domain.toolbook import (
    CANVAS,
    CHOICE,
    MAIL,
    OTHER_SCHEMA,
    POMODORO,
    READS,
    ToolPlay,
    action,
    announces,
    key,
    matches,
    of_type_action,
    toolset,
)

TABLET = device("tablet")
REF = Ref("ref-tools-0000000")
OTHER_MAIL = toolset("mail", action("send", schema=OTHER_SCHEMA))
ASKS = toolset("asks", action("a", interactive=True))
MIXED = toolset("mixed", action("run"), action("ask", interactive=True))


def names(play: ToolPlay) -> dict[str, int]:
    """The catalog as agents see it: name → number of providers."""
    return {tool.definition.name: count for tool, count in listed_tools(play.room)}


def revision(play: ToolPlay) -> int:
    return play.room.live.catalog.revision


# Merging ----------------------------------------------------------------------------------------


def test_the_same_tool_of_two_devices_is_one_with_two_providers() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL, CANVAS)
    seen = revision(play)
    play.later(1)

    play.here(LAPTOP, MAIL, POMODORO)

    assert names(play) == {"canvas": 1, "mail": 2, "timer": 1}
    assert revision(play) == play.now > seen == NOW


def test_words_and_versions_do_not_make_another_tool() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    told = replace(MAIL.definition, description="E-Mail", version="7")
    send, rest = told.actions[0], told.actions[1:]
    told = replace(told, actions=(replace(send, description="Senden"), *rest))
    seen = revision(play)

    play.do(logs_in(LAPTOP))
    step = play.do(announces(LAPTOP, replace(MAIL, definition=told), ref=REF))

    assert not [e for e in step.effects if isinstance(e, ShowRefusedTools)]
    assert (names(play), revision(play)) == ({"mail": 2}, seen)
    assert play.room.live.catalog.find(key("mail")) == MAIL


def test_a_different_tool_with_the_same_name_is_refused_and_the_rest_stays() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.do(logs_in(LAPTOP))

    step = play.do(announces(LAPTOP, OTHER_MAIL, CANVAS, ref=REF))

    message = "another device offers a different tool named mail"
    conflict = Refusal(name="mail", code=ErrorCode.NAME_CONFLICT, message=message)
    to = Only(LAPTOP.client_id)
    ack = SendAck(to, REF, True, ErrorCode.UNSPECIFIED, "", 0)
    assert step.effects == (CatalogChanged(), ShowRefusedTools(to, REF, (conflict,)), ack)
    assert names(play) == {"canvas": 1, "mail": 1}
    assert play.room.live.catalog.find(key("mail")) == MAIL
    assert not play.do(matches(LAPTOP)).facts


def test_the_border_s_refusals_are_told_with_the_conflicts() -> None:
    play = ToolPlay()
    play.do(logs_in(PHONE))
    bad = Refusal(name="bad", code=ErrorCode.INVALID_ARGUMENT, message="x", field="tools[0]")

    step = play.do(announces(PHONE, MAIL, refused=(bad,)))

    assert ShowRefusedTools(Only(PHONE.client_id), Ref(""), (bad,)) in step.effects
    assert names(play) == {"mail": 1}


def test_the_refused_tool_takes_the_place_when_it_is_free() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.here(LAPTOP, OTHER_MAIL)
    seen = revision(play)

    play.gone(PHONE)

    assert play.room.live.catalog.find(key("mail")) == OTHER_MAIL
    assert revision(play) > seen


def test_a_newer_version_replaces_an_older_one() -> None:
    old, new = (of_type_action("choice", version=v) for v in ("1.9", "1.10"))
    new = replace(new, definition=replace(new.definition, input_schema_json=OTHER_SCHEMA))
    play = ToolPlay()
    play.here(PHONE, old)
    play.do(logs_in(LAPTOP))

    step = play.do(announces(LAPTOP, new))
    play.do(logs_in(TABLET))
    late = play.do(announces(TABLET, old))

    assert not [e for e in step.effects if isinstance(e, ShowRefusedTools)]
    assert [e for e in late.effects if isinstance(e, ShowRefusedTools)]
    assert play.room.live.catalog.find(key("choice")) == new
    play.gone(LAPTOP)
    assert play.room.live.catalog.find(key("choice")) == old


def test_a_miniapp_s_tools_have_its_version_and_a_name_of_their_own() -> None:
    newer = replace(
        POMODORO,
        application_version="1.0.1",
        definition=toolset("timer", action("start", schema=OTHER_SCHEMA)).definition,
    )
    play = ToolPlay()
    play.here(PHONE, POMODORO, toolset("timer"))
    play.here(LAPTOP, newer)

    tools = [(tool.application_id, tool.definition.name) for tool, _ in listed_tools(play.room)]
    assert tools == [("", "timer"), ("pomodoro", "timer")]
    assert play.room.live.catalog.find(key("timer", "pomodoro")) == newer


@pytest.mark.parametrize(
    ("version", "other", "newer"),
    [
        ("2", "1", True),
        ("1.10", "1.9", True),
        ("1.0", "1", False),
        ("1", "1", False),
        ("1", "2", False),
        ("1.0.1", "1", True),
        ("0", "", False),
        ("", "", False),
        ("1", "", False),
        ("", "1", False),
        ("2-beta", "1", False),
        ("²", "1", False),
        ("1" * 65, "1", False),
    ],
)
def test_versions_are_dotted_numbers(version: str, other: str, newer: bool) -> None:
    assert is_newer(version, other) is newer


def test_a_room_takes_so_many_tools_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TOOLS_PER_ROOM", 2)
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.do(logs_in(LAPTOP))

    step = play.do(announces(LAPTOP, CANVAS, MIXED, MAIL))

    [told] = [e for e in step.effects if isinstance(e, ShowRefusedTools)]
    assert [(r.name, r.code) for r in told.refused] == [("mixed", ErrorCode.RATE_LIMITED)]
    assert names(play) == {"canvas": 1, "mail": 2}


def test_an_announcement_replaces_the_one_before() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL, CANVAS)
    seen = revision(play)

    play.offers(PHONE, CANVAS)

    assert names(play) == {"canvas": 1}
    assert revision(play) > seen
    assert play.room.live.catalog.lost(key("mail")) is None
    assert list(play.room.live.catalog.offered_by(PHONE.client_id)) == [key("canvas")]
    play.offers(PHONE)
    assert play.room.live.catalog == Catalog(
        revision(play), {}, {}, {key("mail"): None, key("canvas"): None}
    )


def test_announcing_the_same_again_changes_nothing() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.here(LAPTOP, MAIL)
    seen = revision(play)
    play.offers(PHONE, MAIL)
    assert revision(play) == seen
    assert list(play.room.live.catalog.providers(key("mail"))) == [
        PHONE.client_id,
        LAPTOP.client_id,
    ]


def test_a_client_that_is_gone_announces_nothing() -> None:
    play = ToolPlay()
    step = play.do(announces(PHONE, MAIL, ref=REF))
    assert (step.effects, names(play)) == ((), {})
    assert play.do(matches(PHONE)).facts == ()
    assert play.gone(PHONE).effects == ()


def test_a_device_without_tools_leaves_the_catalog_alone() -> None:
    play = ToolPlay()
    play.do(logs_in(PHONE))
    assert CatalogChanged() not in play.gone(PHONE).effects


def test_a_device_that_goes_takes_its_tools_along() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    seen = revision(play)

    step = play.gone(PHONE)

    assert CatalogChanged() in step.effects
    assert (names(play), play.room.live.catalog.lost(key("mail"))) == ({}, MAIL)
    assert revision(play) > seen


def test_a_room_knows_only_so_many_tools_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TOOLS_LOST", 2)
    play = ToolPlay()
    tools = [toolset(name) for name in "abc"]
    play.here(PHONE, *tools)
    play.gone(PHONE)
    catalog = play.room.live.catalog
    assert [catalog.lost(tool.key) for tool in tools] == [None, *tools[1:]]


def test_an_offer_is_all_tools_under_their_names_in_the_room() -> None:
    timer = POMODORO.definition
    offer = Offer(
        tools=(MAIL.definition,),
        applications=(
            Application(id="pomodoro", version="1.0.0", title="Pomodoro", tools=(timer,)),
        ),
    )
    assert offered_tools(offer) == (MAIL, POMODORO)


@pytest.mark.requirement("design:calls:catalog-storm")
def test_a_hundred_devices_with_the_same_tools_change_the_catalog_once() -> None:
    play = ToolPlay()
    revisions = set()
    for number in range(100):
        play.later(1)
        play.here(device(f"device{number}"), MAIL, CHOICE, CANVAS)
        revisions.add(revision(play))
    assert len(revisions) == 1
    assert set(names(play).values()) == {100}
    for number in range(99):
        play.later(1)
        play.gone(device(f"device{number}"))
        revisions.add(revision(play))
    assert len(revisions) == 1


# What stays while phones sleep ------------------------------------------------------------------


def test_interactive_tools_stay_while_phones_sleep_and_after_a_restart() -> None:
    play = ToolPlay()
    step = play.here(PHONE, CHOICE, MAIL)
    assert [type(f) for f in step.facts] == [ToolRemembered]
    seen = revision(play)

    play.gone(PHONE)
    assert names(play) == {"choice": 0}
    play.here(PHONE, CHOICE)
    play.gone(PHONE)
    play.restart()

    assert names(play) == {"choice": 0}
    assert revision(play) == 0 < seen


def test_a_tool_whose_devices_sleep_keeps_what_a_human_answers() -> None:
    play = ToolPlay()
    play.here(PHONE, MIXED)
    seen = revision(play)
    play.gone(PHONE)
    [(left, count)] = listed_tools(play.room)
    assert count == 0
    assert [a.name for a in left.definition.operations()] == ["ask"]
    assert revision(play) > seen


def test_a_purely_interactive_tool_comes_and_goes_without_a_change() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    seen = revision(play)
    play.later(1)
    play.gone(PHONE)
    play.here(LAPTOP, CHOICE)
    assert revision(play) == seen


def test_a_tool_is_remembered_once() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    assert play.here(LAPTOP, CHOICE).facts == ()
    assert play.offers(PHONE, CHOICE).facts == ()


def test_other_words_are_not_remembered_again() -> None:
    told = replace(CHOICE, definition=replace(CHOICE.definition, description="Auswahl"))
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    play.gone(PHONE)
    assert play.here(LAPTOP, told).facts == ()


def test_a_tool_that_is_taken_back_does_not_stay() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE, MAIL)
    play.do(announces(PHONE, MAIL))
    assert names(play) == {"mail": 1}

    step = play.do(matches(PHONE))

    assert [type(f) for f in step.facts] == [ToolForgotten]
    assert step.told == (CatalogChanged(),)
    play.gone(PHONE)
    assert names(play) == {}


def test_a_tool_that_lost_its_interactive_actions_is_forgotten() -> None:
    play = ToolPlay()
    play.here(PHONE, MIXED)
    step = play.offers(PHONE, toolset("mixed", action("run")))
    assert [type(f) for f in step.facts] == [ToolForgotten]
    play.gone(PHONE)
    assert names(play) == {}


def test_what_is_there_counts_more_than_what_is_remembered() -> None:
    other = of_type_action("choice", schema=OTHER_SCHEMA)
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    play.gone(PHONE)

    step = play.here(LAPTOP, other)

    assert [f.tool for f in step.facts if isinstance(f, ToolRemembered)] == [other]
    play.gone(LAPTOP)
    assert [tool for tool, _ in listed_tools(play.room)] == [other]


def test_a_room_remembers_only_so_many_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REMEMBERED_TOOLS_PER_ROOM", 2)
    play = ToolPlay()
    play.here(PHONE, *(of_type_action(name) for name in "abc"))
    play.gone(PHONE)
    assert names(play) == {"b": 0, "c": 0}


def test_what_the_log_remembers_makes_a_revision() -> None:
    play = ToolPlay()
    step = play.here(PHONE, CHOICE)
    assert changes_of(step.facts[0]) == (CatalogTouched(NOW),)
    assert play.room.logged.calls.remembered == {CHOICE.key: CHOICE}


@pytest.mark.parametrize(
    ("tool", "left"),
    [
        (MAIL, None),
        (CHOICE, CHOICE),
        (of_type_action("calm", interactive=False), None),
        (
            toolset("all", action("a", interactive=True)),
            toolset("all", action("a", interactive=True)),
        ),
        (MIXED, toolset("mixed", action("ask", interactive=True))),
    ],
)
def test_only_what_a_human_answers_is_left_of_a_tool(
    tool: OfferedTool, left: OfferedTool | None
) -> None:
    assert interactive_part(tool) == left


# Whatever happens ------------------------------------------------------------------------------

CLIENTS = [ClientId(name) for name in "abc"]
TOOLS = [
    MAIL,
    OTHER_MAIL,
    replace(MAIL, definition=replace(MAIL.definition, description="other words")),
    CHOICE,
    replace(CHOICE, definition=replace(CHOICE.definition, version="2", interactive=False)),
    toolset("light", action("on", hints=READS)),
    replace(MAIL, application_id=ApplicationId("app")),
]
OFFERS = st.lists(st.sampled_from(TOOLS), max_size=4, unique_by=lambda tool: tool.key)


@given(st.lists(st.tuples(st.sampled_from(CLIENTS), OFFERS | st.none()), max_size=20))
def test_the_catalog_is_what_its_devices_offer(
    story: list[tuple[ClientId, list[OfferedTool] | None]],
) -> None:
    catalog = Catalog()
    offers: dict[ClientId, dict[ToolKey, OfferedTool]] = {}
    for now, (client_id, tools) in enumerate(story, start=1):
        before, seen = catalog.revision, {t.key: t for t in catalog.tools()}
        if tools is None:
            catalog.drop(client_id, now)
            offers.pop(client_id, None)
        else:
            catalog.put(client_id, tuple(tools), now)
            offers[client_id] = {tool.key: tool for tool in tools}
        shown = {t.key: t for t in catalog.tools()}
        assert shown.keys() == {k for offer in offers.values() for k in offer}
        for tool_key, tool in shown.items():
            providers = catalog.providers(tool_key)
            assert providers
            assert tool in [offer[tool_key] for offer in offers.values() if tool_key in offer]
            for client in providers:
                assert tool_key in offers[client]
        assert catalog.revision > before or shown == seen or interactive_changes(seen, shown)


def interactive_changes(
    seen: dict[ToolKey, OfferedTool], shown: dict[ToolKey, OfferedTool]
) -> bool:
    """Whether all that differs stays visible, because humans answer it."""
    changed = [k for k in seen.keys() | shown.keys() if seen.get(k) != shown.get(k)]
    return all(
        interactive_part(tool) == tool
        for k in changed
        for tool in (seen.get(k), shown.get(k))
        if tool is not None
    )

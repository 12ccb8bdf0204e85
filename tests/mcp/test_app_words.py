"""The words about tools of devices: lists that fit, progress that grows, results as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_mcp import call_words
from lineup_mcp.answers import INLINE_BYTES
from lineup_mcp.tools.app_listing import listed, not_offered
from lineup_mcp.tools.call_arguments import read_call
from lineup_mcp.tools.listing import Listing
from lineup_mcp.tools.reading import ArgumentError
from lineup_mcp.tools.signs import Signs
from lineup_mcp.whereabouts import Sight, Who
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from tests.mcp.tools import CANVAS, CHOICE, POMODORO, action, offer, toolset

if TYPE_CHECKING:
    from collections.abc import Mapping

Seen = list[tuple[float, float | None, str | None]]


def succeeded(result_json: str) -> str:
    """The text of a result."""
    update = tool_pb2.ToolCallUpdate(phase=tool_pb2.CALL_PHASE_SUCCEEDED, result_json=result_json)
    told = relay_pb2.CallToolResponse(update=update)
    return call_words.ended(told, label="a: b", arguments="{}", interactive=False).text


@pytest.mark.parametrize(
    ("result_json", "text"),
    [
        ('{"message":"3"}', "3"),
        ('{"message":"open","instance_id":"i1"}', 'open\n{"instance_id":"i1"}'),
        ('{"n":1e400,"message":"big"}', 'big\n{"n":1e400}'),
        ('{"exact":0.1000000000000000000001}', '{"exact":0.1000000000000000000001}'),
        ('{"message":{"no":"text"}}', '{"message":{"no":"text"}}'),
        ("[1,2]", "[1,2]"),
        ("{}", "Done: a: b succeeded."),
        ("", "Done: a: b succeeded."),
        ('{"message":""}', "Done: a: b succeeded."),
    ],
)
def test_the_message_comes_first_and_numbers_stay_as_they_were(result_json: str, text: str) -> None:
    assert succeeded(result_json) == text


def test_a_result_that_is_too_long_goes_to_a_file() -> None:
    text = succeeded('{"message":"done","rows":"' + "x" * INLINE_BYTES + '"}')
    assert text.startswith("done\n")
    assert "in this file" in text
    assert len(text) < INLINE_BYTES


def test_a_list_that_is_long_leaves_the_schemas_out() -> None:
    tools = [
        toolset(f"tool{n}", *(action(f"act{m}", description="words " * 40) for m in range(8)))
        for n in range(6)
    ]
    listing = offer(Listing((), 32), *tools, CANVAS)
    all_ = listed(listing, only="", devices_online=2, attached=True).text
    assert "\n  draw(instance_id, path) [canvas_draw]: Does draw.\n" in all_
    assert "\n  open() [canvas_open]: Does open.\n" in all_
    assert "For the JSON Schemas of a tool call lineup_list_tools with its name." in all_
    one = listed(listing, only="canvas", devices_online=2, attached=True).text
    assert '"required":["instance_id","path"]' in one
    assert "tool0" not in one


def test_a_list_names_applications_and_what_waits_for_a_human() -> None:
    listing = offer(Listing((), 32), CHOICE, applications=[POMODORO])
    text = listed(listing, only="", devices_online=1, attached=True).text
    assert text.startswith("3 actions on 1 device. ")
    assert '\ntimer (application "com.example.pomodoro")\n' in text
    assert "  choice [choice] (a human answers): Lets the human choose." in text


def test_what_is_not_offered_says_what_is() -> None:
    listing = offer(Listing((), 32), CANVAS, *(toolset(f"t{n}", action("a")) for n in range(60)))
    text = listed(listing, only="nothing", devices_online=1, attached=True).text
    what, known, step = text.splitlines()
    assert what.endswith("no connected device offers nothing; nothing was run.")
    assert known.startswith("Offered now: canvas, t0, ")
    assert known.endswith(" and 11 more.")
    assert step.startswith("Next step: call lineup_call_tool with one of these names.")


@pytest.mark.parametrize(
    ("tool", "action", "meant"),
    [
        ("canvas", "drow", "Did you mean draw?\ncanvas has the actions open, draw, clear."),
        ("canvas", "Draw", "Did you mean draw?\n"),
        ("canvs", "draw", "Did you mean canvas?\nOffered now: canvas, choice."),
        ("Canvas.Draw", "", "Did you mean canvas_draw?\n"),
        ("mcp__lineup__canvas_draw", "", "Did you mean canvas_draw?\n"),
        ("weather", "today", "nothing was run.\nOffered now: canvas, choice.\n"),
        ("c" * 200, "", "nothing was run.\nOffered now: "),
    ],
)
def test_a_wrong_name_is_told_the_nearest_one(tool: str, action: str, meant: str) -> None:
    listing = offer(Listing((), 32), CANVAS, CHOICE)
    assert meant in not_offered(listing, tool, action).text


def test_a_tool_of_our_own_is_no_tool_of_a_device() -> None:
    text = not_offered(offer(Listing(), CANVAS), "ask_question", "").text
    assert text.endswith("Next step: ask_question is a tool of LineUp itself; call it directly.")


def test_where_nothing_is_offered_no_name_is_asked_for() -> None:
    nothing = offer(Listing())
    for text in (
        not_offered(nothing, "canvas", "draw").text,
        listed(nothing, only="canvas", devices_online=1, attached=True).text,
    ):
        assert "\nNo device offers any tool now.\nNext step: ask the human to open " in text
        assert "lineup-mcp --web" in text
        assert "one of these names" not in text
    empty = listed(nothing, only="", devices_online=0, attached=True).text
    assert "Next step: ask the human to open the LineUp page" in empty


def test_a_relay_that_is_away_offers_nothing_and_denies_nothing() -> None:
    text = listed(Listing(), only="canvas", devices_online=0, attached=False).text
    assert text.startswith("The relay cannot be reached now; no tool canvas was known last.\n")
    assert "No connected device" not in text


def test_much_that_is_left_out_is_counted() -> None:
    many = (toolset(f"t{n}", action("a")) for n in range(70))
    text = listed(offer(Listing((), 0), *many), only="", devices_online=1, attached=True).text
    assert "Not among your tools:" in text
    assert text.endswith("  and 20 more")


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, "name"),
        ({"action": "draw"}, "name"),
        ({"name": ["canvas"]}, "name"),
        ({"name": "canvas", "arguments": "{"}, "arguments"),
        ({"name": "canvas", "arguments": [1]}, "arguments"),
        ({"name": "canvas", "timeout": "soon"}, "timeout"),
        ({"call_id": "x" * 129}, "call_id"),
    ],
)
def test_arguments_that_cannot_be_understood_are_named(
    raw: Mapping[str, object], field: str
) -> None:
    with pytest.raises(ArgumentError) as error:
        read_call(raw)
    assert error.value.field == field


def test_arguments_are_read_forgivingly() -> None:
    assert read_call({"name": "x", "arguments": None}).arguments == {}
    assert read_call({"name": "x", "arguments": " "}).arguments == {}
    assert read_call({"name": "x", "arguments": '{"a":1}'}).arguments == {"a": 1}
    assert read_call({"name": "x", "timeout": 1}).timeout_seconds == 60
    assert read_call({"name": "x", "call_id": "c"}).name == ""


class TestSigns:
    async def test_numbers_grow_whoever_they_come_from(self) -> None:
        seen: Seen = []

        async def send(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            seen.append((progress, total, message))

        signs = Signs(send)
        await signs.hear(tool_pb2.ToolCallUpdate(phase=tool_pb2.CALL_PHASE_UNSPECIFIED))
        await signs.beat(15, 600, "waits")
        await signs.hear(tool_pb2.ToolCallUpdate(phase=tool_pb2.CALL_PHASE_STARTED))
        await signs.hear(
            tool_pb2.ToolCallUpdate(
                phase=tool_pb2.CALL_PHASE_PROGRESS, progress=20, total=30, message="y" * 300
            )
        )
        await signs.beat(30, 600)
        await signs.beat(45, 600)
        numbers = [number for number, _, _ in seen]
        assert numbers == sorted(set(numbers))
        words = [message for _, _, message in seen]
        assert words == ["waits", "the app runs", *["y" * 200] * 3]
        assert numbers[2] == 20
        assert [total for _, total, _ in seen[2:]] == [30, 30, 30]

    async def test_a_program_that_reads_nothing_is_no_harm(self) -> None:
        async def send(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            raise BrokenPipeError

        update = tool_pb2.ToolCallUpdate(phase=tool_pb2.CALL_PHASE_PROGRESS, progress=1)
        await Signs(send).hear(update)
        await Signs(None).hear(update)


def test_a_call_that_may_have_run_is_not_to_be_made_again() -> None:
    sight = Sight(target="127.0.0.1:1", grpc_port=2, who=Who.NOBODY, holder=None)
    gone = call_words.unreachable(sight, call_id="c1", label="a: b", arguments="{}", sent=True)
    assert "whether the call ran is not known" in gone.text
    assert 'lineup_call_tool with call_id="c1"' in gone.text
    assert "already waits for 7 calls" in call_words.too_many(7).text

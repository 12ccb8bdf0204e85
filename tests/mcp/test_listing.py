"""What `tools/list` says: names that stay, a bounded number of whole tools, what is remembered."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.catalog_file import CatalogFile
from lineup_mcp.tools.listing import RESERVED, Listing
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import tool_pb2
from tests.mcp.tools import CALCULATOR, CANVAS, CHOICE, POMODORO, action, offer, toolset

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000_000
DAY = 86_400_000
TOKEN = "a-secret-of-the-user"


def apps(listing: Listing) -> list[str]:
    """The names of what devices offer, as listed."""
    names = [str(tool["name"]) for tool in listing.definitions]
    return [name for name in names if name not in RESERVED]


def test_the_order_of_devices_does_not_matter() -> None:
    one = offer(Listing((), 32), CANVAS, CALCULATOR, CHOICE, applications=[POMODORO])
    other = offer(Listing((), 32), CHOICE, CALCULATOR, CANVAS, applications=[POMODORO])
    assert one.definitions == other.definitions
    assert apps(one) == [
        "calculator_add",
        "calculator_divide",
        "canvas_open",
        "canvas_draw",
        "canvas_clear",
        "choice",
        "timer_start",
        "timer_stop",
    ]


def test_whole_tools_are_offered_as_long_as_there_is_room() -> None:
    large = toolset("alarm", *(action(f"number{number}") for number in range(30)))
    listing = offer(Listing((), 6), large, CANVAS, CHOICE, CALCULATOR)
    assert apps(listing) == [
        "calculator_add",
        "calculator_divide",
        "canvas_open",
        "canvas_draw",
        "canvas_clear",
        "choice",
    ]
    (dropped,) = listing.overflow
    assert dropped.what == "alarm"
    assert dropped.reason == "more than 6 actions: call it by lineup_call_tool"
    assert listing.offers("alarm_number29")
    assert apps(offer(Listing((), 0), CHOICE)) == []


def test_a_name_once_given_stays_whoever_comes() -> None:
    first = toolset("a_b", action("c"))
    second = toolset("a", action("b_c"))
    listing = offer(Listing((), 32), first)
    assert apps(listing) == ["a_b_c"]
    offer(listing, second, first)
    (hashed,) = set(apps(listing)) - {"a_b_c"}
    assert listing.known["a_b_c"].key.tool == "a_b"
    assert listing.known[hashed].key.tool == "a"
    assert len(hashed) <= limits.MCP_NAME_CHARACTERS
    offer(listing, second)
    assert apps(listing) == [hashed]
    # It means what it meant, also to a program that has not asked again.
    assert listing.offers("a_b_c")


def test_no_device_takes_a_name_of_ours() -> None:
    evil = toolset("lineup", action("call_tool"), action("list_tools"))
    asker = tool_pb2.ToolDefinition(
        name="ask_question",
        type=tool_pb2.TOOL_TYPE_ACTION,
        description="Mine!",
        input_schema_json='{"type":"object"}',
    )
    listing = offer(Listing((), 32), evil, asker)
    assert len(apps(listing)) == 3
    assert len({str(tool["name"]) for tool in listing.definitions}) == len(listing.definitions)


def test_an_action_that_programs_cannot_take_is_left_out_alone() -> None:
    recursive = {
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    large = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(2_000)}}
    broken = tool_pb2.ActionDefinition(name="broken", input_schema_json="{")
    tool = toolset("mixed", action("good"), action("loop", recursive), action("huge", large))
    tool.actions.append(broken)
    listing = offer(Listing((), 32), tool)
    assert apps(listing) == ["mixed_good"]
    assert [one.what for one in listing.refused] == [
        "mixed: loop",
        "mixed: huge",
        "mixed: broken",
    ]
    assert all(one.reason for one in listing.refused)


def test_hostile_definitions_stay_within_bounds() -> None:
    tools = [
        toolset("画板", action("打开", description="<script>alert(1)</script>" * 1_000)),
        toolset("画笔", action("打开")),
        toolset("x" * 200, action("y" * 200)),
        toolset("a.b-c d", action("E F")),
        toolset("many", *(action(f"n{number}") for number in range(10_000))),
    ]
    listing = offer(Listing((), 32), *tools)
    names = list(listing.known)
    assert len(names) == 10_004 or len(names) == limits.REMEMBERED_ACTIONS
    for tool in listing.definitions:
        assert len(str(tool["name"])) <= limits.MCP_NAME_CHARACTERS
        assert len(str(tool["description"])) <= limits.TOOL_DESCRIPTION_CHARACTERS
    assert "a_b_c_d_e_f" in apps(listing)


def test_names_that_mean_nothing_any_more_are_given_up_at_last() -> None:
    listing = Listing((), 32)
    for start in range(0, 3 * limits.REMEMBERED_ACTIONS, 500):
        actions = (action(f"n{number}") for number in range(start, start + 500))
        offer(listing, toolset("t", *actions))
    assert len(listing.known) <= limits.REMEMBERED_ACTIONS
    assert len(listing.current) == 500
    assert set(listing.current) <= listing.known.keys()


class TestFile:
    def saved(self, directory: Path, now: int = NOW) -> CatalogFile:
        file = CatalogFile(directory, "127.0.0.1:1", TOKEN)
        listing = offer(Listing((), 32), CANVAS, CHOICE)
        file.save(listing.known, listing.current, now)
        return file

    def again(self, directory: Path, now: int = NOW) -> Listing:
        """As the next process finds it."""
        file = CatalogFile(directory, "127.0.0.1:1", TOKEN)
        return Listing((), 32, file.load(RESERVED, now))

    def test_the_next_process_lists_the_same(self, tmp_path: Path) -> None:
        self.saved(tmp_path)
        fresh = offer(Listing((), 32), CANVAS, CHOICE)
        assert self.again(tmp_path).definitions == fresh.definitions

    def test_only_its_user_reads_it_and_no_token_is_in_it(self, tmp_path: Path) -> None:
        file = self.saved(tmp_path / "deep" / "er")
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
        assert os.listdir(file.path.parent) == [file.path.name]  # noqa: PTH208 - names only
        text = f"{file.path}{file.path.read_text()}"
        assert TOKEN not in text

    def test_each_relay_and_token_has_its_own(self, tmp_path: Path) -> None:
        pairs = [("127.0.0.1:1", "a"), ("127.0.0.1:1", "b"), ("127.0.0.1:2", "a")]
        assert len({CatalogFile(tmp_path, *pair).path for pair in pairs}) == 3

    def test_what_was_not_seen_for_14_days_is_left_out(self, tmp_path: Path) -> None:
        self.saved(tmp_path)
        assert apps(self.again(tmp_path, NOW + 14 * DAY))
        assert apps(self.again(tmp_path, NOW + 14 * DAY + 1)) == []
        file = CatalogFile(tmp_path, "127.0.0.1:1", TOKEN)
        listing = Listing((), 32, file.load(RESERVED, NOW))
        offer(listing, CHOICE)
        file.save(listing.known, listing.current, NOW + 15 * DAY)
        assert apps(self.again(tmp_path, NOW + 15 * DAY)) == ["choice"]

    def test_what_nobody_offers_now_is_remembered(self, tmp_path: Path) -> None:
        file = self.saved(tmp_path)
        listing = Listing((), 32, file.load(RESERVED, NOW))
        offer(listing, CHOICE)
        file.save(listing.known, listing.current, NOW + DAY)
        assert "canvas_open" in apps(self.again(tmp_path, NOW + DAY))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            "null",
            '{"format": 2, "actions": []}',
            '{"format": 1}',
            '{"format": 1, "actions": 7}',
            '{"format": 1, "actions": [7, null, {}]}',
            "[" * 100_000,
            '{"format": 1, "actions": [' + " " * limits.CATALOG_FILE_BYTES + "]}",
        ],
        ids=range(10),
    )
    def test_a_file_that_is_none_is_no_harm(self, tmp_path: Path, text: str) -> None:
        file = CatalogFile(tmp_path, "127.0.0.1:1", TOKEN)
        file.path.write_text(text)
        assert file.load(RESERVED, NOW) == {}

    def test_a_pipe_in_its_place_does_not_block(self, tmp_path: Path) -> None:
        file = CatalogFile(tmp_path, "127.0.0.1:1", TOKEN)
        os.mkfifo(file.path)
        assert file.load(RESERVED, NOW) == {}

    @pytest.mark.parametrize(
        "change",
        [
            {"name": "ask_question"},
            {"name": "Canvas Open"},
            {"name": "x" * 41},
            {"name": 7},
            {"seen": "now"},
            {"tool": ""},
            {"tool": "x" * 201},
            {"description": "x" * 2_001},
            {"description": None},
            {"schema": []},
            {"schema": {"type": "string"}},
            {"read_only": 1},
        ],
        ids=str,
    )
    def test_an_entry_that_has_not_its_form_is_left_out_alone(
        self, tmp_path: Path, change: dict[str, object]
    ) -> None:
        file = self.saved(tmp_path)
        read = json.loads(file.path.read_text())
        read["actions"][0] |= change
        count = len(read["actions"])
        file.path.write_text(json.dumps(read))
        assert len(CatalogFile(tmp_path, "127.0.0.1:1", TOKEN).load(RESERVED, NOW)) == count - 1

    def test_two_entries_of_one_name_or_action_are_one(self, tmp_path: Path) -> None:
        file = self.saved(tmp_path)
        read = json.loads(file.path.read_text())
        first = read["actions"][0]
        read["actions"] += [first, {**first, "name": "other"}]
        file.path.write_text(json.dumps(read))
        found = CatalogFile(tmp_path, "127.0.0.1:1", TOKEN).load(RESERVED, NOW)
        assert len(found) == len(read["actions"]) - 2

    def test_it_never_grows_beyond_its_limit(self, tmp_path: Path) -> None:
        file = CatalogFile(tmp_path, "127.0.0.1:1", TOKEN)
        listing = Listing((), 32)
        words = "word " * 390
        many = toolset("t", *(action(f"n{n}", description=words) for n in range(1_000)))
        offer(listing, many)
        file.save(listing.known, listing.current, NOW)
        assert file.path.stat().st_size <= limits.CATALOG_FILE_BYTES
        assert 400 < len(CatalogFile(tmp_path, "127.0.0.1:1", TOKEN).load(RESERVED, NOW)) < 1_000

    def test_a_directory_that_cannot_be_written_is_no_harm(self, tmp_path: Path) -> None:
        (tmp_path / "taken").write_text("")
        file = CatalogFile(tmp_path / "taken", "127.0.0.1:1", TOKEN)
        file.save({}, (), NOW)
        assert file.load(RESERVED, NOW) == {}

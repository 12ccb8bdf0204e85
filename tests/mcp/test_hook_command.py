"""`lineup-mcp hook` and `lineup-mcp permissions`: options, limits, and exits that stop nobody."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from lineup_mcp import hook_run, standing
from lineup_mcp.cli import main
from lineup_mcp.commands import hook as module
from lineup_mcp.installer.hooks import HOOK_EVENTS
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from click.testing import Result

STEP = {
    "hook_event_name": "PermissionRequest",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -r build"},
}


@pytest.fixture(autouse=True)
def _no_relay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers, and it is found out soon."""
    monkeypatch.setattr("lineup_srv.contract.limits.UNREACHABLE_SECONDS", 0.1)
    monkeypatch.setenv("LINEUP_PORT", "1")
    monkeypatch.setenv("LINEUP_GRPC_PORT", "1")


def run(*arguments: str, told: object = None) -> Result:
    raw = told if isinstance(told, str) else json.dumps(told)
    return CliRunner().invoke(main, arguments, input=raw)


def test_the_installer_gives_every_hook_more_time_than_it_takes() -> None:
    decides = module.ANSWER_SECONDS + hook_run.MARGIN_SECONDS
    assert decides < HOOK_EVENTS["PermissionRequest"]
    assert all(
        seconds > hook_run.SECONDS
        for event, seconds in HOOK_EVENTS.items()
        if event != "PermissionRequest"
    )


@pytest.mark.parametrize(
    ("options", "behavior"),
    [([], None), (["--without-answer", "deny"], "deny"), (["--without-answer", "allow"], "allow")],
)
@pytest.mark.parametrize("port", ["1", "no number"])
def test_without_a_relay_or_a_configuration_it_does_what_was_set(
    options: list[str], behavior: str | None, port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEUP_PORT", port)
    result = run("hook", *options, told=STEP)
    if behavior is None:
        assert result.stdout == ""
    else:
        told = json.loads(result.stdout)["hookSpecificOutput"]["decision"]
        assert told["behavior"] == behavior
    # Never 2, by which a hook stops what its program is about to do.
    assert result.exit_code == (0 if port == "1" else 1)


@pytest.mark.parametrize("told", ["", "{", "[1]", '"text"', "1" * 10, '{"hook_event_name": "New"}'])
def test_what_is_no_hook_stops_nothing(told: str) -> None:
    result = run("hook", told=told)
    assert result.stdout == ""
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize(
    "wrong",
    [
        ["--bad"],
        ["--timeout"],
        ["--timeout", "0"],
        ["--timeout", "soon"],
        ["--without-answer", "maybe"],
        ["one", "too", "many"],
    ],
)
def test_a_hook_that_is_called_wrongly_stops_nothing(wrong: list[str]) -> None:
    result = run("hook", *wrong, told="{}")
    assert result.exit_code == 1
    assert "Error: " in result.stderr


def test_a_run_that_hangs_is_ended_with_what_was_set(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    ended = threading.Event()
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        ended.set()

    monkeypatch.setattr("os._exit", end)
    running = hook_run.HookRun(None, lambda reason: {"why": reason})  # type: ignore[arg-type] # unused
    running._end({"why": "late"})
    running._put({"why": "too late"})
    assert ended.is_set()
    assert codes == [0]
    assert capfdbinary.readouterr().out.strip() == b'{"why": "late"}'


# ---- permissions --------------------------------------------------------------------------------


def test_nothing_is_allowed_at_first() -> None:
    result = run("permissions")
    assert (result.exit_code, result.output) == (
        0,
        "Nothing is allowed for a whole session.\n",
    )


def test_permissions_are_listed_and_taken_back() -> None:
    first = standing.give("one", "Bash", "make\ttest\x1b[2J", "Ann on web")
    second = standing.give("two", "Edit", "/project/a", "Bob\x1b]0;x")
    assert first is not None
    assert second is not None
    listed = run("permissions").output
    assert f"{first.id}  Bash: make test?[2J  (by Ann on web, " in listed
    assert "\x1b" not in listed

    assert run("permissions", "revoke", "unknown").exit_code == 1
    assert run("permissions", "revoke").exit_code == 2
    assert run("permissions", "revoke", first.id, "--all").exit_code == 2
    assert run("permissions", "revoke", first.id).output == f"Taken back: {first.id}\n"
    assert [one.id for one in standing.standing()] == [second.id]
    assert run("permissions", "revoke", "--all").exit_code == 0
    assert standing.standing() == []


def test_permissions_are_bounded_in_number_and_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STANDING_PERMISSIONS", 1)
    assert standing.give("one", "Bash", "make", "Ann") is not None
    assert standing.give("one", "Bash", "make test", "Ann") is None
    assert standing.find("one", "Bash", "make") is not None
    monkeypatch.setattr(limits, "STANDING_PERMISSION_SECONDS", -1)
    assert standing.find("one", "Bash", "make") is None
    assert standing.standing() == []


def test_a_damaged_or_foreign_file_allows_nothing() -> None:
    given = standing.give("one", "Bash", "make", "Ann")
    assert given is not None
    path = standing._path(given.id)
    for content in ("", "[]", "{}", path.read_text().replace('"make"', '"rm -rf /"')):
        path.write_text(content)
        assert standing.find("one", "Bash", "make") is None
        assert standing.find("one", "Bash", "rm -rf /") is None

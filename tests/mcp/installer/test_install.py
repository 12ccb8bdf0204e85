"""`install` and `uninstall` as they are typed, on files as people have them."""

from __future__ import annotations

import errno
import json
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tomli
from click.testing import CliRunner
from ruamel.yaml import YAML

from lineup_mcp.cli import main
from lineup_mcp.installer.places import Place, Scope
from lineup_mcp.installer.plan import Change
from lineup_mcp.installer.program import Server
from lineup_mcp.installer.programs import PROGRAMS
from lineup_mcp.installer.rules import RULES, with_rules, without_rules
from lineup_mcp.installer.start import make_server
from lineup_mcp.installer.writing import CannotWrite, read_text, write

if TYPE_CHECKING:
    from click.testing import Result

TOKEN = "a-secret-token-of-the-tests"
DAY_MS = 86_400_000
HERMES = ["--agent", "hermes", "--tools"]
WAIT = ["--wait-slice", "86000"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory, with the working directory in a project beside it."""
    home, project = tmp_path / "user", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CODEX_HOME", "HERMES_HOME", "LINEUP_TOKEN", "LINEUP_HOST", "LINEUP_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return home


def run(*words: str, status: int = 0) -> Result:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == status, result.output
    return result


def tree(directory: Path) -> dict[str, bytes]:
    """Every file below, but for the copies that are kept."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and "backups" not in path.parts
    }


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("program", list(PROGRAMS))
def test_a_second_run_changes_nothing_and_uninstall_leaves_nothing(
    home: Path, program: str, scope: str
) -> None:
    if scope == "project" and program in ("hermes", "cline"):
        assert (
            "no configuration of a project"
            in run("install", program, "--scope", scope, status=2).output
        )
        return
    run("install", program, "--scope", scope, "--rules")
    installed = tree(home.parent)
    assert installed
    again = run("install", program, "--scope", scope, "--rules")
    assert "Nothing to change." in again.output
    assert tree(home.parent) == installed
    run("uninstall", program, "--scope", scope)
    assert tree(home.parent) == {}
    assert "Nothing to change." in run("uninstall", program, "--scope", scope).output


@pytest.mark.requirement("B04")
def test_claude_code_gets_its_limits_and_keeps_the_rest(home: Path) -> None:
    servers = home / ".claude.json"
    servers.write_text(
        '{\n  "numStartups": 7,\n  "mcpServers": {\n    "x": {"command": "y"}\n  }\n}'
    )
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n  "permissions": {\n    "allow": [\n      "Bash(ls)"\n    ]\n  }\n}\n')
    before = tree(home)
    run("install", "claude")
    entry = json.loads(servers.read_text())["mcpServers"]["lineup"]
    assert entry["timeout"] == DAY_MS
    assert entry["type"] == "stdio"
    said = json.loads(settings.read_text())
    assert said["env"] == {"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS": "0"}
    assert said["permissions"]["allow"] == ["Bash(ls)", "mcp__lineup"]
    run("uninstall", "claude")
    assert tree(home) == before


@pytest.mark.requirement("B94")
def test_codex_waits_for_its_tools_and_does_not_ask(home: Path) -> None:
    config = home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('# mine\nmodel = "x"\n\n[tui] # looks\nnotifications = true\n')
    before = tree(home)
    run("--host", "relay.example", "--port", "443", "--token", TOKEN, "install", "codex")
    entry = tomli.loads(config.read_text())["mcp_servers"]["lineup"]
    assert entry["required"] is True
    assert entry["tool_timeout_sec"] == 86_400
    assert entry["supports_parallel_tool_calls"] is True
    assert entry["default_tools_approval_mode"] == "approve"
    # It hands its own environment to nobody.
    assert entry["env"] == {
        "LINEUP_HOST": "relay.example",
        "LINEUP_PORT": "443",
        "LINEUP_TOKEN": TOKEN,
    }
    run("uninstall", "codex")
    assert tree(home) == before


def test_hermes_gets_two_entries(home: Path) -> None:
    config = home / ".hermes" / "config.yaml"
    config.parent.mkdir()
    config.write_text("# mine\nmcp_discovery_timeout: 30 # slow\nmcp_servers: {}\nmodel: 'x'\n")
    run("install", "hermes")
    said = YAML(typ="safe").load(config.read_text())
    assert said["mcp_discovery_timeout"] == 30
    assert said["mcp_servers"]["lineup"]["args"] == [*HERMES, "apps", *WAIT]
    asking = said["mcp_servers"]["lineup_ask"]
    assert asking["args"] == [*HERMES, "questions", *WAIT]
    assert asking["timeout"] == 86_400
    assert "# slow" in config.read_text()


def test_gemini_and_opencode_count_in_milliseconds(home: Path) -> None:
    run("install", "gemini")
    run("install", "opencode")
    gemini = json.loads((home / ".gemini/settings.json").read_text())["mcpServers"]["lineup"]
    opencode = json.loads((home / ".config/opencode/opencode.json").read_text())["mcp"]["lineup"]
    assert gemini["timeout"] == opencode["timeout"] == DAY_MS
    assert gemini["trust"] is True
    assert opencode["type"] == "local"


def test_a_dry_run_shows_and_writes_nothing(home: Path) -> None:
    shown = run("install", "claude", "--dry-run", "--rules").output
    assert '+    "lineup": {' in shown
    assert "+## Asking the human" in shown
    assert tree(home) == {}


def test_what_the_user_added_to_the_entry_stays(home: Path) -> None:
    run("install", "gemini")
    path = home / ".gemini/settings.json"
    said = json.loads(path.read_text())
    said["mcpServers"]["lineup"] |= {"env": {"MINE": "1"}, "timeout": 600_000}
    path.write_text(json.dumps(said))
    run("install", "gemini")
    entry = json.loads(path.read_text())["mcpServers"]["lineup"]
    assert entry["env"] == {"MINE": "1"}
    assert entry["timeout"] == DAY_MS


def test_a_switch_that_the_user_changed_stays_when_lineup_goes(home: Path) -> None:
    run("install", "claude")
    settings = home / ".claude" / "settings.json"
    said = json.loads(settings.read_text())
    said["env"]["CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"] = "5000"
    settings.write_text(json.dumps(said))
    run("uninstall", "claude")
    assert json.loads(settings.read_text()) == {
        "env": {"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS": "5000"}
    }


def test_hooks_stand_beside_the_users_own(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    mine = {"hooks": [{"type": "command", "command": "say done"}]}
    settings.write_text(json.dumps({"hooks": {"Stop": [mine]}}, indent=2))
    before = tree(home)
    run("install", "claude", "--hooks")
    hooks = json.loads(settings.read_text())["hooks"]
    assert set(hooks) >= {"PermissionRequest", "Notification", "UserPromptSubmit", "Stop"}
    assert hooks["Stop"][0] == mine
    assert hooks["Stop"][1]["hooks"][0]["command"].endswith(" hook")
    assert "Nothing to change." in run("install", "claude", "--hooks").output
    run("uninstall", "claude")
    assert json.loads(settings.read_text()) == json.loads(before[".claude/settings.json"])


def test_channels_go_into_the_entry_and_only_for_claude_code(home: Path) -> None:
    assert "server:lineup" in run("install", "claude", "--channels").output
    entry = json.loads((home / ".claude.json").read_text())["mcpServers"]["lineup"]
    assert entry["args"] == ["--channels"]
    assert "only Claude Code" in run("install", "codex", "--channels", status=2).output


def test_a_project_never_gets_the_token(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEUP_CONFIG", "/home/me/lineup.toml")
    shown = run("--token", TOKEN, "install", "claude", "--scope", "project").output
    assert "The token was not written" in shown
    for content in tree(home.parent).values():
        assert TOKEN.encode() not in content
        assert b"/home/me" not in content
    entry = json.loads(Path(".mcp.json").read_text())["mcpServers"]["lineup"]
    assert entry["command"] == "lineup-mcp"


def test_a_token_of_the_environment_is_referred_to(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEUP_TOKEN", TOKEN)
    for program in PROGRAMS:
        run("install", program)
    for name, content in tree(home).items():
        assert TOKEN.encode() not in content
        assert b"LINEUP_TOKEN" in content or name.endswith((".claude/settings.json", ".md"))


def test_secrets_are_not_shown(home: Path) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "apiKey": "hush-hush",\n  "mcpServers": {}\n}\n')
    shown = run("--token", TOKEN, "install", "gemini").output
    assert "hush-hush" not in shown
    assert TOKEN not in shown
    assert TOKEN in path.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links as on Unix")
def test_mode_and_link_stay_and_a_copy_is_kept(home: Path) -> None:
    real = home / "dotfiles" / "gemini.json"
    real.parent.mkdir()
    real.write_text("{}\n")
    real.chmod(0o640)
    link = home / ".gemini" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    run("install", "gemini")
    assert link.is_symlink()
    assert "lineup" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    copies = list((home / ".local/state/lineup/backups").iterdir())
    assert [copy.read_text() for copy in copies] == ["{}\n"]
    assert stat.S_IMODE(copies[0].stat().st_mode) == 0o600
    run("install", "codex")
    assert stat.S_IMODE((home / ".codex/config.toml").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"mcpServers": ', "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"mcpServers": [1]}', "cannot be edited safely"),
    ],
)
def test_a_file_that_is_not_understood_is_left_alone(
    home: Path, content: bytes, problem: str
) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert problem in run("install", "gemini", status=1).output
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_is_no_file(home: Path) -> None:
    with pytest.raises(CannotWrite, match="not an ordinary file"):
        read_text(home)


def test_an_unknown_program_is_a_usage_error(home: Path) -> None:
    assert "'nothing' is not one of" in run("install", "nothing", status=2).output


@pytest.mark.parametrize(
    ("platform", "program", "path"),
    [
        ("linux", "vscode", "/h/.config/Code/User/mcp.json"),
        ("darwin", "vscode", "/h/Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "/appdata/Code/User/mcp.json"),
        ("linux", "claude", "/h/.claude.json"),
        ("darwin", "opencode", "/h/.config/opencode/opencode.json"),
        ("win32", "cursor", "/h/.cursor/mcp.json"),
        ("darwin", "cline", "/h/.cline/data/settings/cline_mcp_settings.json"),
    ],
)
def test_each_system_has_its_places(platform: str, program: str, path: str) -> None:
    place = Place(
        home=Path("/h"), project=Path("/p"), platform=platform, environ={"APPDATA": "/appdata"}
    )
    files = PROGRAMS[program].files(place, Scope.USER, Server(command="lineup-mcp"))
    assert str(files[0].path) == path


def test_rules_stand_between_their_markers() -> None:
    assert without_rules(with_rules("# Mine\n")) == "# Mine\n"
    assert with_rules(with_rules("# Mine\n")) == with_rules("# Mine\n")
    older = with_rules("# Mine\n").replace(RULES, "old words\n") + "# After\n"
    renewed = with_rules(older)
    assert "old words" not in renewed
    assert renewed.endswith("# After\n")
    assert without_rules(renewed) == "# Mine\n# After\n"


def test_the_bridge_is_started_as_this_program_is(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(home=home, project=home, platform="linux", environ={"LINEUP_DATA_DIR": "/data"})
    flags = {
        "config": str(home / "own.toml"),
        "agent": "me",
        "wait_slice": "30",
        "autostart": False,
        "channels": True,
    }
    beside = home / "bin" / "lineup-mcp"
    beside.parent.mkdir()
    beside.touch()
    monkeypatch.setattr(sys, "executable", str(beside.with_name("python3")))
    server, notes = make_server(flags, place, Scope.USER)
    assert server.command == str(beside)
    assert server.args() == [
        *("--agent", "me", "--wait-slice", "30", "--no-autostart", "--channels"),
    ]
    assert server.env == {"LINEUP_DATA_DIR": "/data", "LINEUP_CONFIG": str(home / "own.toml")}
    assert notes == []
    # Without the script beside it, the one on the PATH; without that, the module.
    beside.rename(home / "lineup-mcp")
    (home / "lineup-mcp").chmod(0o755)
    monkeypatch.setenv("PATH", str(home))
    assert make_server({}, place, Scope.USER)[0].command == str(home / "lineup-mcp")
    monkeypatch.setenv("PATH", str(beside.parent))
    server, _ = make_server({}, place, Scope.USER)
    assert [server.command, *server.args()] == [sys.executable, "-P", "-m", "lineup_mcp"]
    assert "on the PATH" in make_server({}, place, Scope.PROJECT)[1][0]


def test_a_file_that_changed_meanwhile_is_not_overwritten(home: Path) -> None:
    path = home / "settings.json"
    path.write_text("mine")
    with pytest.raises(CannotWrite, match="has changed meanwhile"):
        write(Change(path, "before", "after", private=True))
    assert path.read_text() == "mine"


def test_a_full_disk_is_told_and_leaves_what_was_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / "settings.json"
    path.write_text("before")

    def full(_draft: Path, _target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CannotWrite, match="No space left"):
        write(Change(path, "before", "after", private=True))
    assert path.read_text() == "before"
    assert list(home.glob(".settings.json.*")) == []


def test_a_place_for_copies_that_is_none_stops_everything(home: Path) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    (home / ".local/state").mkdir(parents=True)
    (home / ".local/state/lineup").write_text("a file")
    assert "cannot keep a copy" in run("install", "gemini", status=1).output
    assert path.read_text() == "{}"


def test_the_extension_of_cline_and_comments_of_opencode_are_found(home: Path) -> None:
    extension = home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings"
    extension.mkdir(parents=True)
    (home / ".config/opencode").mkdir()
    (home / ".config/opencode/opencode.jsonc").write_text("// mine\n{}\n")
    run("install", "cline")
    run("install", "opencode")
    assert "lineup" in (extension / "cline_mcp_settings.json").read_text()
    assert not (home / ".cline").exists()
    assert "// mine" in (home / ".config/opencode/opencode.jsonc").read_text()
    assert not (home / ".config/opencode/opencode.json").exists()


def test_only_groups_that_run_nothing_else_are_ours(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    mine = [
        "odd",
        {"hooks": "odd"},
        {"hooks": [{"command": "x/lineup-mcp hook"}, {"command": "say done"}]},
    ]
    settings.write_text(json.dumps({"hooks": {"Stop": mine}}))
    run("install", "claude", "--hooks")
    run("uninstall", "claude")
    assert json.loads(settings.read_text())["hooks"] == {"Stop": mine}

"""The agent programs: their files, the entry of the bridge, and the switches it needs.

The limits are what these programs do, measured: a call that waits for a human is cut off, or moved
to the background, unless the program is told otherwise. docs/hosts.md gives the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_mcp.installer.formats import JSON, TOML, YAML
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.program import ConfigFile, Program, RulesFile
from lineup_mcp.installer.wishes import Entry, Member, Switch
from lineup_mcp.tools.definitions import TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lineup_mcp.installer.places import Place
    from lineup_mcp.installer.program import Server
    from lineup_mcp.installer.wishes import Wish

__all__ = ["PROGRAMS"]

_DAY_SECONDS: Final = 86_400
_DAY_MS: Final = _DAY_SECONDS * 1000
_WAIT: Final = ("--wait-slice", "86000")
"""With the program's limit raised, and measured to hold, one call waits as long as it takes."""
_NAME: Final = "lineup"


def _plain(server: Server, reference: str, **more: object) -> dict[str, object]:
    """The entry as most programs take it."""
    return {
        "command": server.command,
        "args": server.args(),
        **_filled("env", server.environment(reference)),
        **more,
    }


def _filled(name: str, values: Mapping[str, object]) -> dict[str, object]:
    """A table under a name, unless it is empty."""
    return {name: dict(values)} if values else {}


def _own_tools() -> list[object]:
    """Those that only speak with the human; not the one that answers permission dialogs."""
    return [tool["name"] for tool in TOOLS if tool["name"] != "permission_prompt"]


# Claude Code ----------------------------------------------------------------------------------


def _claude(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    if scope is Scope.PROJECT:
        servers, settings = place.project / ".mcp.json", place.project / ".claude/settings.json"
    else:
        servers = place.named("CLAUDE_CONFIG_DIR", place.home) / ".claude.json"
        settings = place.named("CLAUDE_CONFIG_DIR", place.home / ".claude") / "settings.json"
    entry = {"type": "stdio", **_plain(server, "${LINEUP_TOKEN}", timeout=_DAY_MS)}
    allowed = f"mcp__{_NAME}"
    return [
        ConfigFile(servers, JSON, [Entry(("mcpServers", _NAME), entry)]),
        ConfigFile(
            settings,
            JSON,
            [
                Switch(("env", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"), "0"),
                Member(("permissions", "allow"), allowed, allowed.__eq__),
            ],
        ),
    ]


def _claude_rules(place: Place, scope: Scope) -> RulesFile:
    if scope is Scope.PROJECT:
        return RulesFile(place.project / "CLAUDE.md")
    return RulesFile(place.named("CLAUDE_CONFIG_DIR", place.home / ".claude") / "CLAUDE.md")


# Codex ----------------------------------------------------------------------------------------


def _codex(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    entry: dict[str, object] = {
        "command": server.command,
        "args": server.args(*_WAIT),
        **_filled("env", server.env),
        "required": True,
        "tool_timeout_sec": _DAY_SECONDS,
        "supports_parallel_tool_calls": True,
        "default_tools_approval_mode": "approve",
    }
    if server.token_from_env:
        entry["env_vars"] = ["LINEUP_TOKEN"]
    folder = place.project / ".codex" if scope is Scope.PROJECT else _codex_home(place)
    return [ConfigFile(folder / "config.toml", TOML, [Entry(("mcp_servers", _NAME), entry)])]


def _codex_home(place: Place) -> Path:
    return place.named("CODEX_HOME", place.home / ".codex")


def _codex_rules(place: Place, scope: Scope) -> RulesFile:
    folder = place.project if scope is Scope.PROJECT else _codex_home(place)
    return RulesFile(folder / "AGENTS.md")


# Hermes ---------------------------------------------------------------------------------------


def _hermes(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    if scope is Scope.PROJECT:
        return []
    # One call at a time for each server: a question must not hold up the tools of the devices.
    wishes: list[Wish] = [Switch(("mcp_discovery_timeout",), 15, at_least=True)]
    for name, tools in ((_NAME, "apps"), (f"{_NAME}_ask", "questions")):
        entry = _plain(server, "${LINEUP_TOKEN}", timeout=_DAY_SECONDS)
        entry["args"] = server.args("--agent", "hermes", "--tools", tools, *_WAIT)
        wishes.append(Entry(("mcp_servers", name), entry))
    folder = place.named("HERMES_HOME", place.home / ".hermes")
    return [ConfigFile(folder / "config.yaml", YAML, wishes)]


def _hermes_rules(place: Place, scope: Scope) -> RulesFile:
    if scope is Scope.PROJECT:
        return RulesFile(place.project / "AGENTS.md")
    return RulesFile(place.named("HERMES_HOME", place.home / ".hermes") / "SOUL.md")


# Gemini CLI -----------------------------------------------------------------------------------


def _gemini(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    folder = (place.project if scope is Scope.PROJECT else place.home) / ".gemini"
    entry = _plain(server, "${LINEUP_TOKEN}", timeout=_DAY_MS, trust=True)
    return [ConfigFile(folder / "settings.json", JSON, [Entry(("mcpServers", _NAME), entry)])]


def _gemini_rules(place: Place, scope: Scope) -> RulesFile:
    folder = place.project if scope is Scope.PROJECT else place.home / ".gemini"
    return RulesFile(folder / "GEMINI.md")


# opencode -------------------------------------------------------------------------------------


def _opencode(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    folder = place.project if scope is Scope.PROJECT else place.xdg_config / "opencode"
    with_comments = folder / "opencode.jsonc"
    path = with_comments if with_comments.exists() else folder / "opencode.json"
    entry = {
        "type": "local",
        "command": [server.command, *server.args()],
        **_filled("environment", server.environment("{env:LINEUP_TOKEN}")),
        "enabled": True,
        "timeout": _DAY_MS,
    }
    return [ConfigFile(path, JSON, [Entry(("mcp", _NAME), entry)])]


def _opencode_rules(place: Place, scope: Scope) -> RulesFile:
    folder = place.project if scope is Scope.PROJECT else place.xdg_config / "opencode"
    return RulesFile(folder / "AGENTS.md")


# Cursor, Cline, VS Code -----------------------------------------------------------------------


def _cursor(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    folder = (place.project if scope is Scope.PROJECT else place.home) / ".cursor"
    entry = {"type": "stdio", **_plain(server, "${env:LINEUP_TOKEN}")}
    return [ConfigFile(folder / "mcp.json", JSON, [Entry(("mcpServers", _NAME), entry)])]


def _cursor_rules(place: Place, scope: Scope) -> RulesFile | None:
    if scope is Scope.USER:
        return None
    matter = "---\ndescription: How to reach the human\nalwaysApply: true\n---\n"
    return RulesFile(place.project / ".cursor/rules/lineup.mdc", matter)


def _cline(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    if scope is Scope.PROJECT:
        return []
    entry = _plain(
        server,
        "${env:LINEUP_TOKEN}",
        disabled=False,
        timeout=_DAY_SECONDS,
        autoApprove=_own_tools(),
    )
    name = "cline_mcp_settings.json"
    extension = place.applications / "Code/User/globalStorage/saoudrizwan.claude-dev/settings"
    terminal = place.named("CLINE_MCP_SETTINGS_PATH", place.home / ".cline/data/settings" / name)
    paths = [extension / name] if extension.is_dir() else []
    if not paths or terminal.parent.is_dir():
        paths.append(terminal)
    return [ConfigFile(path, JSON, [Entry(("mcpServers", _NAME), entry)]) for path in paths]


def _cline_rules(place: Place, scope: Scope) -> RulesFile:
    if scope is Scope.PROJECT:
        return RulesFile(place.project / ".clinerules/lineup.md", "")
    return RulesFile(place.home / "Documents/Cline/Rules/lineup.md", "")


def _vscode(place: Place, scope: Scope, server: Server) -> list[ConfigFile]:
    user = place.applications / "Code/User/mcp.json"
    path = place.project / ".vscode/mcp.json" if scope is Scope.PROJECT else user
    entry = {"type": "stdio", **_plain(server, "${env:LINEUP_TOKEN}")}
    return [ConfigFile(path, JSON, [Entry(("servers", _NAME), entry)])]


def _vscode_rules(place: Place, scope: Scope) -> RulesFile | None:
    if scope is Scope.USER:
        return None
    return RulesFile(place.project / ".github/copilot-instructions.md")


PROGRAMS: Final[Mapping[str, Program]] = {
    program.name: program
    for program in (
        Program(
            name="claude",
            binary="claude",
            title="Claude Code",
            files=_claude,
            rules=_claude_rules,
            extras=True,
        ),
        Program(name="codex", binary="codex", title="Codex", files=_codex, rules=_codex_rules),
        Program(name="hermes", binary="hermes", title="Hermes", files=_hermes, rules=_hermes_rules),
        Program(
            name="gemini", binary="gemini", title="Gemini CLI", files=_gemini, rules=_gemini_rules
        ),
        Program(
            name="opencode",
            binary="opencode",
            title="opencode",
            files=_opencode,
            rules=_opencode_rules,
        ),
        Program(
            name="cursor",
            binary="cursor",
            title="Cursor",
            files=_cursor,
            rules=_cursor_rules,
            next_step="Switch lineup on in Cursor's MCP settings, and let its tools run unasked.",
        ),
        Program(name="cline", binary="cline", title="Cline", files=_cline, rules=_cline_rules),
        Program(
            name="vscode",
            binary="code",
            title="VS Code",
            files=_vscode,
            rules=_vscode_rules,
            next_step='Run "MCP: List Servers" in VS Code, start lineup, and trust it.',
        ),
    )
}
"""By the name that is typed."""

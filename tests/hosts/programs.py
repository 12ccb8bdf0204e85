"""Runs one agent program, as the installer sets it up, on a script for its model."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from lineup_mcp.installer.places import Place, Scope
from lineup_mcp.installer.program import Server
from lineup_mcp.installer.programs import PROGRAMS
from lineup_mcp.installer.wishes import Entry
from tests.system.processes import bound, poll

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Mapping, Sequence

    from tests.system.conftest import Shared

__all__ = ["HOST", "NAMES", "Run", "running"]

HOST = Path(__file__).with_name("host.py")
BRIDGE = ["-P", "-m", "lineup_mcp"]
_SECONDS = 90.0
"""For a whole run on a quiet machine."""


def _versions() -> dict[str, str]:
    """Each program and what is installed for it, as the runner has it."""
    text = HOST.read_text("utf-8")
    found = dict(re.findall(r'^    "(\w+)": "(\S+)",$', text, re.M))
    hermes = re.search(r'^HERMES = \["(\S+)"\]$', text, re.M)
    assert hermes is not None
    return {**found, "hermes": hermes[1]}


NAMES = _versions()


class Run:
    """A running program.

    Args:
        process: of the runner.
        out: where it writes.
    """

    def __init__(self, process: Process, out: Path) -> None:
        self._process = process
        self._out = out

    def goes_on_with(self, steps: Sequence[object]) -> None:
        """Change what the model says next; it reads its script at each turn."""
        draft = self._out / "script.new"
        draft.write_text(json.dumps({"steps": steps}))
        draft.replace(self._out / "script.json")

    async def until_call(self, number: int) -> None:
        """Wait until the model made so many calls."""

        async def made() -> bool:
            answers = [line["d"][0] for line in self._lines() if line["kind"] == "answer"]
            return answers.count("tool") >= number

        await poll(made, within=_SECONDS)

    async def final(self) -> str:
        """The tool result that the program gave the model at last."""
        async with asyncio.timeout(bound(_SECONDS) + 10):
            output, errors = await self._process.communicate()
        assert self._process.returncode == 0, self._diary(errors)
        text = output.decode().strip()
        assert text.startswith("FINAL: "), self._diary(errors)
        return text.removeprefix("FINAL: ")

    def received(self) -> list[Any]:
        """The bodies of all requests that the model got."""
        return [line["body"] for line in self._lines() if line["kind"] == "post" and "body" in line]

    def kill_program(self) -> list[int]:
        """SIGKILL the program, but not the bridge; returns the bridges' process numbers."""
        below = psutil.Process(self._process.pid).children(recursive=True)
        # Not what a program puts around it: Hermes has a watchdog whose arguments are the bridge.
        commands = {one: _command(one) for one in below}
        bridges = [one for one in below if commands[one][1:4] == BRIDGE]
        spared = [*bridges, *(one for one in below if str(HOST.parent) in " ".join(commands[one]))]
        for one in below:
            if one not in spared:
                with suppress(psutil.NoSuchProcess):
                    one.kill()
        return [one.pid for one in bridges]

    def _lines(self) -> list[dict[str, Any]]:
        # Its last line may be half written.
        *lines, _ = (self._out / "model.jsonl").read_text("utf-8").split("\n")
        return [json.loads(line) for line in lines]

    def _diary(self, errors: bytes) -> str:
        parts = [errors.decode(errors="replace")]
        for name in ("stdout", "stderr"):
            parts += [f"---- {name}", (self._out / name).read_text(errors="replace")[-3000:]]
        return "\n".join(parts)


@asynccontextmanager
async def running(
    name: str,
    programs: Path,
    relay: Shared,
    token: str,
    out: Path,
    steps: Sequence[object],
    *arguments: str,
    options: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Run]:
    """The program at work; ended at the end if it has not ended by itself.

    Args:
        name: of the program.
        programs: where the programs are installed.
        relay: where the bridge finds it.
        token: of the room.
        out: a directory of its own.
        steps: what its model does.
        arguments: for the bridge.
        options: for the program.
        environ: for the program, besides its own.
    """
    asks = "lineup_call_tool" not in json.dumps(steps)
    extra = _prepare(name, relay, token, out, steps, arguments, asks=asks)
    for variable, value in (environ or {}).items():
        extra += ["--host-env", f"{variable}={value}"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(HOST), "run"),
        *("--server", str(out / "server.json"), "--script", str(out / "script.json")),
        *("--out", str(out), "--limit", str(bound(_SECONDS))),
        *extra,
        *(name, "--", *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LINEUP_HOSTS": str(programs), "HOME": str(out / "home")},
        # The project: its files must not be found as modules.
        cwd=out,
    )
    try:
        yield Run(process, out)
    finally:
        if process.returncode is None:
            _end(process.pid)
        await process.communicate()


def _command(process: psutil.Process) -> list[str]:
    """Its program and arguments; nothing if it has just ended."""
    with suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def _end(pid: int) -> None:
    """Kill the runner, its model, and the program; any of them may be ending by itself."""
    with suppress(psutil.NoSuchProcess):
        runner = psutil.Process(pid)
        for one in (*runner.children(recursive=True), runner):
            with suppress(psutil.NoSuchProcess):
                one.kill()


def _prepare(
    name: str,
    relay: Shared,
    token: str,
    out: Path,
    steps: Sequence[object],
    arguments: Sequence[str],
    *,
    asks: bool,
) -> list[str]:
    """Write what the runner reads; returns more arguments for it."""
    out.mkdir(parents=True)
    own = ["--no-autostart", *arguments]
    ports = {"LINEUP_PORT": str(relay.http), "LINEUP_GRPC_PORT": str(relay.grpc)}
    python = os.environ.get("PYTHONPATH")
    env = {"LINEUP_TOKEN": token, **ports, **({"PYTHONPATH": python} if python else {})}
    server = Server(command=sys.executable, before=BRIDGE, arguments=own, env=env)
    told, extra = _as_installed(name, server, out, asks=asks)
    (out / "server.json").write_text(json.dumps(told))
    (out / "script.json").write_text(json.dumps({"steps": steps}))
    return extra


def _as_installed(
    name: str, server: Server, out: Path, *, asks: bool
) -> tuple[dict[str, object], list[str]]:
    """The entry that `lineup-mcp install` writes, for the runner; and arguments of the runner."""
    place = Place(home=out / "home", project=out, platform=sys.platform, environ={})
    entries: dict[str, dict[str, object]] = {}
    for file in PROGRAMS[name].files(place, Scope.USER, server):
        for wish in file.wishes:
            if isinstance(wish, Entry):
                entries[wish.path[-1]] = dict(wish.value)
    # Hermes has two: one for questions, one for the tools of devices.
    entry = entries.get("lineup_ask", entries["lineup"]) if asks else entries["lineup"]
    arguments = entry.pop("args", server.args())
    for taken in ("command", "args", "env", "environment", "type"):
        entry.pop(taken, None)
    told = {
        "name": "lineup",
        "command": server.command,
        "args": arguments,
        "env": dict(server.env),
        "extra": entry,
    }
    switch = ["--host-env", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0"] if name == "claude" else []
    return told, switch

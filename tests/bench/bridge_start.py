"""From the spawn of a bridge to its first answers, as an agent program meets it.

A catalog of an earlier time is on disk. Without bytecode, of all that was installed, is what the
first start after an installation may meet; cold is a machine that has not read these files lately.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from lineup_mcp.catalog_file import CatalogFile
from lineup_mcp.tools.apps import AppAction
from lineup_srv.contract.tool_names import ActionKey
from tests.bench.crowd import TOKEN
from tests.bench.lines import Section
from tests.bench.processes import relay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.bench.lines import Options

__all__ = ["measure"]

ROOT = Path(__file__).parents[2]
RUNS = 7
ACTIONS = 32
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(slots=True)
class Times:
    """Of all runs, in seconds; memory in bytes."""

    initialize: list[float] = field(default_factory=list)
    listed: list[float] = field(default_factory=list)
    called: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)


async def measure(options: Options) -> list[Section]:
    """Warm and cold, with and without bytecode."""
    home = options.folder / "home"
    sections = []
    async with relay(options.folder / "data") as process:
        host, _, grpc_port = process.address.grpc.rpartition(":")
        port = process.address.http.rpartition(":")[2]
        _remember(home, f"{host}:{port}")
        environ = {
            **os.environ,
            # Empty = compile, whatever the developer's own is.
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(options.folder / "bytecode"),
            "LINEUP_HOST": host,
            "LINEUP_PORT": port,
            "LINEUP_GRPC_PORT": grpc_port,
            "LINEUP_TOKEN": TOKEN,
            "HOME": str(home),
            "XDG_STATE_HOME": str(home),
        }
        uncompiled = _without_bytecode(environ, options.folder / "some-bytecode")
        runs = max(options.rounds, RUNS)
        for title, settings, cold in (
            ("warm", environ, False),
            ("cold files", environ, True),
            ("warm, without bytecode", uncompiled, False),
        ):
            times = Times()
            # The first one compiles what is not compiled yet, and is not counted.
            for number in range(runs + 1):
                if cold:
                    _forget_files()
                _run(settings, times if number else Times())
            sections.append(_section(title, times))
    return sections


def _section(title: str, times: Times) -> Section:
    section = Section(f"bridge start, {ACTIONS} actions on disk, {title}, p50")
    budget = title == "warm"
    for what, values, allowed in (
        ("spawn -> initialize", times.initialize, "0.15"),
        ("spawn -> tools/list", times.listed, "0.3"),
        ("spawn -> first call", times.called, "1.2"),
    ):
        section.add(what, statistics.median(values), "s", allowed if budget else "")
    resident = statistics.median(times.resident) / 2**20
    section.add("resident after that", resident, "MiB", "95" if budget else "")
    return section


def _run(environ: Mapping[str, str], times: Times) -> None:
    """One bridge, asked at once for everything an agent program asks for."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        (sys.executable, "-m", "lineup_mcp", "--no-autostart"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ,
    )
    try:
        _ask(process, 1, "initialize", HELLO)
        times.initialize.append(time.perf_counter() - begun)
        _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        listed = _ask(process, 2, "tools/list", {})
        times.listed.append(time.perf_counter() - begun)
        assert len(listed["tools"]) > ACTIONS
        _ask(process, 3, "tools/call", {"name": "lineup_list_tools", "arguments": {}})
        times.called.append(time.perf_counter() - begun)
        times.resident.append(psutil.Process(process.pid).memory_info().rss)
    finally:
        process.kill()
        process.communicate()


def _ask(
    process: subprocess.Popen[bytes], number: int, method: str, params: Mapping[str, object]
) -> dict[str, list[object]]:
    """Make a request and wait for its answer; what comes unasked is skipped."""
    _send(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    assert process.stdout is not None
    while True:
        answer = json.loads(process.stdout.readline())
        if answer.get("id") == number:
            result: dict[str, list[object]] = answer["result"]
            return result


def _send(process: subprocess.Popen[bytes], message: Mapping[str, object]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _remember(home: Path, address: str) -> None:
    """Write what an earlier bridge would have."""
    schema: dict[str, object] = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("instance_id", "path", "color")},
    }
    known = {
        f"canvas_action{number}": AppAction(
            key=ActionKey(application="", tool="canvas", action=f"action{number}", single=False),
            title="canvas",
            description="Draws something on the canvas that was opened before. " * 4,
            schema=schema,
            read_only=False,
            destructive=False,
            idempotent=False,
            interactive=False,
        )
        for number in range(ACTIONS)
    }
    file = CatalogFile(home / "lineup" / "catalogs", address, TOKEN)
    file.save(known, known, time.time_ns() // 1_000_000)


def _without_bytecode(environ: Mapping[str, str], place: Path) -> Mapping[str, str]:
    """Settings under which only the standard library is compiled."""
    settings = {**environ, "PYTHONPYCACHEPREFIX": str(place)}
    _run(settings, Times())
    for folder in (ROOT, Path(sysconfig.get_paths()["purelib"])):
        shutil.rmtree(place / folder.relative_to(folder.anchor), ignore_errors=True)
    return {**settings, "PYTHONDONTWRITEBYTECODE": "1"}


def _forget_files() -> None:
    """Have the system read all of Python's files from the disk again, as far as it lets go."""
    if not hasattr(os, "posix_fadvise"):
        return
    paths = sysconfig.get_paths()
    for folder in {
        paths["stdlib"],
        paths["purelib"],
        str(Path(__file__).parents[2] / "lineup_mcp"),
    }:
        for path in Path(folder).rglob("*.*"):
            if path.suffix in (".py", ".pyc", ".so") and path.is_file():
                handle = os.open(path, os.O_RDONLY)
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(handle)

"""Claude Code has its commands allowed or denied on a device: by the permission tool, by hooks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.installer.formats import JSON, Document
from lineup_mcp.installer.hooks import with_hooks
from lineup_mcp.installer.program import ConfigFile, Server
from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.hosts.programs import BRIDGE, running
from tests.system.devices import device
from tests.system.processes import bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2
    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [
    pytest.mark.system,
    pytest.mark.hosts,
    pytest.mark.timeout(400),
    pytest.mark.requirement("B74"),
]

COMMAND = "touch made && echo made-it"
RUN = {"tool": "Bash", "args": {"command": COMMAND, "description": "Make a file"}, "raw": True}
PROMPT_TOOL = ("--permission-prompt-tool", "mcp__lineup__permission_prompt")


@pytest.mark.parametrize(
    ("label", "final"),
    [("allow_once", "made-it"), ("deny", "Not allowed by Ann on web: not here")],
)
async def test_the_permission_tool_decides(
    installed: Callable[[str], Path],
    shared: Shared,
    token: str,
    tmp_path: Path,
    label: str,
    final: str,
) -> None:
    programs, out = installed("claude"), tmp_path / "run"
    async with (
        device(shared.http, token, "Ann") as ann,
        running("claude", programs, shared, token, out, [RUN], options=PROMPT_TOOL) as run,
    ):
        asked = await _asked(ann)
        await ann.decide(asked.ID, label, "not here" if label == "deny" else "")
        assert final in await run.final()
    assert asked.Request.approval.command == COMMAND
    assert (out / "work" / "made").exists() is (label != "deny")


@pytest.mark.parametrize("label", ["allow_once", "deny"])
async def test_hooks_decide_and_bring_the_humans_words(
    installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path, label: str
) -> None:
    programs, out = installed("claude"), tmp_path / "run"
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"hooks": _hooks()}))
    async with (
        device(shared.http, token, "Ann") as ann,
        running(
            *("claude", programs, shared, token, out, [RUN]),
            options=("--settings", str(settings)),
            environ={
                "LINEUP_TOKEN": token,
                "LINEUP_PORT": str(shared.http),
                "LINEUP_GRPC_PORT": str(shared.grpc),
            },
        ) as run,
    ):
        asked = await _asked(ann)
        await ann.write("And then the docs, please")
        await ann.decide(asked.ID, label, "not here" if label == "deny" else "")
        await run.final()
        await ann.sees("Text", lambda m: m.text.received)
    seen = json.dumps(run.received())
    assert "And then the docs, please" in seen
    assert ("Not allowed by Ann on web: not here" in seen) is (label == "deny")
    assert (out / "work" / "made").exists() is (label != "deny")


def _hooks() -> object:
    """The hooks that `lineup-mcp install claude --hooks` writes."""
    server = Server(command=sys.executable, before=BRIDGE, arguments=["--no-autostart"], env={})
    (settings,) = with_hooks([ConfigFile(Path(), JSON, [])], server, platform=sys.platform)
    document = Document(JSON, "")
    for wish in settings.wishes:
        wish.grant(document)
    return document.get(["hooks"])


async def _asked(ann: Device) -> agent_assist_pb2.AskQuestionRequest:
    """The step to decide about; starting the program takes longer than anything of ours."""
    async with asyncio.timeout(bound(90)):
        while True:
            with contextlib.suppress(TimeoutError):
                shown = await ann.sees(
                    "AskQuestion",
                    lambda m: (
                        m.AskQuestionRequest.Request.kind == request_pb2.REQUEST_KIND_APPROVAL
                    ),
                )
                return shown.AskQuestionRequest

"""Runs `lineup-srv` in this process, and a data directory with something in it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from click.testing import CliRunner

from lineup_srv.cli import main
from lineup_srv.contract.ids import AgentId, Ref, TextId
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.facts import TextKept, TextSaid
from tests.logs.sample import AGENT, NOW, PHONE, PICTURE, TOKEN, conversation, opened
from tests.logs.stores import Clock, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from lineup_srv.domain.facts import Fact

LONG_SHA: Final = "c" * 64
LONG: Final = "a long answer, line by line\n" * 400


def lineup_srv(data_dir: Path, *arguments: str) -> Result:
    """What the command says and its status; it must not fail in another way."""
    result = CliRunner().invoke(main, ["--data-dir", str(data_dir), *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def said(data_dir: Path, *arguments: str) -> str:
    """What a command that must succeed prints on stdout."""
    result = lineup_srv(data_dir, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(data_dir: Path, *arguments: str) -> str:
    """What a command that must fail says on stderr; nothing else."""
    result = lineup_srv(data_dir, *arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    return result.stderr


def written() -> list[Fact]:
    """Every kind of fact, and texts of which one is long."""
    long = Content(ContentKind.TEXT, ContentRef(LONG_SHA, len(LONG), "text/markdown", None), "")
    head = opened(70), opened(71)
    return [
        *conversation(),
        TextKept(head[0].fact_id, NOW, TextId("long"), AgentId(""), (long,), PHONE, Ref(""), False),
        TextSaid(
            head[1].fact_id, NOW, TextId("said"), AGENT, "Claude", opened(1).asked.contents[:0]
        ),
    ]


def fill(data_dir: Path) -> None:
    """A room of `TOKEN` with all of that in it."""

    async def write() -> None:
        async with opened_store(data_dir, Clock(NOW)) as store:
            room = await token_room(store, TOKEN)
            await store.blobs.put(room, PICTURE, b"12345")
            await store.blobs.put(room, LONG_SHA, LONG.encode())
            await store.log.append(room, 0, [replace(fact) for fact in written()])

    asyncio.run(write())

"""The words of what goes with another call's result: late answers and texts of the human."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lineup_mcp.answers import render, shortened
from lineup_mcp.endings import answered
from lineup_mcp.phrases import local_time, quote_of
from lineup_mcp.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.mailbox import Item
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2, relay_pb2

__all__ = ["HEADING", "of_item", "with_mail"]

HEADING: Final = "--- Also waiting for you from the human ---"


def with_mail(result: Result, items: Sequence[Item]) -> Result:
    """Append what waited for this agent: late answers and texts, each marked with when and what."""
    if not items:
        return result
    parts = [result.text, "", HEADING]
    media = list(result.media)
    for item in items:
        one = of_item(item, number=len(media) + 1)
        parts.append(one.text)
        media += one.media
    return replace(result, text="\n".join(parts), media=tuple(media))


def of_item(item: Item, *, number: int = 1) -> Result:
    """One item, marked with what its reader has to know about it.

    Args:
        item: an answer or a text.
        number: of the first of its attachments in the result they go with.
    """
    if item.outcome is not None:
        said = answered(item.outcome, quote_of(item.outcome))
    else:
        said = Result("") if item.text is None else _note(item.text)
    lines = [_marked(_marks(item), said.text), *_pointer(number, len(said.media))]
    return replace(said, text="\n".join(lines))


def _pointer(number: int, count: int) -> list[str]:
    """Which attachments are its own: all of a result's are described at its end."""
    if count < 2:
        return [f"[With attachment {number}, see below.]"] if count else []
    return [f"[With attachments {number} to {number + count - 1}, see below.]"]


def _note(text: agent_pb2.Text) -> Result:
    who = getattr(text, "from") or "the human"
    attached = render(text.contents, ())
    words = "\n\n".join(part for part in (text.content, attached.text) if part.strip())
    said = f"Message from {who} at {local_time(text.sent_unix_ms)}:"
    return Result(f"{said}\n{shortened(words)}" if words else said, tuple(attached.media))


def _marked(marks: str, text: str) -> str:
    return f"[{marks}] {text}" if marks else text


def _marks(item: Item) -> str:
    found: relay_pb2.Outcome | agent_pb2.Text | None = item.outcome or item.text
    marks = []
    if found is not None and found.other_session:
        verb = "asked by" if item.outcome is not None else "written to"
        marks.append(f"{verb} another session of this agent")
    again = found is not None and found.redelivered and not item.own
    if again or item.pushed:
        marks.append("may have reached you before")
    return "; ".join(marks)

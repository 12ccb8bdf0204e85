"""The words of what goes with another call's result: late answers and texts of the human."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_mcp.answers import shortened
from lineup_mcp.endings import answered
from lineup_mcp.phrases import local_time, quote_of
from lineup_mcp.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.mailbox import Item
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2, relay_pb2

__all__ = ["of_item", "with_mail"]


def with_mail(result: Result, items: Sequence[Item]) -> Result:
    """Append what waited for this agent: late answers and texts, each marked with when and what."""
    if not items:
        return result
    parts = [result.text, "", "--- Also waiting for you from the human ---"]
    media = list(result.media)
    for item in items:
        one = of_item(item)
        parts.append(one.text)
        media += one.media
    return replace(result, text="\n".join(parts), media=tuple(media))


def of_item(item: Item) -> Result:
    """One item, marked with what its reader has to know about it."""
    if item.outcome is not None:
        answer = answered(item.outcome, quote_of(item.outcome))
        return replace(answer, text=_marked(_marks(item), answer.text))
    return Result(_marked(_marks(item), "" if item.text is None else _note(item.text)))


def _note(text: agent_pb2.Text) -> str:
    who = getattr(text, "from") or "the human"
    return f"Message from {who} at {local_time(text.sent_unix_ms)}:\n{shortened(text.content)}"


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

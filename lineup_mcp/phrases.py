"""Words that results share: who, where, when, to which question."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = [
    "NO_CONSENT",
    "device_count",
    "local_time",
    "noun_of",
    "online",
    "quote_of",
    "quoted",
    "span",
    "who",
]

NO_CONSENT: Final = "Do not assume consent or any particular answer."


def local_time(unix_ms: int) -> str:
    """An instant in this machine's zone, with the zone; never ambiguous."""
    moment = datetime.fromtimestamp(unix_ms / 1000, tz=UTC).astimezone()
    offset = moment.strftime("%z")
    return f"{moment:%Y-%m-%d %H:%M:%S} {moment.tzname()} (UTC{offset[:3]}:{offset[3:]})"


def who(outcome: relay_pb2.Outcome) -> str:
    """Who answered, and on what device, as far as is known."""
    name = outcome.nickname or "the human"
    where = outcome.platform or outcome.device
    return f"{name} on {where}" if where else name


def noun_of(outcome: relay_pb2.Outcome) -> str:
    """What it is an outcome of."""
    return "report" if outcome.report else "question"


def quote_of(outcome: relay_pb2.Outcome) -> str:
    """The question or report, in one line."""
    return quoted(outcome.question, report=outcome.report)


def quoted(question: str, *, report: bool) -> str:
    """A question or report in one line, cut where it is long; empty: it is not known here."""
    short = " ".join(question.split()) or "(asked earlier)"
    if len(short) > limits.SHORT_QUOTE_CHARACTERS:
        short = short[: limits.SHORT_QUOTE_CHARACTERS - 1] + "…"
    return f"{'Report' if report else 'Question'}: {short}"


def device_count(count: int) -> str:
    """How many devices show something."""
    if count == 0:
        return "no device yet (it appears as soon as one connects)"
    return f"{count} device{'' if count == 1 else 's'}"


def online(count: int) -> str:
    """How many devices could show something now, as a sentence without its end."""
    return "no device is online" if count == 0 else f"{device_count(count)} online"


def span(seconds: float) -> str:
    """A span in the largest unit that says enough."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"

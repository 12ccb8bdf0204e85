"""What a tool call gives back, and the words of results that are no end of a question. Their first
lines stand alone, whatever the agent program puts around them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineup_mcp.phrases import NO_CONSENT, device_count, local_time, quoted
from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.answers import Media
    from lineup_mcp.tools.reading import ArgumentError

__all__ = [
    "Result",
    "invalid",
    "maybe_told",
    "refused",
    "reported",
    "still_open",
    "told",
    "too_many",
]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool call gives back: text, then media.

    Args:
        text: never empty.
        media: pictures and sounds, in order.
        is_error: a tool ran and failed, or the caller asked for an error when nobody answers;
            nothing else is one, since some programs stop calling after three.
    """

    text: str
    media: tuple[Media, ...] = ()
    is_error: bool = False

    def noting(self, notes: Sequence[str]) -> Result:
        """The same with remarks on the arguments at its end."""
        if not notes:
            return self
        return replace(self, text="\n".join([self.text, *(f"Note: {note}" for note in notes)]))


def still_open(
    *,
    request_id: str,
    question: str,
    report: bool,
    seconds_left: float,
    now_unix_ms: int,
    devices_online: int,
) -> Result:
    """The end of a slice: the card stays open, and the agent is told how to go on waiting."""
    noun = "report" if report else "question"
    until = local_time(now_unix_ms + int(seconds_left * 1000))
    return Result(
        f"Not answered yet: the {noun} is still open, on {device_count(devices_online)}, until "
        f"{until}.\n{quoted(question, report=report)}\n{NO_CONSENT}\n"
        f'Next step: call ask_question with question_id="{request_id}" (and nothing else) to go '
        "on waiting for this answer."
    )


def reported(*, request_id: str, summary: str, devices_online: int) -> Result:
    """A report that nobody waits for."""
    return Result(
        f"The report is shown on {device_count(devices_online)}; nobody waits for it.\n"
        f"{quoted(summary, report=True)}\n"
        "A reply comes with a later LineUp call. To wait for it, call ask_question with "
        f'question_id="{request_id}".'
    )


def told(what: str, devices_online: int) -> Result:
    """A text or picture that nobody waits for is shown."""
    return Result(
        f"The {what} is shown on {device_count(devices_online)}. A reply comes with a later "
        "LineUp call."
    )


def maybe_told(what: str) -> Result:
    """The relay went away before it confirmed a text or picture."""
    return Result(
        f"relay_unreachable: the connection broke before the relay confirmed the {what}; it may "
        "have been shown.\nNext step: go on; send it again only if it matters and may come twice."
    )


def refused(error: LineUpError, *, question: str, report: bool) -> Result:
    """The relay refused."""
    field = f" (field {error.field})" if error.field else ""
    quote = f"\n{quoted(question, report=report)}" if question else ""
    return Result(
        f"{error.code.value}: {error.message}{field}{quote}\n{NO_CONSENT}\n"
        f"Next step: {error.next_step}"
    )


def too_many(limit: int) -> Result:
    """The agent has too many open cards."""
    return Result(
        f"{ErrorCode.RATE_LIMITED.value}: this agent already has {limit} open questions and "
        f"reports; this one was not shown.\n{NO_CONSENT}\n"
        "Next step: wait for the answers to the open ones; ask several things in one call."
    )


def invalid(error: ArgumentError) -> Result:
    """An argument that cannot be used; nothing was shown."""
    return Result(
        f"invalid_argument: {error}. Nothing was shown to the human.\nNext step: {error.next_step}"
    )

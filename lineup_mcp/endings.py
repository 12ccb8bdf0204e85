"""The words of an end: answered, declined, not answered in time, withdrawn.

Silence is never consent: every result without an answer says so and names the next step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_mcp.answers import render, shortened
from lineup_mcp.approvals import is_permission
from lineup_mcp.phrases import NO_CONSENT, local_time, noun_of, quoted, who
from lineup_mcp.results import Result
from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2

if TYPE_CHECKING:
    from lineup_mcp.answers import Answer
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["answered", "ended", "has_answer"]

_TIMEOUTS_BEFORE_AWAY: Final = 3
_CONFIRMED: Final = "Confirmed"
_DONE: Final = "Done, stop asking: the human ended the conversation. Ask nothing more and finish."


def has_answer(outcome: relay_pb2.Outcome) -> bool:
    """Whether a human answered or dismissed it, in time or late."""
    return (
        outcome.state in (request_pb2.REQUEST_STATE_ANSWERED, request_pb2.REQUEST_STATE_DECLINED)
        or outcome.late
        or outcome.replied_unix_ms > 0
    )


def ended(
    outcome: relay_pb2.Outcome,
    *,
    question: str,
    abort: bool,
    timeouts_in_a_row: int,
    timeout_seconds: int,
) -> Result:
    """The result of a call whose request has ended.

    Args:
        outcome: how it ended.
        question: as the caller put it; empty if it is only known from the outcome.
        abort: the caller wants an error when there is no answer in time.
        timeouts_in_a_row: this one included.
        timeout_seconds: what the caller gave; 0 if it is not known.
    """
    quote = quoted(question or outcome.question, report=outcome.report)
    if has_answer(outcome):
        return answered(outcome, quote)
    if outcome.state == request_pb2.REQUEST_STATE_EXPIRED:
        return _expired(outcome, quote, abort, timeouts_in_a_row, timeout_seconds)
    return _withdrawn(outcome, quote)


def answered(outcome: relay_pb2.Outcome, quote: str) -> Result:
    """An answer, in time or late, or a dismissal."""
    noun = noun_of(outcome)
    answer = render(outcome.contents, outcome.answers)
    whom = f"{who(outcome)} at {local_time(outcome.replied_unix_ms)}"
    words, confirmed = _confirmation(outcome, answer)
    text = shortened(words)
    if outcome.action == "decline" or outcome.state == request_pb2.REQUEST_STATE_DECLINED:
        lines = [f"Declined: the {noun} was dismissed without an answer by {whom}.", quote]
        if text:
            lines.append(f"With the words:\n{text}")
        lines.append(
            f"This is no consent. {NO_CONSENT} Go on only with what needs no answer, or finish; "
            "do not ask the same again."
        )
        return Result("\n".join(lines), tuple(answer.media))
    verb = "Confirmed" if confirmed else "Answered"
    late = " (late, after the call had ended)" if outcome.late else ""
    lines = [f"{verb} by {whom}{late}."]
    if outcome.action == "done":
        lines.append(_DONE)
    lines.append(quote)
    if text:
        lines.append(f"{'Reply' if outcome.report else 'Answer'}:\n{text}")
    elif answer.media:
        lines.append(f"The {'reply' if outcome.report else 'answer'} is in the attachments.")
    elif not outcome.report:
        lines.append("The answer is empty. " + NO_CONSENT)
    if outcome.late and is_permission(outcome):
        lines.append("The step it was about has been decided without it: it allows nothing now.")
    return Result("\n".join(lines), tuple(answer.media))


def _confirmation(outcome: relay_pb2.Outcome, answer: Answer) -> tuple[str, bool]:
    """The words besides a confirmation, and whether it is one: the page writes it as a first line,
    so that other devices can read it; older ones send nothing.
    """
    if not outcome.report or outcome.action == "decline":
        return answer.text, False
    first, _, rest = answer.text.partition("\n")
    if first.strip() == _CONFIRMED:
        return rest.strip(), True
    return answer.text, not answer.text and not answer.media


def _expired(
    outcome: relay_pb2.Outcome,
    quote: str,
    abort: bool,
    timeouts_in_a_row: int,
    timeout_seconds: int,
) -> Result:
    noun = noun_of(outcome)
    within = f" within {timeout_seconds} s" if timeout_seconds else ""
    lines = []
    if abort:
        lines += ["approved: false", "timed out"]
    lines += [f"No answer: the {noun} was not answered{within} (timed out).", quote]
    lines.append(NO_CONSENT)
    if abort:
        lines.append("Next step: stop here, as on_timeout=abort asks; do not take the step.")
    if timeouts_in_a_row >= _TIMEOUTS_BEFORE_AWAY:
        lines.append(
            f"Next step: {timeouts_in_a_row} calls in a row had no answer: the user is away. Do "
            "not ask again. Finish what needs no answer, then end your turn."
        )
    elif not abort:
        lines.append(
            "Next step: go on only with what needs no answer and is safe without one; do not "
            "repeat the call at once. A late answer comes with a later LineUp call."
        )
    return Result("\n".join(lines), is_error=abort)


def _withdrawn(outcome: relay_pb2.Outcome, quote: str) -> Result:
    name = error_pb2.ErrorCode.Name(outcome.reason).removeprefix("ERROR_CODE_").lower()
    why = outcome.message or name
    return Result(
        f"No answer: the {noun_of(outcome)} was withdrawn ({why}).\n{quote}\n"
        f"{NO_CONSENT}\nNext step: ask again if the answer is still needed."
    )

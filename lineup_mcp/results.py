"""The words of every result. Their first lines stand alone, whatever the agent program puts around
them: what happened, who answered from where and when, and to which question.

Silence is never consent: every result without an answer says so and names the next step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from lineup_mcp.answers import Media, render, shortened
from lineup_mcp.whereabouts import Who, address
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.mailbox import Item
    from lineup_mcp.whereabouts import Sight
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2, relay_pb2

__all__ = [
    "Result",
    "ended",
    "has_answer",
    "invalid",
    "local_time",
    "refused",
    "reported",
    "still_open",
    "too_many",
    "unreachable",
    "with_mail",
]

_QUOTE_CHARACTERS: Final = 500
_TIMEOUTS_BEFORE_AWAY: Final = 3
NO_CONSENT: Final = "Do not assume consent or any particular answer."


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool call gives back: text, then media.

    Args:
        text: never empty.
        media: pictures and sounds, in order.
        is_error: only when the caller asked for it; some programs stop calling after three.
    """

    text: str
    media: tuple[Media, ...] = ()
    is_error: bool = False

    def noting(self, notes: Sequence[str]) -> Result:
        """The same with remarks on the arguments at its end."""
        if not notes:
            return self
        return replace(self, text="\n".join([self.text, *(f"Note: {note}" for note in notes)]))


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
    quote = _quoted(question or outcome.question, report=outcome.report)
    if has_answer(outcome):
        return _answered(outcome, quote)
    if outcome.state == request_pb2.REQUEST_STATE_EXPIRED:
        return _expired(outcome, quote, abort, timeouts_in_a_row, timeout_seconds)
    return _withdrawn(outcome, quote)


def _answered(outcome: relay_pb2.Outcome, quote: str) -> Result:
    """An answer, in time or late, or a dismissal."""
    noun = _noun(outcome)
    answer = render(outcome.contents, outcome.answers)
    who = f"{_who(outcome)} at {local_time(outcome.replied_unix_ms)}"
    text = shortened(answer.text)
    if outcome.action == "decline" or outcome.state == request_pb2.REQUEST_STATE_DECLINED:
        lines = [f"Declined: the {noun} was dismissed without an answer by {who}.", quote]
        if text:
            lines.append(f"With the words:\n{text}")
        lines.append(
            f"This is no consent. {NO_CONSENT} Go on only with what needs no answer, or finish; "
            "do not ask the same again."
        )
        return Result("\n".join(lines), tuple(answer.media))
    verb = "Confirmed" if outcome.report and not text and not answer.media else "Answered"
    late = " (late, after the call had ended)" if outcome.late else ""
    lines = [f"{verb} by {who}{late}.", quote]
    if text:
        lines.append(f"{'Reply' if outcome.report else 'Answer'}:\n{text}")
    elif answer.media:
        lines.append("The answer is in the attachments.")
    elif not outcome.report:
        lines.append("The answer is empty. " + NO_CONSENT)
    if outcome.action == "done":
        lines.append(
            "The human marked this as the end of the conversation: ask nothing further and finish."
        )
    return Result("\n".join(lines), tuple(answer.media))


def _expired(
    outcome: relay_pb2.Outcome,
    quote: str,
    abort: bool,
    timeouts_in_a_row: int,
    timeout_seconds: int,
) -> Result:
    noun = _noun(outcome)
    within = f" within {timeout_seconds} s" if timeout_seconds else ""
    lines = []
    if abort:
        lines += ["approved: false", "timed out"]
    lines += [f"No answer: the {noun} was not answered{within} (timed out).", quote]
    lines.append(NO_CONSENT)
    if abort:
        lines.append("Next step: stop here, as on_timeout=abort asks; do not take the step.")
    elif timeouts_in_a_row >= _TIMEOUTS_BEFORE_AWAY:
        lines.append(
            f"Next step: {timeouts_in_a_row} calls in a row had no answer: the user is away. Do "
            "not ask again. Finish what needs no answer, then end your turn."
        )
    else:
        lines.append(
            "Next step: go on only with what needs no answer and is safe without one; do not "
            "repeat the call at once. A late answer comes with a later LineUp call."
        )
    return Result("\n".join(lines), is_error=abort)


def _withdrawn(outcome: relay_pb2.Outcome, quote: str) -> Result:
    name = error_pb2.ErrorCode.Name(outcome.reason).removeprefix("ERROR_CODE_").lower()
    why = outcome.message or name
    return Result(
        f"No answer: the {_noun(outcome)} was withdrawn ({why}).\n{quote}\n"
        f"{NO_CONSENT}\nNext step: ask again if the answer is still needed."
    )


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
        f"Not answered yet: the {noun} is still open, on {_devices(devices_online)}, until "
        f"{until}.\n{_quoted(question, report=report)}\n{NO_CONSENT}\n"
        f'Next step: call ask_question with question_id="{request_id}" (and nothing else) to go '
        "on waiting for this answer."
    )


def reported(*, request_id: str, summary: str, devices_online: int) -> Result:
    """A report that nobody waits for."""
    return Result(
        f"The report is shown on {_devices(devices_online)}; nobody waits for it.\n"
        f"{_quoted(summary, report=True)}\n"
        "A reply comes with a later LineUp call. To wait for it, call ask_question with "
        f'question_id="{request_id}".'
    )


def unreachable(sight: Sight, *, question: str, report: bool, was_shown: bool) -> Result:
    """No call gets through; `sight` is what was found instead of a relay."""
    shown = "it was shown before" if was_shown else "nothing was shown to the human"
    found, step = _found(sight)
    return Result(
        f"relay_unreachable: {found}; {shown}.\n"
        f"{_quoted(question, report=report)}\n{NO_CONSENT}\n"
        f"Next step: {step} Go on with what needs no answer; call again when it runs."
    )


def _found(sight: Sight) -> tuple[str, str]:
    """What is where the relay should be, and what is to be done about it."""
    found = f"no LineUp relay answers at {sight.target}"
    holder = sight.holder
    if sight.who is Who.RELAY:
        return (
            f"the LineUp relay at {sight.target} does not answer on its gRPC port, "
            f"{sight.grpc_port}",
            "the user has to look whether that is its gRPC port, and set lineup_server_grpc_port.",
        )
    if sight.who is Who.OTHER:
        found += ": another program answers there"
    elif sight.who is Who.SILENT:
        found += ": a program has that port and says nothing"
    if holder is not None:
        where = address(holder.host, holder.http_port)
        return (
            f"{found}; a relay of the user's runs on {where} (process {holder.pid})",
            f"the user has to set the port {holder.http_port} for this agent program's bridge "
            "(LINEUP_PORT or lineup_server_port), or to end that relay.",
        )
    if sight.who in (Who.OTHER, Who.SILENT):
        return (
            found,
            "the user has to free that port, or to set another one for relay and bridge "
            "(LINEUP_PORT or lineup_server_port).",
        )
    return (
        found,
        "the relay has to be started with the command `lineup-srv` on that machine "
        "(or `lineup-mcp --web`, which opens its page too).",
    )


def refused(error: LineUpError, *, question: str, report: bool) -> Result:
    """The relay refused."""
    field = f" (field {error.field})" if error.field else ""
    quoted = f"\n{_quoted(question, report=report)}" if question else ""
    return Result(
        f"{error.code.value}: {error.message}{field}{quoted}\n{NO_CONSENT}\n"
        f"Next step: {error.next_step}"
    )


def too_many(limit: int) -> Result:
    """The agent has too many open cards."""
    return Result(
        f"{ErrorCode.RATE_LIMITED.value}: this agent already has {limit} open questions and "
        f"reports; this one was not shown.\n{NO_CONSENT}\n"
        "Next step: wait for the answers to the open ones; ask several things in one call."
    )


def invalid(field: str, problem: str) -> Result:
    """An argument that cannot be used; nothing was shown."""
    return Result(
        f"invalid_argument: {field} {problem}. Nothing was shown to the human.\n"
        f"Next step: call again with a correct {field}."
    )


def with_mail(result: Result, items: Sequence[Item]) -> Result:
    """Append what waited for this agent: late answers and texts, each marked with when and what."""
    if not items:
        return result
    parts = [result.text, "", "--- Also waiting for you from the human ---"]
    media = list(result.media)
    for item in items:
        if item.text is not None:
            parts.append(_marked(_marks(item), _note(item.text)))
        elif item.outcome is not None:
            answer = _answered(item.outcome, _quote(item.outcome))
            parts.append(_marked(_marks(item), answer.text))
            media += answer.media
    return replace(result, text="\n".join(parts), media=tuple(media))


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
    if found is not None and found.redelivered and not item.own:
        marks.append("may have reached you before")
    return "; ".join(marks)


def local_time(unix_ms: int) -> str:
    """An instant in this machine's zone, with the zone; never ambiguous."""
    moment = datetime.fromtimestamp(unix_ms / 1000, tz=UTC).astimezone()
    offset = moment.strftime("%z")
    return f"{moment:%Y-%m-%d %H:%M:%S} {moment.tzname()} (UTC{offset[:3]}:{offset[3:]})"


def _who(outcome: relay_pb2.Outcome) -> str:
    name = outcome.nickname or "the human"
    where = outcome.platform or outcome.device
    return f"{name} on {where}" if where else name


def _noun(outcome: relay_pb2.Outcome) -> str:
    return "report" if outcome.report else "question"


def _quote(outcome: relay_pb2.Outcome) -> str:
    return _quoted(outcome.question, report=outcome.report)


def _quoted(question: str, *, report: bool) -> str:
    short = " ".join(question.split()) or "(asked earlier)"
    if len(short) > _QUOTE_CHARACTERS:
        short = short[: _QUOTE_CHARACTERS - 1] + "…"
    return f"{'Report' if report else 'Question'}: {short}"


def _devices(count: int) -> str:
    if count == 0:
        return "no device yet (it appears as soon as one connects)"
    return f"{count} device{'' if count == 1 else 's'}"

"""The words of results of tool calls: `result.message` first, the rest of a result as JSON text.

A tool that ran and failed is an error to the agent program. What did not run (nobody there, no
answer in time) is a normal result that says so: some programs stop calling after three errors.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import msgspec

from lineup_mcp.absence import found
from lineup_mcp.answers import render, shortened
from lineup_mcp.phrases import NO_CONSENT, device_count, local_time
from lineup_mcp.results import Result
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from lineup_srv.wire.codes import code_from_wire

if TYPE_CHECKING:
    from lineup_mcp.whereabouts import Sight

__all__ = [
    "ended",
    "refused",
    "running",
    "too_many",
    "unreachable",
]

_ABSENT: Final = frozenset({ErrorCode.NO_APP, ErrorCode.UNKNOWN_TOOL, ErrorCode.APP_GONE})
_ERRORS: Final = frozenset(
    {
        ErrorCode.UNSPECIFIED,
        ErrorCode.INVALID_ARGUMENT,
        ErrorCode.INVALID_RESULT,
        ErrorCode.START_FAILED,
    }
)
"""The tool itself failed."""


def ended(
    told: relay_pb2.CallToolResponse, *, label: str, arguments: str, interactive: bool
) -> Result:
    """The result of a call that has ended.

    Args:
        told: its end.
        label: tool and action for people; empty if another process made the call.
        arguments: as JSON text; may be empty.
        interactive: a human answers it.
    """
    update = told.update
    if update.phase == tool_pb2.CALL_PHASE_SUCCEEDED:
        return _succeeded(told, label, arguments, interactive)
    code = code_from_wire(update.code)
    if update.phase == tool_pb2.CALL_PHASE_EXPIRED:
        code = ErrorCode.EXPIRED
    elif update.phase == tool_pb2.CALL_PHASE_CANCELLED:
        code = ErrorCode.CANCELLED
    words = _words(update)
    failed = _failed(code, words.text or update.message, label, arguments, interactive)
    return Result(failed, words.media, is_error=code in _ERRORS)


def _succeeded(
    told: relay_pb2.CallToolResponse, label: str, arguments: str, interactive: bool
) -> Result:
    words = _words(told.update)
    lines = [words.text or f"Done: {label or 'the call'} succeeded."]
    if interactive:
        # It may come long after the call, under a banner that says nothing of it.
        by = f"{told.nickname or 'the human'} on {told.platform or 'a device'}"
        at = f" at {local_time(told.changed_unix_ms)}" if told.changed_unix_ms else ""
        lines.append(f"(Answered by {by}{at}, to: {_quoted(label, arguments)})")
    return Result("\n".join(lines), words.media)


def _words(update: tool_pb2.ToolCallUpdate) -> Result:
    """All that a device sent back."""
    answer = render(update.contents, ())
    message, rest = _parts(update.result_json)
    text = "\n".join(part for part in (message, rest, answer.text) if part)
    return Result(shortened(text) if text else "", tuple(answer.media))


def _parts(result_json: str) -> tuple[str, str]:
    """`message`, and everything else as JSON text with its numbers as they were written."""
    try:
        fields = msgspec.json.decode(result_json or "{}", type=dict[str, msgspec.Raw])
        message = msgspec.json.decode(fields.pop("message", b'""'))
    except (msgspec.DecodeError, RecursionError):
        return "", result_json
    if not isinstance(message, str):
        return "", result_json
    rest = [
        f"{json.dumps(name, ensure_ascii=False)}:{bytes(raw).decode()}"
        for name, raw in fields.items()
    ]
    return message, f"{{{','.join(rest)}}}" if rest else ""


def _failed(code: ErrorCode, message: str, label: str, arguments: str, interactive: bool) -> str:
    entry = ERRORS[code]
    if code in _ABSENT:
        what = f"{code.value}: app not connected. {message or entry.meaning}"
    elif code is ErrorCode.UNSPECIFIED:
        what = f"Failed: {message or 'the tool gave no reason.'}"
    else:
        what = f"{code.value}: {message or entry.meaning}"
    lines = [what]
    if label:
        lines.append(f"Call: {_quoted(label, arguments)}")
    if interactive:
        lines.append(NO_CONSENT)
    if code is ErrorCode.UNSPECIFIED:
        lines.append("Next step: correct the call if the reason tells how; else go on without it.")
    else:
        lines.append(f"Next step: {entry.next_step}")
    return "\n".join(lines)


def refused(error: LineUpError, *, label: str, arguments: str, interactive: bool) -> Result:
    """The relay or the bridge refused the call; nothing was run."""
    field = f" ({error.field})" if error.field else ""
    return Result(_failed(error.code, f"{error.message}{field}", label, arguments, interactive))


def running(
    *,
    call_id: str,
    label: str,
    arguments: str,
    interactive: bool,
    seconds_left: float,
    now_unix_ms: int,
    devices_online: int,
) -> Result:
    """The end of a slice: the call goes on, and the agent is told how to go on waiting."""
    until = local_time(now_unix_ms + int(seconds_left * 1000))
    if interactive:
        what = f"Not answered yet: it is shown on {device_count(devices_online)}, until {until}."
    else:
        what = f"Not finished yet: the call goes on, until {until} at most."
    lines = [what, f"Call: {_quoted(label, arguments)}"]
    if interactive:
        lines.append(NO_CONSENT)
    lines.append(
        f'Next step: call lineup_call_tool with call_id="{call_id}" (and nothing else) to go on '
        "waiting for this result; do not make the call again."
    )
    return Result("\n".join(lines))


def unreachable(sight: Sight, *, call_id: str, label: str, arguments: str, sent: bool) -> Result:
    """No call gets through; `sight` is what was found instead of a relay."""
    what, step = found(sight)
    state = "whether the call ran is not known" if sent else "nothing was run"
    again = (
        f'call lineup_call_tool with call_id="{call_id}" when it runs to get the result.'
        if sent
        else "call again when it runs."
    )
    return Result(
        f"relay_unreachable: {what}; {state}.\nCall: {_quoted(label, arguments)}\n"
        f"Next step: {step} Go on with what needs no device; {again}"
    )


def too_many(limit: int) -> Result:
    """The agent has too many calls under way."""
    return Result(
        f"{ErrorCode.RATE_LIMITED.value}: this agent already waits for {limit} calls; this one "
        "was not made.\nNext step: wait until some of them have ended."
    )


def _quoted(label: str, arguments: str) -> str:
    """The call, so that a result stands alone."""
    text = f"{label or 'a call made earlier'} {arguments}".strip()
    if len(text) > limits.SHORT_QUOTE_CHARACTERS:
        text = text[: limits.SHORT_QUOTE_CHARACTERS - 1] + "…"
    return text

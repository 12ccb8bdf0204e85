"""Reads the arguments of tool calls forgivingly: models send numbers as text, lists as JSON text,
options as texts. What can be understood is; what cannot is an error that names the field. Pure.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ArgumentError",
    "AskArguments",
    "Choice",
    "Common",
    "OneQuestion",
    "ReportArguments",
    "read_ask",
    "read_report",
]

_TRUE: Final = frozenset({"true", "yes", "1", "on"})
_FALSE: Final = frozenset({"false", "no", "0", "off", ""})
_SPAN: Final = re.compile(r"\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
_UNITS: Final = {"": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}
_LABEL_NAMES: Final = ("label", "title", "name", "value", "text", "option")
_TEXT_NAMES: Final = ("question", "text", "prompt", "title")


class ArgumentError(Exception):
    """An argument that cannot be used.

    Args:
        field: its name, dotted for parts of it.
        problem: what is wrong, as the end of a sentence that begins with the field.
    """

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} {problem}")
        self.field = field
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Choice:
    """One option."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class OneQuestion:
    """One question of a call."""

    question: str
    header: str = ""
    options: tuple[Choice, ...] = ()
    multiple: bool = False
    custom: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What both tools take.

    Args:
        project_directory: as given; may be empty.
        timeout_seconds: clamped.
        agent_name: may be empty.
        model: may be empty.
        abort: no answer is to be an error.
        notes: what was changed about the arguments, to be said in the result.
    """

    project_directory: str
    timeout_seconds: int
    agent_name: str
    model: str
    abort: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskArguments:
    """Arguments of ask_question; with `question_id` there are no questions."""

    common: Common
    questions: tuple[OneQuestion, ...]
    question_id: str


@dataclass(frozen=True, slots=True)
class ReportArguments:
    """Arguments of work_report."""

    common: Common
    summary: str
    wait: bool


def read_ask(raw: Mapping[str, object]) -> AskArguments:
    """Read the arguments of ask_question.

    Raises:
        ArgumentError: a field cannot be understood, or there is nothing to ask.
    """
    common = _common(raw)
    question_id = _text(raw, "question_id", limits.ID_CHARACTERS)
    if question_id:
        return AskArguments(common, (), question_id)
    questions = _questions(raw.get("questions"))
    text = _text(raw, "question", limits.QUESTION_CHARACTERS)
    if text and not questions:
        options = _options(raw.get("options"), "options")
        multiple = _switch(raw.get("multi_select", raw.get("multiple")), "multi_select", False)
        questions = (OneQuestion(text, options=options, multiple=multiple),)
    elif text and text not in (one.question for one in questions):
        # Said before all of them, so it must not get lost.
        first = questions[0]
        joined = OneQuestion(
            f"{text}\n\n{first.question}",
            first.header,
            first.options,
            first.multiple,
            first.custom,
        )
        questions = (joined, *questions[1:])
    if not questions:
        raise ArgumentError("question", "is missing: give question, questions or question_id")
    return AskArguments(common, questions, "")


def read_report(raw: Mapping[str, object]) -> ReportArguments:
    """Read the arguments of work_report.

    Raises:
        ArgumentError: a field cannot be understood, or there is no summary.
    """
    common = _common(raw)
    summary = _text(raw, "summary", limits.QUESTION_CHARACTERS)
    if not summary:
        raise ArgumentError("summary", "is missing")
    return ReportArguments(common, summary, _switch(raw.get("wait"), "wait", True))


def _common(raw: Mapping[str, object]) -> Common:
    seconds, notes = _timeout(raw.get("timeout"))
    on_timeout = _text(raw, "on_timeout", limits.NAME_CHARACTERS).lower()
    if on_timeout not in ("", "continue", "abort"):
        raise ArgumentError("on_timeout", 'must be "continue" or "abort"')
    return Common(
        project_directory=_text(raw, "project_directory", limits.PATH_CHARACTERS),
        timeout_seconds=seconds,
        agent_name=_text(raw, "agent_name", limits.NAME_CHARACTERS, cut=True),
        model=_text(raw, "reasoning_model_name", limits.NAME_CHARACTERS, cut=True),
        abort=on_timeout == "abort",
        notes=notes,
    )


def _timeout(raw: object) -> tuple[int, tuple[str, ...]]:
    """The timeout in seconds, clamped, and a note when it is not what was given.

    Raises:
        ArgumentError: it is no number.
    """
    default = limits.DEFAULT_TIMEOUT_SECONDS
    if raw is None or raw == "":
        return default, ()
    seconds = _seconds(raw)
    if seconds is None:
        raise ArgumentError("timeout", f"must be a number of seconds, such as {default}")
    low, high = limits.TOOL_MIN_TIMEOUT_SECONDS, limits.TOOL_MAX_TIMEOUT_SECONDS
    if seconds < low:
        return low, (f"timeout {seconds:g} s was raised to the least, {low} s.",)
    if seconds > high:
        return high, (f"timeout {seconds:g} s was lowered to the most, {high} s.",)
    return round(seconds), ()


def _seconds(raw: object) -> float | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        try:
            value = float(raw)
        except OverflowError:
            value = math.inf if raw > 0 else -math.inf
        return None if math.isnan(value) else value
    match = _SPAN.fullmatch(raw) if isinstance(raw, str) else None
    unit = _UNITS.get(match[2].lower()) if match is not None else None
    if match is None or unit is None:
        return None
    try:
        return float(match[1]) * unit
    except ValueError:
        return None


def _text(raw: Mapping[str, object], field: str, most: int, *, cut: bool = False) -> str:
    """A text argument, stripped; empty when it is absent.

    Raises:
        ArgumentError: it is a list or object, or longer than `most` characters.
    """
    value = raw.get(field)
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise ArgumentError(field, "must be a text")
    text = str(value).strip()
    if len(text) > most:
        if not cut:
            raise ArgumentError(field, f"must have at most {most} characters")
        text = text[:most]
    return text


def _switch(value: object, field: str, default: bool) -> bool:
    if value is None:
        return default
    if isinstance(value, bool | int):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else None
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ArgumentError(field, "must be true or false")


def _list(value: object, field: str) -> list[object]:
    """A list: as such, as JSON text, as one object, or as lines of text."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "{")):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                raise ArgumentError(field, "is neither a list nor valid JSON") from None
        else:
            value = [line.strip() for line in text.splitlines() if line.strip()]
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise ArgumentError(field, "must be a list")
    return value


def _options(value: object, field: str) -> tuple[Choice, ...]:
    if isinstance(value, str) and value.strip()[:1] not in ("", "[", "{"):
        # One option, or several by some mark? The human would see a guess.
        raise ArgumentError(field, 'must be a list, such as ["first", "second"]')
    items = _list(value, field)
    if len(items) > limits.OPTIONS_PER_QUESTION:
        raise ArgumentError(field, f"must have at most {limits.OPTIONS_PER_QUESTION} entries")
    # The answer names labels, so two of a kind could not be told apart.
    choices: dict[str, Choice] = {}
    for index, item in enumerate(items):
        choice = _option(item, f"{field}[{index}]")
        if choice.label in choices:
            raise ArgumentError(f"{field}[{index}]", "has the label of another option")
        choices[choice.label] = choice
    return tuple(choices.values())


def _option(item: object, field: str) -> Choice:
    if isinstance(item, dict):
        name = next((name for name in _LABEL_NAMES if item.get(name)), None)
        if name is None:
            raise ArgumentError(field, "needs a label")
        return Choice(
            _text(item, name, limits.OPTION_CHARACTERS),
            _text(item, "description", limits.OPTION_CHARACTERS, cut=True),
        )
    label = _text({field: item}, field, limits.OPTION_CHARACTERS)
    if not label:
        raise ArgumentError(field, "needs a label")
    return Choice(label)


def _questions(value: object) -> tuple[OneQuestion, ...]:
    items = _list(value, "questions")
    if len(items) > limits.QUESTIONS_PER_REQUEST:
        raise ArgumentError("questions", f"must be at most {limits.QUESTIONS_PER_REQUEST}")
    return tuple(_question(item, f"questions[{index}]") for index, item in enumerate(items))


def _question(item: object, field: str) -> OneQuestion:
    if isinstance(item, str):
        item = {"question": item}
    if not isinstance(item, dict):
        raise ArgumentError(field, "must be an object with a question")
    name = next((name for name in _TEXT_NAMES if item.get(name)), None)
    if name is None:
        raise ArgumentError(f"{field}.question", "is missing")
    header = _text(item, "header", limits.HEADER_CHARACTERS, cut=True)
    multiple = item.get("multiple", item.get("multi_select", item.get("multiSelect")))
    return OneQuestion(
        _text(item, name, limits.QUESTION_CHARACTERS),
        header,
        _options(item.get("options"), f"{field}.options"),
        _switch(multiple, f"{field}.multiple", False),
        _switch(item.get("custom"), f"{field}.custom", True),
    )

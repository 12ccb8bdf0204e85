"""Reads the arguments of ask_question and work_report, forgivingly as `reading` does. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_mcp.tools.reading import (
    ArgumentError,
    list_of,
    only_known,
    switch_of,
    text_of,
    timeout_of,
    words_of,
)
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AskArguments",
    "Choice",
    "Common",
    "OneQuestion",
    "ReportArguments",
    "read_ask",
    "read_report",
]

_LABEL_NAMES: Final = ("label", "title", "name", "value", "text", "option")
_TEXT_NAMES: Final = ("question", "text", "prompt", "title")
_MULTIPLE_NAMES: Final = ("multiple", "multi_select", "multiSelect")
_OPTION_NAMES: Final = ("label", "description")
_QUESTION_NAMES: Final = ("question", "header", "options", "multiple", "custom")


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
        images: paths as given.
        notes: what was changed about the arguments, to be said in the result.
    """

    project_directory: str
    timeout_seconds: int
    agent_name: str
    model: str
    abort: bool
    images: tuple[str, ...]
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
    question_id = text_of(raw, "question_id", limits.ID_CHARACTERS)
    if question_id:
        return AskArguments(common, (), question_id)
    questions = _questions(raw.get("questions"))
    text = words_of(raw, "question", limits.QUESTION_CHARACTERS)
    if text and not questions:
        options = _options(raw.get("options"), "options")
        multiple = switch_of(raw.get("multi_select", raw.get("multiple")), "multi_select", False)
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
    summary = words_of(raw, "summary", limits.QUESTION_CHARACTERS)
    if not summary:
        raise ArgumentError("summary", "is missing")
    return ReportArguments(common, summary, switch_of(raw.get("wait"), "wait", True))


def _common(raw: Mapping[str, object]) -> Common:
    seconds, notes = timeout_of(raw.get("timeout"))
    on_timeout = text_of(raw, "on_timeout", limits.NAME_CHARACTERS).lower()
    if on_timeout not in ("", "continue", "abort"):
        raise ArgumentError("on_timeout", 'must be "continue" or "abort"')
    return Common(
        project_directory=text_of(raw, "project_directory", limits.PATH_CHARACTERS),
        timeout_seconds=seconds,
        agent_name=text_of(raw, "agent_name", limits.NAME_CHARACTERS, cut=True),
        model=text_of(raw, "reasoning_model_name", limits.NAME_CHARACTERS, cut=True),
        abort=on_timeout == "abort",
        images=_images(raw.get("images")),
        notes=notes,
    )


def _images(value: object) -> tuple[str, ...]:
    paths = list_of(value, "images")
    if len(paths) > limits.PICTURES_PER_CALL:
        raise ArgumentError("images", f"must be at most {limits.PICTURES_PER_CALL} paths")
    return tuple(
        text_of({name: path}, name, limits.PATH_CHARACTERS)
        for name, path in ((f"images[{index}]", path) for index, path in enumerate(paths))
    )


def _options(value: object, field: str) -> tuple[Choice, ...]:
    if isinstance(value, str) and value.strip()[:1] not in ("", "[", "{"):
        # One option, or several by some mark? The human would see a guess.
        raise ArgumentError(field, 'must be a list, such as ["first", "second"]')
    items = list_of(value, field)
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
        only_known(item, _OPTION_NAMES, besides=_LABEL_NAMES, inside=field)
        name = next((name for name in _LABEL_NAMES if item.get(name)), None)
        if name is None:
            raise ArgumentError(field, "needs a label")
        return Choice(
            text_of(item, name, limits.OPTION_CHARACTERS),
            text_of(item, "description", limits.OPTION_CHARACTERS, cut=True),
        )
    label = text_of({field: item}, field, limits.OPTION_CHARACTERS)
    if not label:
        raise ArgumentError(field, "needs a label")
    return Choice(label)


def _questions(value: object) -> tuple[OneQuestion, ...]:
    items = list_of(value, "questions")
    if len(items) > limits.QUESTIONS_PER_REQUEST:
        raise ArgumentError("questions", f"must be at most {limits.QUESTIONS_PER_REQUEST}")
    return tuple(_question(item, f"questions[{index}]") for index, item in enumerate(items))


def _question(item: object, field: str) -> OneQuestion:
    if isinstance(item, str):
        item = {"question": item}
    if not isinstance(item, dict):
        raise ArgumentError(field, "must be an object with a question")
    only_known(item, _QUESTION_NAMES, besides=(*_TEXT_NAMES, *_MULTIPLE_NAMES), inside=field)
    name = next((name for name in _TEXT_NAMES if item.get(name)), None)
    if name is None:
        raise ArgumentError(f"{field}.question", "is missing")
    words = words_of({f"{field}.{name}": item[name]}, f"{field}.{name}", limits.QUESTION_CHARACTERS)
    header = text_of(item, "header", limits.HEADER_CHARACTERS, cut=True)
    multiple = next((item[name] for name in _MULTIPLE_NAMES if name in item), None)
    return OneQuestion(
        words,
        header,
        _options(item.get("options"), f"{field}.options"),
        switch_of(multiple, f"{field}.multiple", False),
        switch_of(item.get("custom"), f"{field}.custom", True),
    )

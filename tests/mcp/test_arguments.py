"""What models really send: numbers as text, lists as JSON text, options as texts (B17)."""

from __future__ import annotations

import json

import pytest

from lineup_mcp.tools.arguments import Choice, OneQuestion, read_ask, read_report
from lineup_mcp.tools.reading import ArgumentError

OPTION_2 = "questions[0].options[1]"


@pytest.mark.parametrize(
    ("given", "seconds", "said"),
    [
        (None, 600, ""),
        ("", 600, ""),
        (1, 60, "raised"),
        (0, 60, "raised"),
        (-5, 60, "raised"),
        ("600", 600, ""),
        (" 90 s ", 90, ""),
        ("10m", 600, ""),
        ("2 h", 7200, ""),
        (600.4, 600, ""),
        (1e9, 86_400, "lowered"),
        (10**400, 86_400, "lowered"),
        ("1e999", 86_400, "lowered"),
        ("1e9", 86_400, "lowered"),
    ],
)
def test_a_timeout_is_understood_clamped_and_said(given: object, seconds: int, said: str) -> None:
    common = read_ask({"question": "?", "timeout": given}).common
    assert common.timeout_seconds == seconds
    notes = " ".join(common.notes)
    assert (said in notes) if said else not notes


@pytest.mark.parametrize(
    "options",
    [
        ["a", "b"],
        [{"label": "a"}, {"label": "b"}],
        [{"title": "a"}, {"value": "b", "description": "c"}],
        '["a", "b"]',
        '[{"label": "a"}, "b"]',
        ' [ "a", "b" ] ',
    ],
)
def test_options_come_in_many_shapes(options: object) -> None:
    (one,) = read_ask({"question": "?", "options": options}).questions
    assert [choice.label for choice in one.options] == ["a", "b"]


def test_several_questions_as_json_text_with_a_preface() -> None:
    raw = {
        "question": "Before the release:",
        "questions": json.dumps(
            [
                {"question": "Which?", "header": "x" * 40, "options": ["a"], "multiSelect": "true"},
                "And when?",
            ]
        ),
    }
    first, second = read_ask(raw).questions
    assert first == OneQuestion(
        "Before the release:\n\nWhich?", "x" * 30, (Choice("a"),), multiple=True
    )
    assert second == OneQuestion("And when?")


@pytest.mark.parametrize("options", ["", "  ", None, []])
def test_no_options_are_no_error(options: object) -> None:
    (one,) = read_ask({"question": "?", "options": options}).questions
    assert not one.options


def test_a_question_id_needs_nothing_else() -> None:
    arguments = read_ask({"question_id": " id-1 ", "question": "ignored"})
    assert arguments.question_id == "id-1"
    assert arguments.questions == ()


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, "question"),
        ({"question": "  "}, "question"),
        ({"question": ["a"]}, "question"),
        ({"question": "x" * 100_001}, "question"),
        ({"question": "?", "options": "[broken"}, "options"),
        ({"question": "?", "options": 5}, "options"),
        ({"question": "?", "options": "nonsense"}, "options"),
        ({"question": "?", "options": "a, b"}, "options"),
        ({"question": "?", "options": "a\nb\n"}, "options"),
        ({"question": "?", "options": ["a", "b", " a "]}, "options[2]"),
        ({"question": "?", "options": ["same"] * 40}, "options[1]"),
        ({"questions": [{"question": "?", "options": [{"label": "a"}, "a"]}]}, OPTION_2),
        ({"questions": [{"question": "?", "options": "nonsense"}]}, "questions[0].options"),
        ({"question": "?", "timeout": float("nan")}, "timeout"),
        ({"question": "?", "timeout": "abc"}, "timeout"),
        ({"question": "?", "timeout": True}, "timeout"),
        ({"question": "?", "timeout": [60]}, "timeout"),
        ({"question": "?", "on_timeout": "maybe"}, "on_timeout"),
        ({"question": "?", "options": [{"description": "no label"}]}, "options[0]"),
        ({"question": "?", "options": [""]}, "options[0]"),
        ({"question": "?", "options": ["a"] * 201}, "options"),
        ({"question": "?", "multi_select": "perhaps"}, "multi_select"),
        ({"question": "?", "on_timeout": "explode"}, "on_timeout"),
        ({"questions": [{}]}, "questions[0].question"),
        ({"questions": [5]}, "questions[0]"),
        ({"questions": ["?"] * 51}, "questions"),
        ({"questions": [{"question": "?", "options": [{}]}]}, "questions[0].options[0]"),
    ],
)
def test_a_real_error_names_the_field(raw: dict[str, object], field: str) -> None:
    with pytest.raises(ArgumentError) as error:
        read_ask(raw)
    assert error.value.field == field
    assert error.value.problem


@pytest.mark.parametrize(("wait", "expected"), [(None, True), ("false", False), (0, False)])
def test_a_report_waits_unless_told_otherwise(wait: object, expected: bool) -> None:
    arguments = read_report({"summary": "done", "wait": wait, "on_timeout": "ABORT"})
    assert arguments.wait is expected
    assert arguments.common.abort


def test_a_report_needs_a_summary() -> None:
    with pytest.raises(ArgumentError, match="summary is missing"):
        read_report({})


@pytest.mark.parametrize(
    ("raw", "field", "kind"),
    [
        ({"question": 5}, "question", "a number"),
        ({"question": True}, "question", "true or false"),
        ({"question": ["a"]}, "question", "a list"),
        ({"questions": [{"question": 5.5}]}, "questions[0].question", "a number"),
        ({"question": "?", "question_id": {}}, "question_id", "an object"),
    ],
)
def test_what_is_no_text_is_no_question(raw: dict[str, object], field: str, kind: str) -> None:
    with pytest.raises(ArgumentError) as error:
        read_ask(raw)
    assert (error.value.field, error.value.problem) == (field, f"must be a text, not {kind}")


def test_a_number_is_no_report() -> None:
    with pytest.raises(ArgumentError, match="summary must be a text, not a number"):
        read_report({"summary": 5})

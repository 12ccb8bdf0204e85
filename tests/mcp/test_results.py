"""The words of results, and what becomes of pictures, files and long texts."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from lineup_mcp import answers, endings, handover, results
from lineup_mcp.mailbox import Item
from lineup_srv.wire._gen.lineup.v1 import (
    agent_pb2,
    content_pb2,
    error_pb2,
    relay_pb2,
    request_pb2,
)
from tests.mcp.fake_relay import CLOCK, words

PIXEL = base64.b64encode(b"a picture").decode()


def _outcome(state: request_pb2.RequestState, **fields: object) -> relay_pb2.Outcome:
    values: dict[str, object] = {
        "question": "Which  one,\nnow?",
        "nickname": "Ann",
        "platform": "iPhone",
        **fields,
    }
    return relay_pb2.Outcome(request_id="id", state=state, **values)  # type: ignore[arg-type] # by name


def _ended(outcome: relay_pb2.Outcome, *, abort: bool = False, timeouts: int = 1) -> results.Result:
    return endings.ended(
        outcome, question="", abort=abort, timeouts_in_a_row=timeouts, timeout_seconds=60
    )


def _image(data: str, mime_type: str = "image/png") -> content_pb2.McpResultContent:
    image = content_pb2.ImageContent(type="image", data=data, mime_type=mime_type)
    return content_pb2.McpResultContent(type=2, image=image)


def _file(data: bytes, mime_type: str, uri: str = "files/a.bin") -> content_pb2.McpResultContent:
    resource = content_pb2.EmbeddedResource(
        type="embedded_resource", uri=uri, mime_type=mime_type, data=data
    )
    return content_pb2.McpResultContent(type=4, embedded_resource=resource)


def test_text_comes_before_pictures() -> None:
    """B38."""
    outcome = _outcome(
        request_pb2.REQUEST_STATE_ANSWERED,
        contents=[_image(PIXEL), *words("this one")],
        replied_unix_ms=CLOCK,
    )
    result = _ended(outcome)
    assert result.text.splitlines()[0].startswith("Answered by Ann on iPhone at 2027-01-15 ")
    assert result.text.splitlines()[1] == "Question: Which one, now?"
    assert result.text.endswith("this one")
    assert result.media == (answers.Media(PIXEL, "image/png"),)


def test_a_picture_alone_and_damaged_data() -> None:
    outcome = _outcome(
        request_pb2.REQUEST_STATE_ANSWERED, contents=[_image(PIXEL)], replied_unix_ms=CLOCK
    )
    assert _ended(outcome).text.endswith("The answer is in the attachments.")
    damaged = answers.render([_image("%%%"), _image(PIXEL, "no type")], [])
    assert damaged.media == []
    assert "its data was damaged" in damaged.text
    assert "is left out" in damaged.text


def test_files_become_text_pictures_or_a_path(tmp_path: Path) -> None:
    answer = answers.render(
        [
            _file(b"hello", "text/plain", "files/notes.txt"),
            _file(b"a picture", "image/webp"),
            _file(b"\xff\x00", "application/pdf", "files/../../x y.pdf"),
            _file(b"", "application/pdf", "files/elsewhere"),
        ],
        [],
    )
    assert "[Attached file notes.txt:]\nhello" in answer.text
    assert answer.media == [answers.Media(base64.b64encode(b"a picture").decode(), "image/webp")]
    assert "[Attached file: files/elsewhere]" in answer.text
    path = Path(answer.text.split("saved as ")[1].split("]")[0])
    assert path.read_bytes() == b"\xff\x00"
    assert path.is_relative_to(tmp_path)
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.requirement("B02")
def test_all_answers_of_a_form_are_in_the_result() -> None:
    chosen = [
        request_pb2.Answer(index=number, labels=[f"label {number}"], text=f"words {number}")
        for number in range(5)
    ]
    outcome = _outcome(request_pb2.REQUEST_STATE_ANSWERED, answers=chosen, replied_unix_ms=CLOCK)
    said = _ended(outcome).text.partition("Answer:\n")[2].split("\n\n")
    assert said == [f"{number + 1}. label {number}, words {number}" for number in range(5)]


def test_answers_fill_in_when_there_is_no_text() -> None:
    chosen = request_pb2.Answer(index=0, labels=["a", "b"], text="and more")
    assert answers.render([], [chosen]).text == "a, b, and more"


def test_a_long_text_goes_to_a_file_with_its_start_inline() -> None:
    text = "first words " + "ä" * 5_000
    short = answers.shortened(text)
    assert len(short.encode()) < answers.INLINE_BYTES
    assert short.startswith("first words")
    path = Path(short.split("read it: ")[1].rstrip("]"))
    assert path.read_text(encoding="utf-8") == text
    assert path.stat().st_mode & 0o077 == 0
    assert answers.shortened("short") == "short"


def test_dismissed_is_no_consent_and_no_error() -> None:
    result = _ended(
        _outcome(request_pb2.REQUEST_STATE_DECLINED, action="decline", replied_unix_ms=CLOCK)
    )
    assert result.text.startswith("Declined: the question was dismissed without an answer by Ann")
    assert "This is no consent" in result.text
    assert result.is_error is False


def test_done_ends_the_conversation() -> None:
    result = _ended(
        _outcome(
            request_pb2.REQUEST_STATE_ANSWERED,
            action="done",
            contents=words("thanks"),
            replied_unix_ms=CLOCK,
        )
    )
    lines = result.text.splitlines()
    assert lines[0].startswith("Answered by Ann")
    assert lines[1].startswith("Done, stop asking: ")
    assert result.text.endswith("thanks")


def test_a_confirmed_report_says_so() -> None:
    result = _ended(
        _outcome(request_pb2.REQUEST_STATE_ANSWERED, report=True, replied_unix_ms=CLOCK)
    )
    assert result.text.startswith("Confirmed by Ann")
    assert "Report: Which one, now?" in result.text


@pytest.mark.parametrize(
    ("said", "end"),
    [("Confirmed", "Report: Which one, now?"), ("Confirmed\ngo on with B", "Reply:\ngo on with B")],
)
def test_a_confirmation_is_more_than_a_word(said: str, end: str) -> None:
    result = _ended(
        _outcome(
            request_pb2.REQUEST_STATE_ANSWERED,
            report=True,
            contents=words(said),
            replied_unix_ms=CLOCK,
        )
    )
    assert result.text.startswith("Confirmed by Ann on iPhone at 2027-01-15 ")
    assert result.text.endswith(end)


def test_a_word_about_a_report_is_no_confirmation() -> None:
    result = _ended(
        _outcome(
            request_pb2.REQUEST_STATE_ANSWERED,
            report=True,
            contents=words("Confirmed? No, do it again"),
            replied_unix_ms=CLOCK,
        )
    )
    assert result.text.startswith("Answered by Ann")
    assert result.text.endswith("Reply:\nConfirmed? No, do it again")


@pytest.mark.requirement("B16")
@pytest.mark.parametrize("abort", [False, True])
def test_the_third_silence_in_a_row_says_that_the_user_is_away(abort: bool) -> None:
    expired = _outcome(request_pb2.REQUEST_STATE_EXPIRED)
    assert "the user is away" not in _ended(expired, abort=abort, timeouts=2).text
    third = _ended(expired, abort=abort, timeouts=3)
    assert "the user is away. Do not ask again. Finish" in third.text
    assert third.is_error is abort


def test_an_empty_answer_is_no_consent() -> None:
    result = _ended(_outcome(request_pb2.REQUEST_STATE_ANSWERED, replied_unix_ms=CLOCK))
    assert "The answer is empty. Do not assume consent" in result.text


def test_a_withdrawn_question_names_the_reason() -> None:
    result = _ended(
        _outcome(request_pb2.REQUEST_STATE_CANCELLED, reason=error_pb2.ERROR_CODE_LOG_UNAVAILABLE)
    )
    assert result.text.startswith("No answer: the question was withdrawn (log_unavailable)")
    assert "Do not assume consent" in result.text


@pytest.mark.parametrize("state", [s for s in request_pb2.RequestState.values() if s > 1])
def test_no_end_gives_an_empty_result(state: request_pb2.RequestState) -> None:
    result = _ended(_outcome(state))
    assert len(result.text.splitlines()) > 1


def test_a_quote_is_one_line_and_bounded() -> None:
    outcome = _outcome(request_pb2.REQUEST_STATE_EXPIRED, question="word " * 500)
    quote = _ended(outcome).text.splitlines()[1]
    assert len(quote) < 600
    assert quote.endswith("…")


@pytest.mark.parametrize(
    ("marks", "start"),
    [
        ({}, "Message from Ann at "),
        ({"redelivered": True}, "[may have reached you before] Message from Ann at "),
        (
            {"redelivered": True, "other_session": True},
            "[written to another session of this agent; may have reached you before] Message ",
        ),
    ],
)
def test_a_text_says_whether_it_was_meant_for_and_given_to_this_session(
    marks: dict[str, bool], start: str
) -> None:
    text = agent_pb2.Text(message_id="t", content="stop there", sent_unix_ms=CLOCK)
    for name, value in marks.items():
        setattr(text, name, value)
    setattr(text, "from", "Ann")
    result = handover.with_mail(results.Result("done"), [Item(text=text)])
    assert result.text.splitlines()[3].startswith(start)
    assert result.text.endswith("stop there")

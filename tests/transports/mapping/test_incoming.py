"""From the wire: what is read, what is refused, and with which field named."""

from __future__ import annotations

import base64
from typing import Any, Final

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, CommandId, Ref, RequestId, TextId
from lineup_srv.domain.commands import Open, ReplyTo
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.people import AgentIdentity
from lineup_srv.domain.request import (
    Answer,
    Approval,
    OnTimeout,
    Option,
    Question,
    ReplyAction,
    RequestKind,
)
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.mapping.asked import open_question, open_report
from lineup_srv.transports.mapping.contents import contents_from_wire, contents_to_wire
from lineup_srv.transports.mapping.replies import reply_from_wire
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import content_pb2, request_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import PHONE

COMMAND: Final = CommandId("command")
CALLER: Final = AgentId("call:1")


def ask(**fields: Any) -> assist.AskQuestionRequest:
    request = assist.McpAskQuestionRequest(**({"Question": "Go on?"} | fields))
    return assist.AskQuestionRequest(ID="q", UserToken="token", Request=request)


def too_long(field: str) -> request_pb2.Approval:
    approval = request_pb2.Approval()
    setattr(approval, field, "x" * 100_001)
    return approval


def opened(message: assist.AskQuestionRequest, intake: Intake | None = None) -> Open:
    return open_question(message, intake or Intake(), COMMAND, CALLER)


def inline(text: str) -> ContentRef:
    return Intake().text(text)


def refusal(error: pytest.ExceptionInfo[LineUpError]) -> tuple[ErrorCode, str]:
    return error.value.code, error.value.field


# Questions ---------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:questions-filled")
def test_a_plain_question_is_one_entry_with_an_answer_in_words() -> None:
    command = opened(ask())

    assert command.asked.kind is RequestKind.QUESTION
    assert command.asked.text.inline == "Go on?"
    assert command.asked.questions == (
        Question(inline("Go on?"), "", (), multiple=False, custom=True),
    )
    assert command.agent.agent_id == CALLER
    assert command.on_timeout is OnTimeout.CONTINUE


def test_everything_that_is_asked_is_read() -> None:
    questions = [
        assist.Question(
            question="Which?",
            header="Colour",
            options=[assist.Option(label="red", description="warm"), assist.Option(label="blue")],
            multiple=True,
        ),
        assist.Question(question="Why?", custom=True),
    ]
    message = ask(
        ProjectDirectory="/work",
        Question="is not read beside Questions",
        Timeout=30,
        AgentName="Ada",
        ReasoningModelName="opus",
        McpClientName="coder",
        Questions=questions,
        agent_id="ada",
        machine="m1",
        session="s1",
        machine_name="desk",
        on_timeout=request_pb2.ON_TIMEOUT_ABORT,
    )

    command = opened(message)

    assert command.agent == AgentIdentity(AgentId("ada"), "coder", "m1", "s1", "/work", "desk")
    assert (command.request_id, command.command_id) == (RequestId("q"), COMMAND)
    assert (command.agent_name, command.model) == ("Ada", "opus")
    assert command.on_timeout is OnTimeout.ABORT
    assert command.timeout_seconds == 30
    assert command.asked.questions == (
        Question(
            inline("Which?"),
            "Colour",
            (Option("red", "warm"), Option("blue", "")),
            multiple=True,
            custom=False,
        ),
        Question(inline("Why?"), "", (), multiple=False, custom=True),
    )
    assert command.asked.text.inline == ("**1.** Which?\n- red: warm\n- blue\n\n**2.** Why?")


def test_one_question_with_options_is_rendered_without_a_number() -> None:
    question = assist.Question(question="Go?", options=[assist.Option(label="yes")])

    assert opened(ask(Questions=[question])).asked.text.inline == "Go?\n- yes"


@pytest.mark.parametrize(
    ("seconds", "taken"),
    [(0, 600), (-5, 600), (1, 1), (604_800, 604_800), (604_801, 604_800), (2**31 - 1, 604_800)],
)
@pytest.mark.requirement("seed002:ask:default-timeout")
def test_a_timeout_is_600_seconds_unless_given_and_at_most_a_week(seconds: int, taken: int) -> None:
    assert opened(ask(Timeout=seconds)).timeout_seconds == taken
    report = assist.WorkReportRequest(ID="r")
    report.Request.Summary, report.Request.Timeout = "done", seconds
    assert open_report(report, Intake(), COMMAND, CALLER).timeout_seconds == taken


def test_an_approval_is_read() -> None:
    approval = request_pb2.Approval(
        tool="Bash",
        command="rm -r build",
        cwd="/work",
        description="clean",
        input_json="{}",
        can_allow_session=True,
        can_edit=True,
    )
    command = opened(ask(kind=request_pb2.REQUEST_KIND_APPROVAL, approval=approval))

    assert command.asked.kind is RequestKind.APPROVAL
    assert command.asked.approval == Approval(
        "Bash", "rm -r build", "/work", "clean", "{}", can_allow_session=True, can_edit=True
    )


def test_an_approval_counts_only_if_it_is_asked_for_one() -> None:
    assert opened(ask(approval=request_pb2.Approval(tool="Bash"))).asked.approval is None


def test_a_report_is_read() -> None:
    report = assist.WorkReportRequest(ID="r", UserToken="token")
    report.Request.Summary = "done"
    report.Request.agent_id, report.Request.ProjectDirectory = "ada", "/work"

    command = open_report(report, Intake(), COMMAND, CALLER)

    assert command.asked.kind is RequestKind.REPORT
    assert (command.asked.text.inline, command.asked.questions) == ("done", ())
    assert command.agent.agent_id == "ada"


@pytest.mark.parametrize(
    ("message", "code", "field"),
    [
        (assist.AskQuestionRequest(), "INVALID_ARGUMENT", "Request.Question"),
        (ask(Question=" \n"), "INVALID_ARGUMENT", "Request.Question"),
        (ask(Question="x" * 100_001), "TOO_LARGE", "Request.question"),
        (ask(kind=request_pb2.REQUEST_KIND_APPROVAL), "INVALID_ARGUMENT", "Request.approval"),
        (ask(Questions=[assist.Question()] * 51), "TOO_LARGE", "Request.Questions"),
        (
            ask(Questions=[assist.Question(question="a"), assist.Question()]),
            "INVALID_ARGUMENT",
            "Request.Questions[1].Question",
        ),
        (
            ask(Questions=[assist.Question(question="a", header="h" * 31)]),
            "TOO_LARGE",
            "Request.Questions[0].header",
        ),
        (
            ask(
                Questions=[assist.Question(question="a", options=[assist.Option(label="l")] * 201)]
            ),
            "TOO_LARGE",
            "Request.Questions[0].options",
        ),
        (
            ask(Questions=[assist.Question(question="a", options=[assist.Option(label=" ")])]),
            "INVALID_ARGUMENT",
            "Request.Questions[0].options[0]",
        ),
        (
            ask(
                Questions=[
                    assist.Question(question="a", options=[assist.Option(label="l" * 4_001)])
                ]
            ),
            "TOO_LARGE",
            "Request.Questions[0].options[0].label",
        ),
        (
            ask(
                Questions=[
                    assist.Question(
                        question="a", options=[assist.Option(label="l", description="d" * 4_001)]
                    )
                ]
            ),
            "TOO_LARGE",
            "Request.Questions[0].options[0].description",
        ),
        *(
            (ask(**{name: "x" * 201}), "TOO_LARGE", f"Request.{name}")
            for name in (
                "AgentName",
                "ReasoningModelName",
                "McpClientName",
                "machine",
                "session",
                "machine_name",
                "agent_id",
            )
        ),
        (ask(ProjectDirectory="x" * 4_097), "TOO_LARGE", "Request.ProjectDirectory"),
        *(
            (
                ask(
                    kind=request_pb2.REQUEST_KIND_APPROVAL,
                    approval=too_long(name),
                ),
                "TOO_LARGE",
                f"Request.approval.{name}",
            )
            for name in ("tool", "command", "cwd", "description", "input_json")
        ),
        (
            ask(contents=[content_pb2.McpResultContent(type=9)]),
            "INVALID_ARGUMENT",
            "Request.contents[0]",
        ),
    ],
)
def test_a_question_that_breaks_a_rule_is_refused_with_its_field(
    message: assist.AskQuestionRequest, code: str, field: str
) -> None:
    with pytest.raises(LineUpError) as caught:
        opened(message)

    assert refusal(caught) == (ErrorCode[code], field)


@pytest.mark.parametrize(
    ("request_id", "code"), [("", "INVALID_ARGUMENT"), ("x" * 129, "TOO_LARGE")]
)
def test_an_id_is_needed_and_bounded(request_id: str, code: str) -> None:
    message = ask()
    message.ID = request_id
    report = assist.WorkReportRequest(ID=request_id)
    report.Request.Summary = "done"

    with pytest.raises(LineUpError) as asking:
        opened(message)
    with pytest.raises(LineUpError) as reporting:
        open_report(report, Intake(), COMMAND, CALLER)

    assert refusal(asking) == refusal(reporting) == (ErrorCode[code], "ID")


@pytest.mark.parametrize(
    ("summary", "code"), [("", "INVALID_ARGUMENT"), ("x" * 100_001, "TOO_LARGE")]
)
def test_a_report_has_text_and_not_too_much(summary: str, code: str) -> None:
    report = assist.WorkReportRequest(ID="r")
    report.Request.Summary = summary

    with pytest.raises(LineUpError) as caught:
        open_report(report, Intake(), COMMAND, CALLER)

    assert refusal(caught) == (ErrorCode[code], "Request.Summary")


# Contents ----------------------------------------------------------------------------------------


def contents() -> list[content_pb2.McpResultContent]:
    return [
        content_pb2.McpResultContent(type=1, text=content_pb2.TextContent(type="text", text="yes")),
        content_pb2.McpResultContent(
            type=1, text=content_pb2.TextContent(type="text", text="ж" * limits.INLINE_BYTES)
        ),
        content_pb2.McpResultContent(
            type=2,
            image=content_pb2.ImageContent(
                type="image", data=base64.b64encode(b"\x89PNG").decode(), mime_type="image/png"
            ),
        ),
        content_pb2.McpResultContent(
            type=3,
            audio=content_pb2.AudioContent(
                type="audio", data=base64.b64encode(b"RIFF").decode(), mime_type="audio/wav"
            ),
        ),
        content_pb2.McpResultContent(
            type=4,
            embedded_resource=content_pb2.EmbeddedResource(
                type="embedded_resource",
                uri="file:///a.pdf",
                mime_type="application/pdf",
                data=b"%PDF",
            ),
        ),
    ]


def test_contents_come_back_as_they_were() -> None:
    intake = Intake()

    read = contents_from_wire(contents(), intake, field="contents")

    assert [content.kind for content in read] == [
        ContentKind.TEXT,
        ContentKind.TEXT,
        ContentKind.IMAGE,
        ContentKind.AUDIO,
        ContentKind.RESOURCE,
    ]
    # Only small texts stand in their fact.
    assert [content.ref.inline is not None for content in read] == [True] + [False] * 4
    assert contents_to_wire(read, intake.blobs) == contents()


def test_a_content_without_a_media_type_is_bytes() -> None:
    items = [content_pb2.McpResultContent(type=kind) for kind in (2, 3, 4)]

    read = contents_from_wire(items, Intake(), field="contents")

    assert {content.ref.mime for content in read} == {"application/octet-stream"}


@pytest.mark.parametrize("data", ["not base64!", "QUJ", "QUJD\n", "QUJ-", "ключ", "\ud7ff"])
@pytest.mark.parametrize("kind", ["image", "audio"])
def test_what_is_no_base64_is_refused(data: str, kind: str) -> None:
    item = content_pb2.McpResultContent(type=2 if kind == "image" else 3)
    getattr(item, kind).data = data

    with pytest.raises(LineUpError) as caught:
        contents_from_wire([item], Intake(), field="contents")

    assert refusal(caught) == (ErrorCode.INVALID_ARGUMENT, f"contents[0].{kind}.data")
    assert data not in str(caught.value)


@pytest.mark.parametrize(
    ("items", "code", "field"),
    [
        ([content_pb2.McpResultContent(type=1)] * 21, "TOO_LARGE", "contents"),
        ([content_pb2.McpResultContent()], "INVALID_ARGUMENT", "contents[0]"),
        ([content_pb2.McpResultContent(type=5)], "INVALID_ARGUMENT", "contents[0]"),
        (
            [
                content_pb2.McpResultContent(type=1),
                content_pb2.McpResultContent(
                    type=2, image=content_pb2.ImageContent(mime_type="x" * 201)
                ),
            ],
            "TOO_LARGE",
            "contents[1].image.mime_type",
        ),
        (
            [
                content_pb2.McpResultContent(
                    type=3, audio=content_pb2.AudioContent(mime_type="x" * 201)
                )
            ],
            "TOO_LARGE",
            "contents[0].audio.mime_type",
        ),
        (
            [
                content_pb2.McpResultContent(
                    type=4,
                    embedded_resource=content_pb2.EmbeddedResource(mime_type="x" * 201),
                )
            ],
            "TOO_LARGE",
            "contents[0].embedded_resource.mime_type",
        ),
        (
            [
                content_pb2.McpResultContent(
                    type=4, embedded_resource=content_pb2.EmbeddedResource(uri="x" * 4_097)
                )
            ],
            "TOO_LARGE",
            "contents[0].embedded_resource.uri",
        ),
    ],
)
def test_contents_that_break_a_rule_are_refused_with_their_field(
    items: list[content_pb2.McpResultContent], code: str, field: str
) -> None:
    with pytest.raises(LineUpError) as caught:
        contents_from_wire(items, Intake(), field="contents")

    assert refusal(caught) == (ErrorCode[code], field)


# Replies -----------------------------------------------------------------------------------------


def answer(**fields: Any) -> WebsocketMessage:
    message = WebsocketMessage(Cmd="AskQuestionReply", ref="r" * 16)
    message.AskQuestionRequest.ID = "q"
    message.AskQuestionResponse.CopyFrom(
        assist.AskQuestionResponse(**({"contents": contents()[:1]} | fields))
    )
    return message


def read(message: WebsocketMessage) -> ReplyTo:
    return reply_from_wire(message, PHONE, Intake(), COMMAND)


def test_an_answer_is_read() -> None:
    message = answer(
        Meta={"action": "done", "input_json": '{"a":1}'},
        answers=[
            request_pb2.Answer(index=0, labels=["red"], text="of course"),
            request_pb2.Answer(index=1),
        ],
    )
    message.AskQuestionRequest.Request.agent_id = "ada"

    assert read(message) == ReplyTo(
        command_id=COMMAND,
        request_id=RequestId("q"),
        ref=Ref("r" * 16),
        action=ReplyAction.DONE,
        contents=(Content(ContentKind.TEXT, inline("yes"), ""),),
        answers=(Answer(0, ("red",), "of course"), Answer(1, (), "")),
        input_json='{"a":1}',
        by=PHONE,
        agent_id=AgentId("ada"),
        text_id=TextId(COMMAND),
        first_ack=None,
    )


def test_the_requests_id_may_stand_in_the_response_only() -> None:
    message = answer(ID="q2")
    message.AskQuestionRequest.ID = ""

    assert read(message).request_id == "q2"


def test_a_report_is_confirmed_without_a_word() -> None:
    message = WebsocketMessage(Cmd="WorkReportReply")
    message.WorkReportResponse.ID = "r"

    command = read(message)

    assert (command.action, command.contents) == (ReplyAction.ANSWER, ())


@pytest.mark.parametrize("action", ["decline", "done", "correct"])
def test_what_is_no_plain_answer_needs_no_words(action: str) -> None:
    assert read(answer(contents=[], Meta={"action": action})).action.value == action


def test_labels_alone_are_an_answer() -> None:
    assert read(answer(contents=[], answers=[request_pb2.Answer(labels=["red"])])).answers


@pytest.mark.parametrize(
    ("message", "code", "field"),
    [
        (answer(contents=[]), "INVALID_ARGUMENT", "AskQuestionResponse.contents"),
        (
            answer(Meta={"action": "shrug"}),
            "INVALID_ARGUMENT",
            "AskQuestionResponse.Meta.action",
        ),
        (
            answer(Meta={"input_json": "x" * 100_001}),
            "TOO_LARGE",
            "AskQuestionResponse.Meta.input_json",
        ),
        (
            answer(answers=[request_pb2.Answer()] * 51),
            "TOO_LARGE",
            "AskQuestionResponse.answers",
        ),
        (
            answer(answers=[request_pb2.Answer(), request_pb2.Answer(labels=["l"] * 201)]),
            "TOO_LARGE",
            "AskQuestionResponse.answers[1].labels",
        ),
        (
            answer(answers=[request_pb2.Answer(labels=["l" * 4_001])]),
            "TOO_LARGE",
            "AskQuestionResponse.answers[0].labels",
        ),
        (
            answer(answers=[request_pb2.Answer(text="x" * 100_001)]),
            "TOO_LARGE",
            "AskQuestionResponse.answers[0].text",
        ),
    ],
)
def test_an_answer_that_breaks_a_rule_is_refused_with_its_field(
    message: WebsocketMessage, code: str, field: str
) -> None:
    with pytest.raises(LineUpError) as caught:
        read(message)

    assert refusal(caught) == (ErrorCode[code], field)


@pytest.mark.parametrize(
    ("request_id", "agent_id", "code", "field"),
    [
        ("", "", "INVALID_ARGUMENT", "AskQuestionRequest.ID"),
        ("q" * 129, "", "TOO_LARGE", "AskQuestionRequest.ID"),
        ("q", "a" * 129, "TOO_LARGE", "AskQuestionRequest.agent_id"),
    ],
)
def test_an_answer_names_its_request(request_id: str, agent_id: str, code: str, field: str) -> None:
    message = answer()
    message.AskQuestionRequest.ID = request_id
    message.AskQuestionRequest.Request.agent_id = agent_id

    with pytest.raises(LineUpError) as caught:
        read(message)

    assert refusal(caught) == (ErrorCode[code], field)

"""Questions and reports ↔ what the domain calls Asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, CommandId, RequestId
from lineup_srv.domain.commands import Open
from lineup_srv.domain.people import AgentIdentity
from lineup_srv.domain.request import (
    Approval,
    Asked,
    OnTimeout,
    Option,
    Question,
    RequestKind,
)
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.contents import (
    contents_from_wire,
    contents_to_wire,
    text_of,
)
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import request_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.domain.request import Request
    from lineup_srv.service.bodies import Intake
    from lineup_srv.transports.mapping.contents import Links

__all__ = [
    "open_question",
    "open_report",
    "question_to_wire",
    "report_to_wire",
]


def open_question(
    message: assist.AskQuestionRequest, intake: Intake, command_id: CommandId, agent_id: AgentId
) -> Open:
    """The command for a question.

    Args:
        message: the question as it came.
        intake: collects its texts and pictures.
        command_id: the command's id.
        agent_id: who asks, where the message does not say (the frozen service).

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    asked = message.Request
    questions = _questions(asked)
    approval = asked.kind == request_pb2.REQUEST_KIND_APPROVAL
    if approval and not asked.HasField("approval"):
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "an approval says what is allowed", field="Request.approval"
        )
    opened = Asked(
        kind=RequestKind.APPROVAL if approval else RequestKind.QUESTION,
        project_directory=_path(asked.ProjectDirectory),
        text=intake.text(_rendering(questions)),
        questions=tuple(_question(question, intake) for question in questions),
        contents=contents_from_wire(asked.contents, intake, field="Request.contents"),
        approval=_approval(asked.approval) if approval else None,
    )
    return _open(message, opened, command_id, agent_id)


def open_report(
    message: assist.WorkReportRequest, intake: Intake, command_id: CommandId, agent_id: AgentId
) -> Open:
    """The command for a report; arguments and errors as `open_question`."""
    asked = message.Request
    if not asked.Summary.strip():
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "a report has text", field="Request.Summary")
    summary = checked(asked.Summary, "Request.Summary", limits.QUESTION_CHARACTERS)
    opened = Asked(
        kind=RequestKind.REPORT,
        project_directory=_path(asked.ProjectDirectory),
        text=intake.text(summary),
        questions=(),
        contents=contents_from_wire(asked.contents, intake, field="Request.contents"),
        approval=None,
    )
    return _open(message, opened, command_id, agent_id)


def _open(
    message: assist.AskQuestionRequest | assist.WorkReportRequest,
    opened: Asked,
    command_id: CommandId,
    agent_id: AgentId,
) -> Open:
    """The command, with what a question and a report both say of who asks and how long."""
    asked = message.Request
    return Open(
        command_id=command_id,
        request_id=_request_id(message.ID),
        asked=opened,
        agent=_identity(asked, agent_id),
        agent_name=checked(asked.AgentName, "Request.AgentName"),
        model=checked(asked.ReasoningModelName, "Request.ReasoningModelName"),
        on_timeout=_on_timeout(asked.on_timeout),
        timeout_seconds=_timeout(asked.Timeout),
    )


def _request_id(text: str) -> RequestId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "a request has an id", field="ID")
    return RequestId(checked(text, "ID", limits.ID_CHARACTERS))


def _path(text: str) -> str:
    return checked(text, "Request.ProjectDirectory", limits.PATH_CHARACTERS)


def _timeout(seconds: int) -> int:
    """The RPC's own timeout: 600 s when ≤ 0, else up to a week (wire §3)."""
    if seconds <= 0:
        return limits.DEFAULT_TIMEOUT_SECONDS
    return min(seconds, limits.MAX_TIMEOUT_SECONDS)


def _on_timeout(value: request_pb2.OnTimeout) -> OnTimeout:
    abort = value == request_pb2.ON_TIMEOUT_ABORT
    return OnTimeout.ABORT if abort else OnTimeout.CONTINUE


def _identity(
    asked: assist.McpAskQuestionRequest | assist.McpWorkReportRequest, agent_id: AgentId
) -> AgentIdentity:
    named = checked(asked.agent_id, "Request.agent_id", limits.ID_CHARACTERS)
    return AgentIdentity(
        agent_id=AgentId(named) if named else agent_id,
        client=checked(asked.McpClientName, "Request.McpClientName"),
        machine=checked(asked.machine, "Request.machine"),
        session=checked(asked.session, "Request.session"),
        directory=_path(asked.ProjectDirectory),
        machine_name=checked(asked.machine_name, "Request.machine_name"),
    )


def _questions(asked: assist.McpAskQuestionRequest) -> Sequence[assist.Question]:
    """All questions; a plain one is an entry without options. Checks the limits."""
    plain = assist.Question(question=asked.Question, custom=True)
    questions: Sequence[assist.Question] = asked.Questions or [plain]
    if len(questions) > limits.QUESTIONS_PER_REQUEST:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.QUESTIONS_PER_REQUEST} questions in one request",
            field="Request.Questions",
        )
    for index, question in enumerate(questions):
        _check_question(question, f"Request.Questions[{index}]" if asked.Questions else "Request")
    return questions


def _check_question(question: assist.Question, field: str) -> None:
    if not question.question.strip():
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "a question has text", field=f"{field}.Question"
        )
    checked(question.question, f"{field}.question", limits.QUESTION_CHARACTERS)
    checked(question.header, f"{field}.header", limits.HEADER_CHARACTERS)
    if len(question.options) > limits.OPTIONS_PER_QUESTION:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.OPTIONS_PER_QUESTION} options",
            field=f"{field}.options",
        )
    for number, option in enumerate(question.options):
        where = f"{field}.options[{number}]"
        if not option.label.strip():
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, "an option has a label", field=where)
        checked(option.label, f"{where}.label", limits.OPTION_CHARACTERS)
        checked(option.description, f"{where}.description", limits.OPTION_CHARACTERS)


def _question(question: assist.Question, intake: Intake) -> Question:
    return Question(
        text=intake.text(question.question),
        header=question.header,
        options=tuple(Option(option.label, option.description) for option in question.options),
        multiple=question.multiple,
        custom=question.custom,
    )


def _rendering(questions: Sequence[assist.Question]) -> str:
    """What clients that read only `Question` show (wire §3)."""
    if len(questions) == 1 and not questions[0].options:
        return questions[0].question
    return "\n\n".join(
        "\n".join(
            [
                f"**{number}.** {question.question}" if len(questions) > 1 else question.question,
                *(
                    f"- {option.label}" + (f": {option.description}" if option.description else "")
                    for option in question.options
                ),
            ]
        )
        for number, question in enumerate(questions, start=1)
    )


def _approval(approval: request_pb2.Approval) -> Approval:
    text = limits.QUESTION_CHARACTERS
    return Approval(
        tool=checked(approval.tool, "Request.approval.tool"),
        command=checked(approval.command, "Request.approval.command", text),
        cwd=checked(approval.cwd, "Request.approval.cwd", limits.PATH_CHARACTERS),
        description=checked(approval.description, "Request.approval.description", text),
        input_json=checked(approval.input_json, "Request.approval.input_json", text),
        can_allow_session=approval.can_allow_session,
        can_edit=approval.can_edit,
    )


def question_to_wire(
    request: Request, bodies: Mapping[str, bytes], links: Links | None = None
) -> assist.AskQuestionRequest:
    """A stored question for the devices; its UserToken is empty (wire §3)."""
    asked = request.asked
    message = assist.McpAskQuestionRequest(
        ProjectDirectory=asked.project_directory,
        Question=text_of(asked.text, bodies),
        Timeout=request.timeout_seconds,
        AgentName=request.agent_name,
        ReasoningModelName=request.model,
        McpClientName=request.agent.client,
        # The generated stub takes the frozen field `Question` for the type of this one.
        Questions=[_question_to_wire(question, bodies) for question in asked.questions],  # type: ignore[misc]
        contents=contents_to_wire(asked.contents, bodies, links),
        agent_id=request.agent.agent_id,
        machine=request.agent.machine,
        session=request.agent.session,
        machine_name=request.agent.machine_name,
        on_timeout=_on_timeout_to_wire(request.on_timeout),
        kind=request_pb2.REQUEST_KIND_QUESTION,
    )
    if asked.approval is not None:
        message.kind = request_pb2.REQUEST_KIND_APPROVAL
        message.approval.CopyFrom(_approval_to_wire(asked.approval))
    return assist.AskQuestionRequest(
        ID=request.request_id, Request=message, Timestamp=request.opened_unix_ms
    )


def report_to_wire(
    request: Request, bodies: Mapping[str, bytes], links: Links | None = None
) -> assist.WorkReportRequest:
    """A stored report for the devices; its UserToken is empty (wire §3)."""
    asked = request.asked
    return assist.WorkReportRequest(
        ID=request.request_id,
        Request=assist.McpWorkReportRequest(
            ProjectDirectory=asked.project_directory,
            Summary=text_of(asked.text, bodies),
            Timeout=request.timeout_seconds,
            AgentName=request.agent_name,
            ReasoningModelName=request.model,
            McpClientName=request.agent.client,
            contents=contents_to_wire(asked.contents, bodies, links),
            agent_id=request.agent.agent_id,
            machine=request.agent.machine,
            session=request.agent.session,
            machine_name=request.agent.machine_name,
            on_timeout=_on_timeout_to_wire(request.on_timeout),
        ),
        Timestamp=request.opened_unix_ms,
    )


def _question_to_wire(question: Question, bodies: Mapping[str, bytes]) -> assist.Question:
    return assist.Question(
        question=text_of(question.text, bodies),
        header=question.header,
        options=[
            assist.Option(label=option.label, description=option.description)
            for option in question.options
        ],
        multiple=question.multiple,
        custom=question.custom,
    )


def _approval_to_wire(approval: Approval) -> request_pb2.Approval:
    return request_pb2.Approval(
        tool=approval.tool,
        command=approval.command,
        cwd=approval.cwd,
        description=approval.description,
        input_json=approval.input_json,
        can_allow_session=approval.can_allow_session,
        can_edit=approval.can_edit,
    )


def _on_timeout_to_wire(value: OnTimeout) -> request_pb2.OnTimeout:
    if value is OnTimeout.ABORT:
        return request_pb2.ON_TIMEOUT_ABORT
    return request_pb2.ON_TIMEOUT_CONTINUE

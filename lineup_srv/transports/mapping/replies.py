"""Answers ↔ the frozen responses of the WebSocket and of the frozen service."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, CommandId, Ref, RequestId, TextId
from lineup_srv.domain.commands import ReplyTo
from lineup_srv.domain.request import Answer, ReplyAction, RequestState
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.contents import contents_from_wire, contents_to_wire
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import content_pb2, request_pb2
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.domain.people import Author
    from lineup_srv.domain.request import Reply, Request
    from lineup_srv.service.bodies import Intake
    from lineup_srv.service.ports import OutcomeTold
    from lineup_srv.transports.mapping.contents import Links
    from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

__all__ = [
    "answers_to_wire",
    "question_outcome_to_wire",
    "question_reply_to_wire",
    "reply_from_wire",
    "report_outcome_to_wire",
    "report_reply_to_wire",
]

_ENDS = {
    RequestState.EXPIRED: ("timeout", "Nobody answered in time. Silence is not consent."),
    RequestState.CANCELLED: ("cancelled", "The request was withdrawn."),
    RequestState.DECLINED: ("declined", "The human chose not to answer."),
}
_LATE = "What follows was said later."


def reply_from_wire(
    message: WebsocketMessage, by: Author, intake: Intake, command_id: CommandId
) -> ReplyTo:
    """The command for AskQuestionReply and WorkReportReply.

    Of the request only `ID` and agent_id are read (wire §3).

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    report = message.Cmd == Cmd.WORK_REPORT_REPLY.value
    kind = "WorkReport" if report else "AskQuestion"
    if not message.HasField("WorkReportResponse" if report else "AskQuestionResponse"):
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "a reply carries its response", field=f"{kind}Response"
        )
    request = message.WorkReportRequest if report else message.AskQuestionRequest
    response = message.WorkReportResponse if report else message.AskQuestionResponse
    request_id = request.ID or response.ID
    if not request_id:
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "a reply names its request", field=f"{kind}Request.ID"
        )
    contents = contents_from_wire(response.contents, intake, field=f"{kind}Response.contents")
    answers = _answers(response.answers, f"{kind}Response.answers")
    action = _action(response.Meta.get("action", ""), f"{kind}Response.Meta.action")
    if not report and action is ReplyAction.ANSWER and not contents and not answers:
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "an answer says something", field=f"{kind}Response.contents"
        )
    return ReplyTo(
        command_id=command_id,
        request_id=RequestId(checked(request_id, f"{kind}Request.ID", limits.ID_CHARACTERS)),
        ref=Ref(message.ref),
        action=action,
        contents=contents,
        answers=answers,
        input_json=checked(
            response.Meta.get("input_json", ""),
            f"{kind}Response.Meta.input_json",
            limits.QUESTION_CHARACTERS,
        ),
        by=by,
        agent_id=AgentId(
            checked(request.Request.agent_id, f"{kind}Request.agent_id", limits.ID_CHARACTERS)
        ),
        text_id=TextId(command_id),
        first_ack=None,
    )


def _answers(items: Sequence[request_pb2.Answer], field: str) -> tuple[Answer, ...]:
    if len(items) > limits.QUESTIONS_PER_REQUEST:
        raise LineUpError(
            ErrorCode.TOO_LARGE, f"at most {limits.QUESTIONS_PER_REQUEST} answers", field=field
        )
    return tuple(_answer(item, f"{field}[{number}]") for number, item in enumerate(items))


def _answer(item: request_pb2.Answer, field: str) -> Answer:
    if len(item.labels) > limits.OPTIONS_PER_QUESTION:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.OPTIONS_PER_QUESTION} labels",
            field=f"{field}.labels",
        )
    return Answer(
        index=item.index,
        labels=tuple(
            checked(label, f"{field}.labels", limits.OPTION_CHARACTERS) for label in item.labels
        ),
        text=checked(item.text, f"{field}.text", limits.QUESTION_CHARACTERS),
    )


def _action(text: str, field: str) -> ReplyAction:
    try:
        return ReplyAction(text) if text else ReplyAction.ANSWER
    except ValueError:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "unknown action", field=field) from None


def question_reply_to_wire(
    request: Request, reply: Reply, bodies: Mapping[str, bytes], links: Links | None = None
) -> assist.AskQuestionResponse:
    """An answer to a question."""
    return assist.AskQuestionResponse(
        ID=request.request_id,
        Meta=_meta(reply),
        contents=contents_to_wire(reply.contents, bodies, links),
        answers=answers_to_wire(reply),
    )


def report_reply_to_wire(
    request: Request, reply: Reply, bodies: Mapping[str, bytes], links: Links | None = None
) -> assist.WorkReportResponse:
    """An answer to a report."""
    return assist.WorkReportResponse(
        ID=request.request_id,
        Meta=_meta(reply),
        contents=contents_to_wire(reply.contents, bodies, links),
        answers=answers_to_wire(reply),
    )


def _meta(reply: Reply) -> dict[str, str]:
    """What a response says beside its contents; for the history also when it was given."""
    meta = {"action": reply.action.value, "replied_unix_ms": str(reply.at_unix_ms)}
    if reply.input_json:
        meta["input_json"] = reply.input_json
    return meta


def answers_to_wire(reply: Reply) -> list[request_pb2.Answer]:
    """The answers by question."""
    return [
        request_pb2.Answer(index=answer.index, labels=answer.labels, text=answer.text)
        for answer in reply.answers
    ]


def question_outcome_to_wire(told: OutcomeTold) -> assist.AskQuestionResponse:
    """What the frozen AskQuestion returns."""
    request = told.request
    if request.state is RequestState.ANSWERED and request.reply is not None:
        return question_reply_to_wire(request, request.reply, told.bodies)
    code, message = _end(request)
    return assist.AskQuestionResponse(
        ID=request.request_id,
        IsError=True,
        Meta={"error": code, "message": message},
        contents=[_text(message), *_last_words(told)],
    )


def report_outcome_to_wire(told: OutcomeTold) -> assist.WorkReportResponse:
    """What the frozen WorkReport returns."""
    request = told.request
    if request.state is RequestState.ANSWERED and request.reply is not None:
        return report_reply_to_wire(request, request.reply, told.bodies)
    code, message = _end(request)
    return assist.WorkReportResponse(
        ID=request.request_id,
        IsError=True,
        Meta={"error": code, "message": message},
        contents=[_text(message), *_last_words(told)],
    )


def _end(request: Request) -> tuple[str, str]:
    """The frozen error word and a text that says it; an empty error is a defect (wire §3)."""
    code, message = _ENDS[request.state]
    words = (message, request.message, _LATE if request.late else "")
    return code, " ".join(word for word in words if word)


def _last_words(told: OutcomeTold) -> list[content_pb2.McpResultContent]:
    """What the human said when dismissing it, or too late."""
    reply = told.request.reply
    return [] if reply is None else contents_to_wire(reply.contents, told.bodies)


def _text(text: str) -> content_pb2.McpResultContent:
    return content_pb2.McpResultContent(
        type=1, text=content_pb2.TextContent(type="text", text=text)
    )

"""Makes the messages that open a card from the arguments of a call. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2, request_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.identity import Identity
    from lineup_mcp.tools.arguments import AskArguments, Common, OneQuestion, ReportArguments
    from lineup_srv.wire._gen.lineup.v1 import content_pb2

__all__ = ["approval_request", "question_request", "rendered", "report_request"]


def question_request(
    arguments: AskArguments,
    pictures: Sequence[content_pb2.McpResultContent],
    *,
    request_id: str,
    directory: str,
    timeout_seconds: int,
    identity: Identity,
) -> relay_pb2.OpenRequestRequest:
    """A question of `identity` with pictures; the same arguments make the same card."""
    common = arguments.common
    asked = agent_assist_pb2.McpAskQuestionRequest(
        ProjectDirectory=directory,
        Question=rendered(arguments.questions),
        Timeout=timeout_seconds,
        AgentName=common.agent_name,
        ReasoningModelName=common.model,
        McpClientName=identity.client,
        agent_id=identity.agent_id,
        machine=identity.machine,
        session=identity.session,
        machine_name=identity.machine_name,
        on_timeout=_on_timeout(common),
        kind=request_pb2.REQUEST_KIND_QUESTION,
    )
    asked.contents.extend(pictures)
    asked.Questions.extend(_question(one) for one in arguments.questions)
    return relay_pb2.OpenRequestRequest(
        question=agent_assist_pb2.AskQuestionRequest(ID=request_id, Request=asked)
    )


def report_request(
    arguments: ReportArguments,
    pictures: Sequence[content_pb2.McpResultContent],
    *,
    request_id: str,
    directory: str,
    timeout_seconds: int,
    identity: Identity,
) -> relay_pb2.OpenRequestRequest:
    """A report of `identity` with pictures."""
    common = arguments.common
    reported = agent_assist_pb2.McpWorkReportRequest(
        ProjectDirectory=directory,
        Summary=arguments.summary,
        Timeout=timeout_seconds,
        AgentName=common.agent_name,
        ReasoningModelName=common.model,
        McpClientName=identity.client,
        agent_id=identity.agent_id,
        machine=identity.machine,
        session=identity.session,
        machine_name=identity.machine_name,
        on_timeout=_on_timeout(common),
        contents=pictures,
    )
    return relay_pb2.OpenRequestRequest(
        report=agent_assist_pb2.WorkReportRequest(ID=request_id, Request=reported)
    )


def approval_request(
    question: str,
    approval: request_pb2.Approval,
    *,
    request_id: str,
    timeout_seconds: int,
    identity: Identity,
) -> relay_pb2.OpenRequestRequest:
    """A step that `identity` wants to take; `question` is for programs that know no approval."""
    asked = agent_assist_pb2.McpAskQuestionRequest(
        ProjectDirectory=approval.cwd or identity.directory,
        Question=question,
        Timeout=timeout_seconds,
        McpClientName=identity.client,
        agent_id=identity.agent_id,
        machine=identity.machine,
        session=identity.session,
        machine_name=identity.machine_name,
        on_timeout=request_pb2.ON_TIMEOUT_ABORT,
        kind=request_pb2.REQUEST_KIND_APPROVAL,
        approval=approval,
    )
    return relay_pb2.OpenRequestRequest(
        question=agent_assist_pb2.AskQuestionRequest(ID=request_id, Request=asked)
    )


def rendered(questions: Sequence[OneQuestion]) -> str:
    """All questions as markdown, for programs that read only one text; plain when there is one
    without options.
    """
    if len(questions) == 1:
        return _rendered(questions[0], "")
    return "\n\n".join(
        _rendered(one, f"**{one.header or number}** ") for number, one in enumerate(questions, 1)
    )


def _rendered(one: OneQuestion, title: str) -> str:
    hint = ["(more than one may be chosen)"] if one.multiple and one.options else []
    options = [
        f"- {option.label}" + (f": {option.description}" if option.description else "")
        for option in one.options
    ]
    return "\n".join([title + one.question, *hint, *options])


def _question(one: OneQuestion) -> agent_assist_pb2.Question:
    return agent_assist_pb2.Question(
        question=one.question,
        header=one.header,
        options=[
            agent_assist_pb2.Option(label=option.label, description=option.description)
            for option in one.options
        ],
        multiple=one.multiple,
        custom=one.custom,
    )


def _on_timeout(common: Common) -> request_pb2.OnTimeout:
    if common.abort:
        return request_pb2.ON_TIMEOUT_ABORT
    return request_pb2.ON_TIMEOUT_CONTINUE

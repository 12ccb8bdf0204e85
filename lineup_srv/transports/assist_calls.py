"""What SrvAgentAssist does, for whichever protocol it is called by (wire §3).

A call is held until its outcome. A call that is cancelled, because its caller hung up, withdraws
its request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId
from lineup_srv.domain.commands import AckMessages, Cancel
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.mapping.asked import open_question, open_report
from lineup_srv.transports.mapping.replies import (
    question_outcome_to_wire,
    report_outcome_to_wire,
)
from lineup_srv.transports.tokens import room_of
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import content_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import CommandId, RoomId
    from lineup_srv.domain.commands import Open
    from lineup_srv.service.ports import Ids, OutcomeTold
    from lineup_srv.service.relay import Relay

__all__ = ["AssistCalls"]

Q = TypeVar("Q", assist.AskQuestionRequest, assist.WorkReportRequest)


class _Refusal(TypedDict):
    Meta: dict[str, str]
    contents: list[content_pb2.McpResultContent]


class AssistCalls:
    """The calls of SrvAgentAssist. Each is an agent of its own, there only while it is held.

    A wrong token is a LineUpError; every other refusal is a response in the frozen form.
    """

    def __init__(self, relay: Relay, ids: Ids) -> None:
        """Serve `relay`."""
        self._relay = relay
        self._ids = ids

    async def ask_question(self, request: assist.AskQuestionRequest) -> assist.AskQuestionResponse:
        """Ask and wait.

        Raises:
            LineUpError: the token opens no room.
        """
        told = await self._asked(request, open_question)
        if isinstance(told, LineUpError):
            return assist.AskQuestionResponse(ID=request.ID, IsError=True, **_refusal(told))
        return question_outcome_to_wire(told)

    async def work_report(self, request: assist.WorkReportRequest) -> assist.WorkReportResponse:
        """Report and wait.

        Raises:
            LineUpError: the token opens no room.
        """
        told = await self._asked(request, open_report)
        if isinstance(told, LineUpError):
            return assist.WorkReportResponse(ID=request.ID, IsError=True, **_refusal(told))
        return report_outcome_to_wire(told)

    async def send_mcp_client_info(
        self, request: assist.McpClientInfoRequest
    ) -> assist.McpClientInfoResponse:
        """Taken note of: every request names its client again.

        Raises:
            LineUpError: the token opens no room.
        """
        await room_of(self._relay, request.UserToken)
        return assist.McpClientInfoResponse(Success=True)

    async def _asked(
        self, request: Q, opened: Callable[[Q, Intake, CommandId, AgentId], Open]
    ) -> OutcomeTold | LineUpError:
        """Open what was asked and hold the call; a refusal after the token was right."""
        room_id, intake = await room_of(self._relay, request.UserToken), Intake()
        agent_id = AgentId(f"call:{self._ids.new()}")
        try:
            command = opened(request, intake, self._relay.new_command_id(), agent_id)
            return await self._held(room_id, command, intake)
        except LineUpError as error:
            return error

    async def _held(self, room_id: RoomId, command: Open, intake: Intake) -> OutcomeTold:
        """Hold the call; returning it is HandedOver and Received, a hang-up is Cancel (§4.1)."""
        await self._relay.keep(room_id, intake)
        agent_id = command.agent.agent_id
        told = None
        try:
            told = await self._relay.wait_for(room_id, command, None)
        finally:
            # A relay that stops breaks the call itself: its request stays open in the log.
            if told is None and not self._relay.stopping:
                cancel = Cancel(
                    command_id=self._relay.new_command_id(),
                    agent_id=agent_id,
                    request_id=command.request_id,
                    reason=ErrorCode.CANCELLED,
                    message="",
                )
                await self._relay.submit(room_id, cancel)
        received = AckMessages(
            command_id=self._relay.new_command_id(),
            agent_id=agent_id,
            request_ids=(told.request.request_id,),
            text_ids=(),
        )
        await self._relay.submit(room_id, received)
        return told


def _refusal(error: LineUpError) -> _Refusal:
    """A refusal in the frozen form: a word, a message, and a text that says it."""
    code = (
        "invalid_request"
        if error.code in (ErrorCode.INVALID_ARGUMENT, ErrorCode.TOO_LARGE, ErrorCode.ID_CONFLICT)
        else error.code.value
    )
    message = f"{error.message} ({error.field})" if error.field else error.message
    text = content_pb2.TextContent(type="text", text=f"{message}. {error.next_step}")
    return {
        "Meta": {"error": code, "message": message},
        "contents": [content_pb2.McpResultContent(type=1, text=text)],
    }

"""SrvAgentAssist over gRPC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.transports.grpc_errors import answered
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2_grpc

if TYPE_CHECKING:
    import grpc
    from google.protobuf.message import Message

    from lineup_srv.transports.assist_calls import AssistCalls
    from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist

    Context = grpc.aio.ServicerContext[Message, Message]

__all__ = ["AgentAssist"]


class AgentAssist(agent_assist_pb2_grpc.SrvAgentAssistServicer):
    """Turns refusals into statuses; what a call does stands in AssistCalls."""

    def __init__(self, calls: AssistCalls) -> None:
        """Serve `calls`."""
        self._calls = calls

    async def AskQuestion(
        self, request: assist.AskQuestionRequest, context: Context
    ) -> assist.AskQuestionResponse:
        """Ask and wait."""
        return await answered(self._calls.ask_question(request), context)

    async def WorkReport(
        self, request: assist.WorkReportRequest, context: Context
    ) -> assist.WorkReportResponse:
        """Report and wait."""
        return await answered(self._calls.work_report(request), context)

    async def SendMcpClientInfo(
        self, request: assist.McpClientInfoRequest, context: Context
    ) -> assist.McpClientInfoResponse:
        """Take note of the agent program."""
        return await answered(self._calls.send_mcp_client_info(request), context)

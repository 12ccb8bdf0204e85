"""gRPC: RelayService for our bridge and the frozen SrvAgentAssist for older ones (design §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc

from lineup_srv.contract import limits
from lineup_srv.transports.agent_assist import AgentAssist
from lineup_srv.transports.assist_calls import AssistCalls
from lineup_srv.transports.relay_calls import RelayCalls
from lineup_srv.transports.relay_service import RelayServicer
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as pb
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2_grpc, relay_pb2_grpc

if TYPE_CHECKING:
    from lineup_srv.service.ports import Clock, Ids
    from lineup_srv.service.relay import Relay

__all__ = ["build_grpc_server"]

OLD_SERVICE = "agentassistproto.SrvAgentAssist"


def build_grpc_server(relay: Relay, clock: Clock, ids: Ids, version: str) -> grpc.aio.Server:
    """The server with all services; the caller binds and starts it."""
    server = grpc.aio.server(options=_options())
    servicer = RelayServicer(RelayCalls(relay, clock, version))
    relay_pb2_grpc.add_RelayServiceServicer_to_server(servicer, server)
    assist = AgentAssist(AssistCalls(relay, ids))
    agent_assist_pb2_grpc.add_SrvAgentAssistServicer_to_server(assist, server)
    server.add_generic_rpc_handlers((_old_names(assist),))
    return server


def _options() -> tuple[tuple[str, int], ...]:
    dead_ms = limits.GRPC_DEAD_SECONDS * 1000
    return (
        ("grpc.max_receive_message_length", limits.MESSAGE_BYTES),
        ("grpc.max_send_message_length", limits.MESSAGE_BYTES),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 0),
        # A laptop that was closed says nothing, and a stream that nothing is written to would
        # stay attached for hours. gRPC waits for an answer as long as the last of these says.
        ("grpc.keepalive_time_ms", int(limits.GRPC_PING_SECONDS * 1000)),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_timeout_ms", int(dead_ms)),
        ("grpc.http2.ping_timeout_ms", int(dead_ms)),
        # Two relays on one port would split the agents between them.
        ("grpc.so_reuseport", 0),
    )


def _old_names(assist: AgentAssist) -> grpc.GenericRpcHandler:
    """The same service under the name that existing bridges call."""
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "AskQuestion": grpc.unary_unary_rpc_method_handler(
            assist.AskQuestion,
            request_deserializer=pb.AskQuestionRequest.FromString,
            response_serializer=pb.AskQuestionResponse.SerializeToString,
        ),
        "WorkReport": grpc.unary_unary_rpc_method_handler(
            assist.WorkReport,
            request_deserializer=pb.WorkReportRequest.FromString,
            response_serializer=pb.WorkReportResponse.SerializeToString,
        ),
        "SendMcpClientInfo": grpc.unary_unary_rpc_method_handler(
            assist.SendMcpClientInfo,
            request_deserializer=pb.McpClientInfoRequest.FromString,
            response_serializer=pb.McpClientInfoResponse.SerializeToString,
        ),
    }
    return grpc.method_handlers_generic_handler(OLD_SERVICE, handlers)

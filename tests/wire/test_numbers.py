"""The numbers, names and types on the wire: programs outside this repository depend on them.

The tables are written by hand from the contract, not from the proto files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from google.protobuf.descriptor import FieldDescriptor

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    agent_pb2,
    client_pb2,
    content_pb2,
    error_pb2,
    relay_pb2,
    request_pb2,
    tool_pb2,
    websocket_pb2,
)

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FileDescriptor

FROZEN: Final = """
TextContent 1 type:string 2 text:string
ImageContent 1 type:string 2 data:string 3 mime_type:string
AudioContent 1 type:string 2 data:string 3 mime_type:string
EmbeddedResource 1 type:string 2 uri:string 3 mime_type:string 4 data:bytes
McpResultContent 1 type:int32 2 text:TextContent 3 image:ImageContent 4 audio:AudioContent
    5 embedded_resource:EmbeddedResource
MsgEmpty
Option 1 label:string 2 description:string
Question 1 question:string 2 header:string 3 options:Option* 4 multiple:bool 5 custom:bool
McpAskQuestionRequest 1 ProjectDirectory:string 2 Question:string 3 Timeout:int32
    4 AgentName:string 5 ReasoningModelName:string 6 McpClientName:string 7 Questions:Question*
McpWorkReportRequest 1 ProjectDirectory:string 2 Summary:string 3 Timeout:int32
    4 AgentName:string 5 ReasoningModelName:string 6 McpClientName:string
AskQuestionRequest 1 ID:string 2 UserToken:string 3 Request:McpAskQuestionRequest 4 Timestamp:int64
WorkReportRequest 1 ID:string 2 UserToken:string 3 Request:McpWorkReportRequest 4 Timestamp:int64
AskQuestionResponse 1 ID:string 2 IsError:bool 3 Meta:{string,string} 4 contents:McpResultContent*
WorkReportResponse 1 ID:string 2 IsError:bool 3 Meta:{string,string} 4 contents:McpResultContent*
McpClientInfoData 1 ProtocolVersion:string 2 CapabilitiesJson:string 3 ClientName:string
    4 ClientVersion:string
McpClientInfoRequest 1 ID:string 2 UserToken:string 3 Request:McpClientInfoData 4 Timestamp:int64
McpClientInfoResponse 1 Success:bool
CheckMessageValidityRequest 1 request_ids:string*
CheckMessageValidityResponse 1 validity:{string,bool}
GetPendingMessagesRequest 1 user_token:string
PendingMessage 1 message_type:string 2 ask_question_request:AskQuestionRequest
    3 work_report_request:WorkReportRequest 4 created_at:int64 5 timeout:int32
GetPendingMessagesResponse 1 pending_messages:PendingMessage* 2 total_count:int32
RequestCancelledNotification 1 request_id:string 2 reason:string 3 message_type:string
OnlineUser 1 client_id:string 2 nickname:string 3 connected_at:int64
GetOnlineUsersRequest 1 user_token:string
GetOnlineUsersResponse 1 online_users:OnlineUser* 2 total_count:int32
ChatMessage 1 message_id:string 2 sender_client_id:string 3 sender_nickname:string
    4 receiver_client_id:string 5 receiver_nickname:string 6 content:string 7 sent_at:int64
    8 forward_target:ForwardTarget
ForwardTarget 1 mode:ForwardTargetMode 2 window_id:string
ForwardWindowItem 1 window_id:string 2 title:string
SendChatMessageRequest 1 receiver_client_id:string 2 content:string 3 forward_target:ForwardTarget
ChatMessageNotification 1 chat_message:ChatMessage
ForwardStateQueryRequest 1 request_id:string 2 target_client_id:string 3 requester_client_id:string
ForwardStateQueryResponse 1 request_id:string 2 target_client_id:string 3 responder_client_id:string
    4 forward_enabled:bool 5 windows:ForwardWindowItem*
ForwardStateChangedNotification 1 source_client_id:string 2 forward_enabled:bool
    3 windows:ForwardWindowItem*
ForwardDeliveryErrorNotification 1 target_client_id:string 2 peer_client_id:string
    3 invalid_window_id:string 4 reason:string
UserLoginResponse 1 client_id:string 2 success:bool 3 error_message:string
UserConnectionStatusNotification 1 user:OnlineUser 2 status:string 3 timestamp:int64
WebsocketMessage 1 Cmd:string 2 AskQuestionRequest:AskQuestionRequest
    3 WorkReportRequest:WorkReportRequest 4 AskQuestionResponse:AskQuestionResponse
    5 WorkReportResponse:WorkReportResponse 12 StrParam:string
    13 CheckMessageValidityRequest:CheckMessageValidityRequest
    14 CheckMessageValidityResponse:CheckMessageValidityResponse
    15 GetPendingMessagesRequest:GetPendingMessagesRequest
    16 GetPendingMessagesResponse:GetPendingMessagesResponse
    17 RequestCancelledNotification:RequestCancelledNotification 18 Nickname:string
    19 GetOnlineUsersRequest:GetOnlineUsersRequest 20 GetOnlineUsersResponse:GetOnlineUsersResponse
    21 SendChatMessageRequest:SendChatMessageRequest
    22 ChatMessageNotification:ChatMessageNotification 23 UserLoginResponse:UserLoginResponse
    24 UserConnectionStatusNotification:UserConnectionStatusNotification
    25 ForwardStateQueryRequest:ForwardStateQueryRequest
    26 ForwardStateQueryResponse:ForwardStateQueryResponse
    27 ForwardStateChangedNotification:ForwardStateChangedNotification
    28 ForwardDeliveryErrorNotification:ForwardDeliveryErrorNotification
"""

ADDED: Final = """
WebsocketMessage 97 client_info:ClientInfo 98 ref:string 99 seq:int64 100 tool_list:ToolList
    101 tool_call:ToolCall 102 tool_call_update:ToolCallUpdate 103 text:Text 104 image:Image
    105 get_history:GetHistory 106 history_page:HistoryPage 107 request_state:RequestStateUpdate
    108 agents:Agent* 109 extend_deadline:ExtendDeadline 110 ack:Ack 111 server_info:ServerInfo
    112 typing:Typing 113 settings:Settings 114 devices:Device* 115 tools_refused:ToolsRefused
    116 pairing:Pairing
AskQuestionResponse 100 answers:Answer*
WorkReportResponse 100 answers:Answer*
McpAskQuestionRequest 100 contents:McpResultContent* 101 agent_id:string 102 machine:string
    103 session:string 104 machine_name:string 105 on_timeout:OnTimeout 106 kind:RequestKind
    107 approval:Approval
McpWorkReportRequest 100 contents:McpResultContent* 101 agent_id:string 102 machine:string
    103 session:string 104 machine_name:string 105 on_timeout:OnTimeout
"""

OURS: Final = """
ClientInfo 1 device_id:string 2 platform:string 3 version:string 4 locale:string 5 tab_id:string
    6 visible:bool 7 capabilities:string*
Text 1 message_id:string 2 content:string 3 agent_id:string 4 from:string 5 sent_unix_ms:int64
    6 received:bool 7 redelivered:bool 8 other_session:bool 9 contents:McpResultContent*
Image 1 message_id:string 2 url:string 3 data:bytes 4 mime_type:string 5 alt:string
    6 caption:string 7 agent_id:string
GetHistory 1 after_seq:int64 2 before_seq:int64 3 limit:int32
HistoryPage 1 messages:WebsocketMessage* 2 floor_seq:int64 3 last_seq:int64 4 more:bool 5 reset:bool
RequestStateUpdate 1 request_id:string 2 state:RequestState 3 reason:ErrorCode 4 by_nickname:string
    5 by_device:string 6 deadline_unix_ms:int64 7 late:bool 8 received:bool 9 agent_gone:bool
    10 message:string 11 changed_unix_ms:int64
Agent 1 agent_id:string 2 client:string 3 name:string 4 project_directory:string 5 machine:string
    6 attached:bool 7 waiting:AgentWaiting* 8 model:string 9 machine_name:string
    10 last_call_unix_ms:int64 11 left_unix_ms:int64 12 messages_waiting:int32
AgentWaiting 1 request_id:string 2 since_unix_ms:int64
ExtendDeadline 1 request_id:string 2 add_seconds:int64
Ack 1 ref:string 2 accepted:bool 3 code:ErrorCode 4 message:string
ServerInfo 1 version:string 2 protocol:int32 3 clock_unix_ms:int64 4 limits:{string,int64}
    5 features:string* 6 last_seq:int64 7 log_id:string
Typing 1 request_id:string 2 nickname:string
Device 1 device_id:string 2 client_id:string 3 nickname:string 4 platform:string 5 online:bool
    6 visible:bool 7 last_seen_unix_ms:int64
Settings 1 key:string 2 value_json:string 3 revision:int64
Answer 1 index:int32 2 labels:string* 3 text:string
Approval 1 tool:string 2 command:string 3 cwd:string 4 description:string 5 input_json:string
    6 can_allow_session:bool 7 can_edit:bool
ToolDefinition 1 name:string 2 type:ToolType 3 description:string 4 actions:ActionDefinition*
    5 input_schema_json:string 6 interactive:bool 7 result_schema_json:string 8 version:string
    9 hints:ActionHints
ActionDefinition 1 name:string 2 description:string 3 input_schema_json:string 4 hints:ActionHints
    5 interactive:bool 6 result_schema_json:string
ActionHints 1 read_only:bool 2 destructive:bool 3 idempotent:bool
Application 1 id:string 2 version:string 3 title:string 4 tools:ToolDefinition*
ToolRefusal 1 name:string 2 application_id:string 3 code:ErrorCode 4 message:string 5 field:string
ToolsRefused 1 tools:ToolRefusal*
Pairing 1 state:PairingState 2 code:string 3 expires_unix_ms:int64 4 base_url:string 5 name:string
    6 platform:string
ToolList 1 tools:ToolDefinition* 2 applications:Application*
ToolCall 1 call_id:string 2 name:string 3 action:string 4 arguments_json:string
    5 instance_id:string 6 application_id:string 7 agent_id:string 8 timeout_ms:int64
    9 catalog_revision:int64 10 opened_unix_ms:int64 11 deadline_unix_ms:int64
ToolCallUpdate 1 call_id:string 2 phase:CallPhase 3 progress:double 4 total:double 5 message:string
    6 result_json:string 7 contents:McpResultContent* 8 code:ErrorCode 9 instance_id:string
    10 changed_unix_ms:int64 11 received:bool
"""

ENUMS: Final = {
    "CallPhase": "ACCEPTED STARTING STARTED PROGRESS SUCCEEDED FAILED CANCELLED TAKEN EXPIRED",
    "ErrorCode": "INVALID_ARGUMENT UNAUTHENTICATED UNKNOWN_COMMAND UNKNOWN_REQUEST UNKNOWN_TOOL "
    "ALREADY_ANSWERED EXPIRED CANCELLED DECLINED AGENT_ENDED ID_CONFLICT KEPT_LATE KEPT_UNKNOWN "
    "RECEIVER_OFFLINE TOO_LARGE RATE_LIMITED LOG_UNAVAILABLE RELAY_AWAY RELAY_UNREACHABLE NO_APP "
    "APP_GONE NO_ANSWER NAME_CONFLICT TOOL_CHANGED NOT_SUPPORTED INVALID_RESULT START_FAILED",
    "ForwardTargetMode": "FOCUSED_WINDOW SPECIFIC_WINDOW",
    "OnTimeout": "CONTINUE ABORT",
    "PairingState": "OFFERED CLAIMED JOINED REFUSED EXPIRED",
    "RequestKind": "QUESTION APPROVAL",
    "RequestState": "PENDING ANSWERED DECLINED EXPIRED CANCELLED",
    "ToolType": "APP TOOLSET ACTION",
}
PREFIXES: Final = {
    "CallPhase": "CALL_PHASE",
    "ErrorCode": "ERROR_CODE",
    "ForwardTargetMode": "FORWARD_TARGET_MODE",
    "OnTimeout": "ON_TIMEOUT",
    "PairingState": "PAIRING_STATE",
    "RequestKind": "REQUEST_KIND",
    "RequestState": "REQUEST_STATE",
    "ToolType": "TOOL_TYPE",
}

FILES: Final[tuple[FileDescriptor, ...]] = tuple(
    module.DESCRIPTOR
    for module in (
        agent_assist_pb2,
        agent_pb2,
        client_pb2,
        content_pb2,
        error_pb2,
        relay_pb2,
        request_pb2,
        tool_pb2,
        websocket_pb2,
    )
)
MESSAGES: Final[dict[str, Descriptor]] = {
    name: message for file in FILES for name, message in file.message_types_by_name.items()
}
SCALARS: Final = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_DOUBLE: "double",
}


def rows(table: str) -> list[tuple[str, dict[int, str]]]:
    """Each message of a table with its fields by number."""
    lines = (line.split() for line in table.replace("\n    ", " ").strip().splitlines())
    return [
        (name, {int(n): f for n, f in zip(parts[::2], parts[1::2], strict=True)})
        for name, *parts in lines
    ]


def type_of(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        return str(field.enum_type.name)
    if field.message_type is None:
        return SCALARS[field.type]
    if field.message_type.GetOptions().map_entry:
        return "{" + ",".join(type_of(part) for part in field.message_type.fields) + "}"
    return str(field.message_type.name)


def fields_of(name: str) -> dict[int, str]:
    def said(field: FieldDescriptor) -> str:
        several = field.is_repeated and not type_of(field).startswith("{")
        return f"{field.name}:{type_of(field)}" + ("*" if several else "")

    return {field.number: said(field) for field in MESSAGES[name].fields}


@pytest.mark.requirement("seed002:wire:numbers")
@pytest.mark.parametrize(("name", "frozen"), rows(FROZEN))
def test_a_frozen_message_has_exactly_its_fields(name: str, frozen: dict[int, str]) -> None:
    added = dict(rows(ADDED)).get(name, {})

    assert fields_of(name) == frozen | added


def test_new_fields_of_frozen_messages_have_numbers_of_their_own() -> None:
    first = {"WebsocketMessage": 97}
    for name, added in rows(ADDED):
        assert min(added) == first.get(name, 100)


@pytest.mark.parametrize(("name", "fields"), rows(OURS))
def test_our_own_message_has_exactly_its_fields(name: str, fields: dict[int, str]) -> None:
    assert fields_of(name) == fields


def test_every_message_outside_of_the_services_is_in_a_table() -> None:
    tables = {name for table in (FROZEN, OURS) for name, _ in rows(table)}
    relay = set(relay_pb2.DESCRIPTOR.message_types_by_name)

    assert set(MESSAGES) - relay - tables == {"ErrorDetail"}


@pytest.mark.parametrize(("name", "values"), list(ENUMS.items()))
def test_an_enum_has_exactly_its_values_from_1(name: str, values: str) -> None:
    [enum] = [f.enum_types_by_name[name] for f in FILES if name in f.enum_types_by_name]
    expected = {f"{PREFIXES[name]}_UNSPECIFIED": 0} | {
        f"{PREFIXES[name]}_{value}": number for number, value in enumerate(values.split(), 1)
    }

    assert {value.name: value.number for value in enum.values} == expected


def test_every_enum_is_in_the_table() -> None:
    assert {name for file in FILES for name in file.enum_types_by_name} == set(ENUMS)


@pytest.mark.requirement("seed002:rpc:names")
def test_the_frozen_service_has_its_three_unary_calls() -> None:
    service = agent_assist_pb2.DESCRIPTOR.services_by_name["SrvAgentAssist"]

    assert [(m.name, m.input_type.name, m.output_type.name) for m in service.methods] == [
        ("AskQuestion", "AskQuestionRequest", "AskQuestionResponse"),
        ("WorkReport", "WorkReportRequest", "WorkReportResponse"),
        ("SendMcpClientInfo", "McpClientInfoRequest", "McpClientInfoResponse"),
    ]
    assert not any(m.server_streaming or m.client_streaming for m in service.methods)

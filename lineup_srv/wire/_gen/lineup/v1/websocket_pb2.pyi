from . import agent_pb2 as _agent_pb2
from . import agent_assist_pb2 as _agent_assist_pb2
from . import client_pb2 as _client_pb2
from . import request_pb2 as _request_pb2
from . import tool_pb2 as _tool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ForwardTargetMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FORWARD_TARGET_MODE_UNSPECIFIED: _ClassVar[ForwardTargetMode]
    FORWARD_TARGET_MODE_FOCUSED_WINDOW: _ClassVar[ForwardTargetMode]
    FORWARD_TARGET_MODE_SPECIFIC_WINDOW: _ClassVar[ForwardTargetMode]
FORWARD_TARGET_MODE_UNSPECIFIED: ForwardTargetMode
FORWARD_TARGET_MODE_FOCUSED_WINDOW: ForwardTargetMode
FORWARD_TARGET_MODE_SPECIFIC_WINDOW: ForwardTargetMode

class CheckMessageValidityRequest(_message.Message):
    __slots__ = ("request_ids",)
    REQUEST_IDS_FIELD_NUMBER: _ClassVar[int]
    request_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, request_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CheckMessageValidityResponse(_message.Message):
    __slots__ = ("validity",)
    class ValidityEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bool
        def __init__(self, key: _Optional[str] = ..., value: bool = ...) -> None: ...
    VALIDITY_FIELD_NUMBER: _ClassVar[int]
    validity: _containers.ScalarMap[str, bool]
    def __init__(self, validity: _Optional[_Mapping[str, bool]] = ...) -> None: ...

class GetPendingMessagesRequest(_message.Message):
    __slots__ = ("user_token",)
    USER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    user_token: str
    def __init__(self, user_token: _Optional[str] = ...) -> None: ...

class PendingMessage(_message.Message):
    __slots__ = ("message_type", "ask_question_request", "work_report_request", "created_at", "timeout")
    MESSAGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    ASK_QUESTION_REQUEST_FIELD_NUMBER: _ClassVar[int]
    WORK_REPORT_REQUEST_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    message_type: str
    ask_question_request: _agent_assist_pb2.AskQuestionRequest
    work_report_request: _agent_assist_pb2.WorkReportRequest
    created_at: int
    timeout: int
    def __init__(self, message_type: _Optional[str] = ..., ask_question_request: _Optional[_Union[_agent_assist_pb2.AskQuestionRequest, _Mapping]] = ..., work_report_request: _Optional[_Union[_agent_assist_pb2.WorkReportRequest, _Mapping]] = ..., created_at: _Optional[int] = ..., timeout: _Optional[int] = ...) -> None: ...

class GetPendingMessagesResponse(_message.Message):
    __slots__ = ("pending_messages", "total_count")
    PENDING_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    pending_messages: _containers.RepeatedCompositeFieldContainer[PendingMessage]
    total_count: int
    def __init__(self, pending_messages: _Optional[_Iterable[_Union[PendingMessage, _Mapping]]] = ..., total_count: _Optional[int] = ...) -> None: ...

class RequestCancelledNotification(_message.Message):
    __slots__ = ("request_id", "reason", "message_type")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    reason: str
    message_type: str
    def __init__(self, request_id: _Optional[str] = ..., reason: _Optional[str] = ..., message_type: _Optional[str] = ...) -> None: ...

class OnlineUser(_message.Message):
    __slots__ = ("client_id", "nickname", "connected_at")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    nickname: str
    connected_at: int
    def __init__(self, client_id: _Optional[str] = ..., nickname: _Optional[str] = ..., connected_at: _Optional[int] = ...) -> None: ...

class GetOnlineUsersRequest(_message.Message):
    __slots__ = ("user_token",)
    USER_TOKEN_FIELD_NUMBER: _ClassVar[int]
    user_token: str
    def __init__(self, user_token: _Optional[str] = ...) -> None: ...

class GetOnlineUsersResponse(_message.Message):
    __slots__ = ("online_users", "total_count")
    ONLINE_USERS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    online_users: _containers.RepeatedCompositeFieldContainer[OnlineUser]
    total_count: int
    def __init__(self, online_users: _Optional[_Iterable[_Union[OnlineUser, _Mapping]]] = ..., total_count: _Optional[int] = ...) -> None: ...

class ForwardTarget(_message.Message):
    __slots__ = ("mode", "window_id")
    MODE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ID_FIELD_NUMBER: _ClassVar[int]
    mode: ForwardTargetMode
    window_id: str
    def __init__(self, mode: _Optional[_Union[ForwardTargetMode, str]] = ..., window_id: _Optional[str] = ...) -> None: ...

class ForwardWindowItem(_message.Message):
    __slots__ = ("window_id", "title")
    WINDOW_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    window_id: str
    title: str
    def __init__(self, window_id: _Optional[str] = ..., title: _Optional[str] = ...) -> None: ...

class ChatMessage(_message.Message):
    __slots__ = ("message_id", "sender_client_id", "sender_nickname", "receiver_client_id", "receiver_nickname", "content", "sent_at", "forward_target")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    SENDER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SENDER_NICKNAME_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_NICKNAME_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SENT_AT_FIELD_NUMBER: _ClassVar[int]
    FORWARD_TARGET_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    sender_client_id: str
    sender_nickname: str
    receiver_client_id: str
    receiver_nickname: str
    content: str
    sent_at: int
    forward_target: ForwardTarget
    def __init__(self, message_id: _Optional[str] = ..., sender_client_id: _Optional[str] = ..., sender_nickname: _Optional[str] = ..., receiver_client_id: _Optional[str] = ..., receiver_nickname: _Optional[str] = ..., content: _Optional[str] = ..., sent_at: _Optional[int] = ..., forward_target: _Optional[_Union[ForwardTarget, _Mapping]] = ...) -> None: ...

class SendChatMessageRequest(_message.Message):
    __slots__ = ("receiver_client_id", "content", "forward_target")
    RECEIVER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FORWARD_TARGET_FIELD_NUMBER: _ClassVar[int]
    receiver_client_id: str
    content: str
    forward_target: ForwardTarget
    def __init__(self, receiver_client_id: _Optional[str] = ..., content: _Optional[str] = ..., forward_target: _Optional[_Union[ForwardTarget, _Mapping]] = ...) -> None: ...

class ChatMessageNotification(_message.Message):
    __slots__ = ("chat_message",)
    CHAT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    chat_message: ChatMessage
    def __init__(self, chat_message: _Optional[_Union[ChatMessage, _Mapping]] = ...) -> None: ...

class ForwardStateQueryRequest(_message.Message):
    __slots__ = ("request_id", "target_client_id", "requester_client_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    target_client_id: str
    requester_client_id: str
    def __init__(self, request_id: _Optional[str] = ..., target_client_id: _Optional[str] = ..., requester_client_id: _Optional[str] = ...) -> None: ...

class ForwardStateQueryResponse(_message.Message):
    __slots__ = ("request_id", "target_client_id", "responder_client_id", "forward_enabled", "windows")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONDER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    FORWARD_ENABLED_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    target_client_id: str
    responder_client_id: str
    forward_enabled: bool
    windows: _containers.RepeatedCompositeFieldContainer[ForwardWindowItem]
    def __init__(self, request_id: _Optional[str] = ..., target_client_id: _Optional[str] = ..., responder_client_id: _Optional[str] = ..., forward_enabled: bool = ..., windows: _Optional[_Iterable[_Union[ForwardWindowItem, _Mapping]]] = ...) -> None: ...

class ForwardStateChangedNotification(_message.Message):
    __slots__ = ("source_client_id", "forward_enabled", "windows")
    SOURCE_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    FORWARD_ENABLED_FIELD_NUMBER: _ClassVar[int]
    WINDOWS_FIELD_NUMBER: _ClassVar[int]
    source_client_id: str
    forward_enabled: bool
    windows: _containers.RepeatedCompositeFieldContainer[ForwardWindowItem]
    def __init__(self, source_client_id: _Optional[str] = ..., forward_enabled: bool = ..., windows: _Optional[_Iterable[_Union[ForwardWindowItem, _Mapping]]] = ...) -> None: ...

class ForwardDeliveryErrorNotification(_message.Message):
    __slots__ = ("target_client_id", "peer_client_id", "invalid_window_id", "reason")
    TARGET_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    PEER_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    INVALID_WINDOW_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    target_client_id: str
    peer_client_id: str
    invalid_window_id: str
    reason: str
    def __init__(self, target_client_id: _Optional[str] = ..., peer_client_id: _Optional[str] = ..., invalid_window_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class UserLoginResponse(_message.Message):
    __slots__ = ("client_id", "success", "error_message")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    ERROR_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    success: bool
    error_message: str
    def __init__(self, client_id: _Optional[str] = ..., success: bool = ..., error_message: _Optional[str] = ...) -> None: ...

class UserConnectionStatusNotification(_message.Message):
    __slots__ = ("user", "status", "timestamp")
    USER_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    user: OnlineUser
    status: str
    timestamp: int
    def __init__(self, user: _Optional[_Union[OnlineUser, _Mapping]] = ..., status: _Optional[str] = ..., timestamp: _Optional[int] = ...) -> None: ...

class GetHistory(_message.Message):
    __slots__ = ("after_seq", "before_seq", "limit")
    AFTER_SEQ_FIELD_NUMBER: _ClassVar[int]
    BEFORE_SEQ_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    after_seq: int
    before_seq: int
    limit: int
    def __init__(self, after_seq: _Optional[int] = ..., before_seq: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class HistoryPage(_message.Message):
    __slots__ = ("messages", "floor_seq", "last_seq", "more", "reset")
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    FLOOR_SEQ_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    messages: _containers.RepeatedCompositeFieldContainer[WebsocketMessage]
    floor_seq: int
    last_seq: int
    more: bool
    reset: bool
    def __init__(self, messages: _Optional[_Iterable[_Union[WebsocketMessage, _Mapping]]] = ..., floor_seq: _Optional[int] = ..., last_seq: _Optional[int] = ..., more: bool = ..., reset: bool = ...) -> None: ...

class WebsocketMessage(_message.Message):
    __slots__ = ("Cmd", "AskQuestionRequest", "WorkReportRequest", "AskQuestionResponse", "WorkReportResponse", "StrParam", "CheckMessageValidityRequest", "CheckMessageValidityResponse", "GetPendingMessagesRequest", "GetPendingMessagesResponse", "RequestCancelledNotification", "Nickname", "GetOnlineUsersRequest", "GetOnlineUsersResponse", "SendChatMessageRequest", "ChatMessageNotification", "UserLoginResponse", "UserConnectionStatusNotification", "ForwardStateQueryRequest", "ForwardStateQueryResponse", "ForwardStateChangedNotification", "ForwardDeliveryErrorNotification", "client_info", "ref", "seq", "tool_list", "tool_call", "tool_call_update", "text", "image", "get_history", "history_page", "request_state", "agents", "extend_deadline", "ack", "server_info", "typing", "settings", "devices", "tools_refused", "pairing")
    CMD_FIELD_NUMBER: _ClassVar[int]
    ASKQUESTIONREQUEST_FIELD_NUMBER: _ClassVar[int]
    WORKREPORTREQUEST_FIELD_NUMBER: _ClassVar[int]
    ASKQUESTIONRESPONSE_FIELD_NUMBER: _ClassVar[int]
    WORKREPORTRESPONSE_FIELD_NUMBER: _ClassVar[int]
    STRPARAM_FIELD_NUMBER: _ClassVar[int]
    CHECKMESSAGEVALIDITYREQUEST_FIELD_NUMBER: _ClassVar[int]
    CHECKMESSAGEVALIDITYRESPONSE_FIELD_NUMBER: _ClassVar[int]
    GETPENDINGMESSAGESREQUEST_FIELD_NUMBER: _ClassVar[int]
    GETPENDINGMESSAGESRESPONSE_FIELD_NUMBER: _ClassVar[int]
    REQUESTCANCELLEDNOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    GETONLINEUSERSREQUEST_FIELD_NUMBER: _ClassVar[int]
    GETONLINEUSERSRESPONSE_FIELD_NUMBER: _ClassVar[int]
    SENDCHATMESSAGEREQUEST_FIELD_NUMBER: _ClassVar[int]
    CHATMESSAGENOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    USERLOGINRESPONSE_FIELD_NUMBER: _ClassVar[int]
    USERCONNECTIONSTATUSNOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    FORWARDSTATEQUERYREQUEST_FIELD_NUMBER: _ClassVar[int]
    FORWARDSTATEQUERYRESPONSE_FIELD_NUMBER: _ClassVar[int]
    FORWARDSTATECHANGEDNOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    FORWARDDELIVERYERRORNOTIFICATION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_INFO_FIELD_NUMBER: _ClassVar[int]
    REF_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    TOOL_LIST_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_UPDATE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    GET_HISTORY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_PAGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_STATE_FIELD_NUMBER: _ClassVar[int]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    EXTEND_DEADLINE_FIELD_NUMBER: _ClassVar[int]
    ACK_FIELD_NUMBER: _ClassVar[int]
    SERVER_INFO_FIELD_NUMBER: _ClassVar[int]
    TYPING_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    TOOLS_REFUSED_FIELD_NUMBER: _ClassVar[int]
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    Cmd: str
    AskQuestionRequest: _agent_assist_pb2.AskQuestionRequest
    WorkReportRequest: _agent_assist_pb2.WorkReportRequest
    AskQuestionResponse: _agent_assist_pb2.AskQuestionResponse
    WorkReportResponse: _agent_assist_pb2.WorkReportResponse
    StrParam: str
    CheckMessageValidityRequest: CheckMessageValidityRequest
    CheckMessageValidityResponse: CheckMessageValidityResponse
    GetPendingMessagesRequest: GetPendingMessagesRequest
    GetPendingMessagesResponse: GetPendingMessagesResponse
    RequestCancelledNotification: RequestCancelledNotification
    Nickname: str
    GetOnlineUsersRequest: GetOnlineUsersRequest
    GetOnlineUsersResponse: GetOnlineUsersResponse
    SendChatMessageRequest: SendChatMessageRequest
    ChatMessageNotification: ChatMessageNotification
    UserLoginResponse: UserLoginResponse
    UserConnectionStatusNotification: UserConnectionStatusNotification
    ForwardStateQueryRequest: ForwardStateQueryRequest
    ForwardStateQueryResponse: ForwardStateQueryResponse
    ForwardStateChangedNotification: ForwardStateChangedNotification
    ForwardDeliveryErrorNotification: ForwardDeliveryErrorNotification
    client_info: _client_pb2.ClientInfo
    ref: str
    seq: int
    tool_list: _tool_pb2.ToolList
    tool_call: _tool_pb2.ToolCall
    tool_call_update: _tool_pb2.ToolCallUpdate
    text: _agent_pb2.Text
    image: _agent_pb2.Image
    get_history: GetHistory
    history_page: HistoryPage
    request_state: _request_pb2.RequestStateUpdate
    agents: _containers.RepeatedCompositeFieldContainer[_agent_pb2.Agent]
    extend_deadline: _request_pb2.ExtendDeadline
    ack: _client_pb2.Ack
    server_info: _client_pb2.ServerInfo
    typing: _client_pb2.Typing
    settings: _client_pb2.Settings
    devices: _containers.RepeatedCompositeFieldContainer[_client_pb2.Device]
    tools_refused: _tool_pb2.ToolsRefused
    pairing: _client_pb2.Pairing
    def __init__(self, Cmd: _Optional[str] = ..., AskQuestionRequest: _Optional[_Union[_agent_assist_pb2.AskQuestionRequest, _Mapping]] = ..., WorkReportRequest: _Optional[_Union[_agent_assist_pb2.WorkReportRequest, _Mapping]] = ..., AskQuestionResponse: _Optional[_Union[_agent_assist_pb2.AskQuestionResponse, _Mapping]] = ..., WorkReportResponse: _Optional[_Union[_agent_assist_pb2.WorkReportResponse, _Mapping]] = ..., StrParam: _Optional[str] = ..., CheckMessageValidityRequest: _Optional[_Union[CheckMessageValidityRequest, _Mapping]] = ..., CheckMessageValidityResponse: _Optional[_Union[CheckMessageValidityResponse, _Mapping]] = ..., GetPendingMessagesRequest: _Optional[_Union[GetPendingMessagesRequest, _Mapping]] = ..., GetPendingMessagesResponse: _Optional[_Union[GetPendingMessagesResponse, _Mapping]] = ..., RequestCancelledNotification: _Optional[_Union[RequestCancelledNotification, _Mapping]] = ..., Nickname: _Optional[str] = ..., GetOnlineUsersRequest: _Optional[_Union[GetOnlineUsersRequest, _Mapping]] = ..., GetOnlineUsersResponse: _Optional[_Union[GetOnlineUsersResponse, _Mapping]] = ..., SendChatMessageRequest: _Optional[_Union[SendChatMessageRequest, _Mapping]] = ..., ChatMessageNotification: _Optional[_Union[ChatMessageNotification, _Mapping]] = ..., UserLoginResponse: _Optional[_Union[UserLoginResponse, _Mapping]] = ..., UserConnectionStatusNotification: _Optional[_Union[UserConnectionStatusNotification, _Mapping]] = ..., ForwardStateQueryRequest: _Optional[_Union[ForwardStateQueryRequest, _Mapping]] = ..., ForwardStateQueryResponse: _Optional[_Union[ForwardStateQueryResponse, _Mapping]] = ..., ForwardStateChangedNotification: _Optional[_Union[ForwardStateChangedNotification, _Mapping]] = ..., ForwardDeliveryErrorNotification: _Optional[_Union[ForwardDeliveryErrorNotification, _Mapping]] = ..., client_info: _Optional[_Union[_client_pb2.ClientInfo, _Mapping]] = ..., ref: _Optional[str] = ..., seq: _Optional[int] = ..., tool_list: _Optional[_Union[_tool_pb2.ToolList, _Mapping]] = ..., tool_call: _Optional[_Union[_tool_pb2.ToolCall, _Mapping]] = ..., tool_call_update: _Optional[_Union[_tool_pb2.ToolCallUpdate, _Mapping]] = ..., text: _Optional[_Union[_agent_pb2.Text, _Mapping]] = ..., image: _Optional[_Union[_agent_pb2.Image, _Mapping]] = ..., get_history: _Optional[_Union[GetHistory, _Mapping]] = ..., history_page: _Optional[_Union[HistoryPage, _Mapping]] = ..., request_state: _Optional[_Union[_request_pb2.RequestStateUpdate, _Mapping]] = ..., agents: _Optional[_Iterable[_Union[_agent_pb2.Agent, _Mapping]]] = ..., extend_deadline: _Optional[_Union[_request_pb2.ExtendDeadline, _Mapping]] = ..., ack: _Optional[_Union[_client_pb2.Ack, _Mapping]] = ..., server_info: _Optional[_Union[_client_pb2.ServerInfo, _Mapping]] = ..., typing: _Optional[_Union[_client_pb2.Typing, _Mapping]] = ..., settings: _Optional[_Union[_client_pb2.Settings, _Mapping]] = ..., devices: _Optional[_Iterable[_Union[_client_pb2.Device, _Mapping]]] = ..., tools_refused: _Optional[_Union[_tool_pb2.ToolsRefused, _Mapping]] = ..., pairing: _Optional[_Union[_client_pb2.Pairing, _Mapping]] = ...) -> None: ...

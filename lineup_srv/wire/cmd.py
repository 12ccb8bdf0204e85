"""The values of `WebsocketMessage.Cmd` (wire contract §3 and §4)."""

from __future__ import annotations

from enum import Enum

__all__ = ["Cmd"]


class Cmd(Enum):
    """What a WebSocket message is. The value is the string on the wire."""

    USER_LOGIN = "UserLogin"
    ASK_QUESTION = "AskQuestion"
    ASK_QUESTION_REPLY = "AskQuestionReply"
    ASK_QUESTION_REPLY_NOTIFICATION = "AskQuestionReplyNotification"
    WORK_REPORT = "WorkReport"
    WORK_REPORT_REPLY = "WorkReportReply"
    WORK_REPORT_REPLY_NOTIFICATION = "WorkReportReplyNotification"
    GET_PENDING_MESSAGES = "GetPendingMessages"
    GET_ONLINE_USERS = "GetOnlineUsers"
    CHECK_MESSAGE_VALIDITY = "CheckMessageValidity"
    SEND_CHAT_MESSAGE = "SendChatMessage"
    CHAT_MESSAGE_NOTIFICATION = "ChatMessageNotification"
    FORWARD_STATE_QUERY = "ForwardStateQuery"
    FORWARD_STATE_QUERY_RESPONSE = "ForwardStateQueryResponse"
    FORWARD_STATE_CHANGED = "ForwardStateChanged"
    FORWARD_DELIVERY_ERROR = "ForwardDeliveryError"
    REQUEST_CANCELLED = "RequestCancelled"
    USER_CONNECTION_STATUS = "UserConnectionStatusNotification"
    PING = "Ping"
    CLIENT_INFO = "ClientInfo"
    TEXT = "Text"
    IMAGE = "Image"
    AGENTS = "Agents"
    TYPING = "Typing"
    DEVICES = "Devices"
    SETTINGS = "Settings"
    GET_HISTORY = "GetHistory"
    REQUEST_STATE = "RequestState"
    EXTEND_DEADLINE = "ExtendDeadline"
    ACK = "Ack"
    SERVER_INFO = "ServerInfo"
    TOOL_LIST = "ToolList"
    TOOL_CALL = "ToolCall"
    TOOL_CALL_UPDATE = "ToolCallUpdate"
    TOOLS_REFUSED = "ToolsRefused"
    PAIRING = "Pairing"

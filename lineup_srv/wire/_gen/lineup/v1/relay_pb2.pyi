from . import agent_pb2 as _agent_pb2
from . import agent_assist_pb2 as _agent_assist_pb2
from . import content_pb2 as _content_pb2
from . import error_pb2 as _error_pb2
from . import request_pb2 as _request_pb2
from . import tool_pb2 as _tool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AgentIdentity(_message.Message):
    __slots__ = ("agent_id", "client", "machine", "session", "directory", "machine_name", "client_version")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    MACHINE_NAME_FIELD_NUMBER: _ClassVar[int]
    CLIENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    client: str
    machine: str
    session: str
    directory: str
    machine_name: str
    client_version: str
    def __init__(self, agent_id: _Optional[str] = ..., client: _Optional[str] = ..., machine: _Optional[str] = ..., session: _Optional[str] = ..., directory: _Optional[str] = ..., machine_name: _Optional[str] = ..., client_version: _Optional[str] = ...) -> None: ...

class Outcome(_message.Message):
    __slots__ = ("request_id", "state", "reason", "contents", "answers", "action", "nickname", "device", "platform", "replied_unix_ms", "deadline_unix_ms", "devices_online", "late", "redelivered", "question", "opened_unix_ms", "report", "message", "clock_unix_ms", "alias", "project_directory", "other_session", "input_json")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    REPLIED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    DEVICES_ONLINE_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    REDELIVERED_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    OPENED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLOCK_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    ALIAS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    OTHER_SESSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_JSON_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    state: _request_pb2.RequestState
    reason: _error_pb2.ErrorCode
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    answers: _containers.RepeatedCompositeFieldContainer[_request_pb2.Answer]
    action: str
    nickname: str
    device: str
    platform: str
    replied_unix_ms: int
    deadline_unix_ms: int
    devices_online: int
    late: bool
    redelivered: bool
    question: str
    opened_unix_ms: int
    report: bool
    message: str
    clock_unix_ms: int
    alias: str
    project_directory: str
    other_session: bool
    input_json: str
    def __init__(self, request_id: _Optional[str] = ..., state: _Optional[_Union[_request_pb2.RequestState, str]] = ..., reason: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., answers: _Optional[_Iterable[_Union[_request_pb2.Answer, _Mapping]]] = ..., action: _Optional[str] = ..., nickname: _Optional[str] = ..., device: _Optional[str] = ..., platform: _Optional[str] = ..., replied_unix_ms: _Optional[int] = ..., deadline_unix_ms: _Optional[int] = ..., devices_online: _Optional[int] = ..., late: bool = ..., redelivered: bool = ..., question: _Optional[str] = ..., opened_unix_ms: _Optional[int] = ..., report: bool = ..., message: _Optional[str] = ..., clock_unix_ms: _Optional[int] = ..., alias: _Optional[str] = ..., project_directory: _Optional[str] = ..., other_session: bool = ..., input_json: _Optional[str] = ...) -> None: ...

class AttachRequest(_message.Message):
    __slots__ = ("agent", "waiting_ids", "catalog_revision", "visit")
    AGENT_FIELD_NUMBER: _ClassVar[int]
    WAITING_IDS_FIELD_NUMBER: _ClassVar[int]
    CATALOG_REVISION_FIELD_NUMBER: _ClassVar[int]
    VISIT_FIELD_NUMBER: _ClassVar[int]
    agent: AgentIdentity
    waiting_ids: _containers.RepeatedScalarFieldContainer[str]
    catalog_revision: int
    visit: bool
    def __init__(self, agent: _Optional[_Union[AgentIdentity, _Mapping]] = ..., waiting_ids: _Optional[_Iterable[str]] = ..., catalog_revision: _Optional[int] = ..., visit: bool = ...) -> None: ...

class AttachResponse(_message.Message):
    __slots__ = ("attached", "outcome", "deadline_moved", "unknown_request", "catalog_changed", "mailbox_count", "devices_online")
    ATTACHED_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MOVED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_REQUEST_FIELD_NUMBER: _ClassVar[int]
    CATALOG_CHANGED_FIELD_NUMBER: _ClassVar[int]
    MAILBOX_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICES_ONLINE_FIELD_NUMBER: _ClassVar[int]
    attached: Attached
    outcome: Outcome
    deadline_moved: DeadlineMoved
    unknown_request: UnknownRequest
    catalog_changed: CatalogChanged
    mailbox_count: MailboxCount
    devices_online: DevicesOnline
    def __init__(self, attached: _Optional[_Union[Attached, _Mapping]] = ..., outcome: _Optional[_Union[Outcome, _Mapping]] = ..., deadline_moved: _Optional[_Union[DeadlineMoved, _Mapping]] = ..., unknown_request: _Optional[_Union[UnknownRequest, _Mapping]] = ..., catalog_changed: _Optional[_Union[CatalogChanged, _Mapping]] = ..., mailbox_count: _Optional[_Union[MailboxCount, _Mapping]] = ..., devices_online: _Optional[_Union[DevicesOnline, _Mapping]] = ...) -> None: ...

class Attached(_message.Message):
    __slots__ = ("version", "clock_unix_ms", "log_id")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CLOCK_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    LOG_ID_FIELD_NUMBER: _ClassVar[int]
    version: str
    clock_unix_ms: int
    log_id: str
    def __init__(self, version: _Optional[str] = ..., clock_unix_ms: _Optional[int] = ..., log_id: _Optional[str] = ...) -> None: ...

class DeadlineMoved(_message.Message):
    __slots__ = ("request_id", "deadline_unix_ms")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    deadline_unix_ms: int
    def __init__(self, request_id: _Optional[str] = ..., deadline_unix_ms: _Optional[int] = ...) -> None: ...

class UnknownRequest(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...

class CatalogChanged(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class MailboxCount(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class DevicesOnline(_message.Message):
    __slots__ = ("count",)
    COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    def __init__(self, count: _Optional[int] = ...) -> None: ...

class SetWaitingRequest(_message.Message):
    __slots__ = ("agent_id", "waiting_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    WAITING_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    waiting_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., waiting_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class SetWaitingResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OpenRequestRequest(_message.Message):
    __slots__ = ("question", "report", "wait_ms")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    question: _agent_assist_pb2.AskQuestionRequest
    report: _agent_assist_pb2.WorkReportRequest
    wait_ms: int
    def __init__(self, question: _Optional[_Union[_agent_assist_pb2.AskQuestionRequest, _Mapping]] = ..., report: _Optional[_Union[_agent_assist_pb2.WorkReportRequest, _Mapping]] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class OpenRequestResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    def __init__(self, outcome: _Optional[_Union[Outcome, _Mapping]] = ...) -> None: ...

class AwaitRequestRequest(_message.Message):
    __slots__ = ("request_id", "wait_ms", "agent_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    wait_ms: int
    agent_id: str
    def __init__(self, request_id: _Optional[str] = ..., wait_ms: _Optional[int] = ..., agent_id: _Optional[str] = ...) -> None: ...

class AwaitRequestResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    def __init__(self, outcome: _Optional[_Union[Outcome, _Mapping]] = ...) -> None: ...

class CancelRequestRequest(_message.Message):
    __slots__ = ("agent_id", "request_id", "reason", "message")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_id: str
    reason: _error_pb2.ErrorCode
    message: str
    def __init__(self, agent_id: _Optional[str] = ..., request_id: _Optional[str] = ..., reason: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., message: _Optional[str] = ...) -> None: ...

class CancelRequestResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    def __init__(self, outcome: _Optional[_Union[Outcome, _Mapping]] = ...) -> None: ...

class CallToolRequest(_message.Message):
    __slots__ = ("call",)
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: _tool_pb2.ToolCall
    def __init__(self, call: _Optional[_Union[_tool_pb2.ToolCall, _Mapping]] = ...) -> None: ...

class CallToolResponse(_message.Message):
    __slots__ = ("update", "nickname", "platform", "changed_unix_ms", "deadline_unix_ms")
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    CHANGED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    update: _tool_pb2.ToolCallUpdate
    nickname: str
    platform: str
    changed_unix_ms: int
    deadline_unix_ms: int
    def __init__(self, update: _Optional[_Union[_tool_pb2.ToolCallUpdate, _Mapping]] = ..., nickname: _Optional[str] = ..., platform: _Optional[str] = ..., changed_unix_ms: _Optional[int] = ..., deadline_unix_ms: _Optional[int] = ...) -> None: ...

class CancelCallRequest(_message.Message):
    __slots__ = ("agent_id", "call_id")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    call_id: str
    def __init__(self, agent_id: _Optional[str] = ..., call_id: _Optional[str] = ...) -> None: ...

class CancelCallResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListToolsRequest(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("revision", "tools", "applications")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    APPLICATIONS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    tools: _containers.RepeatedCompositeFieldContainer[_tool_pb2.ToolDefinition]
    applications: _containers.RepeatedCompositeFieldContainer[_tool_pb2.Application]
    def __init__(self, revision: _Optional[int] = ..., tools: _Optional[_Iterable[_Union[_tool_pb2.ToolDefinition, _Mapping]]] = ..., applications: _Optional[_Iterable[_Union[_tool_pb2.Application, _Mapping]]] = ...) -> None: ...

class SendTextRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: _agent_pb2.Text
    def __init__(self, text: _Optional[_Union[_agent_pb2.Text, _Mapping]] = ...) -> None: ...

class SendTextResponse(_message.Message):
    __slots__ = ("seq",)
    SEQ_FIELD_NUMBER: _ClassVar[int]
    seq: int
    def __init__(self, seq: _Optional[int] = ...) -> None: ...

class SendImageRequest(_message.Message):
    __slots__ = ("image",)
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    image: _agent_pb2.Image
    def __init__(self, image: _Optional[_Union[_agent_pb2.Image, _Mapping]] = ...) -> None: ...

class SendImageResponse(_message.Message):
    __slots__ = ("seq",)
    SEQ_FIELD_NUMBER: _ClassVar[int]
    seq: int
    def __init__(self, seq: _Optional[int] = ...) -> None: ...

class TakeMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "wait_ms")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    wait_ms: int
    def __init__(self, agent_id: _Optional[str] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class TakeMessagesResponse(_message.Message):
    __slots__ = ("outcomes", "texts")
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    outcomes: _containers.RepeatedCompositeFieldContainer[Outcome]
    texts: _containers.RepeatedCompositeFieldContainer[_agent_pb2.Text]
    def __init__(self, outcomes: _Optional[_Iterable[_Union[Outcome, _Mapping]]] = ..., texts: _Optional[_Iterable[_Union[_agent_pb2.Text, _Mapping]]] = ...) -> None: ...

class AckMessagesRequest(_message.Message):
    __slots__ = ("agent_id", "request_ids", "text_ids", "call_ids")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_IDS_FIELD_NUMBER: _ClassVar[int]
    TEXT_IDS_FIELD_NUMBER: _ClassVar[int]
    CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    request_ids: _containers.RepeatedScalarFieldContainer[str]
    text_ids: _containers.RepeatedScalarFieldContainer[str]
    call_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, agent_id: _Optional[str] = ..., request_ids: _Optional[_Iterable[str]] = ..., text_ids: _Optional[_Iterable[str]] = ..., call_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class AckMessagesResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GoodbyeRequest(_message.Message):
    __slots__ = ("agent_id",)
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    def __init__(self, agent_id: _Optional[str] = ...) -> None: ...

class GoodbyeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

from . import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RequestState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REQUEST_STATE_UNSPECIFIED: _ClassVar[RequestState]
    REQUEST_STATE_PENDING: _ClassVar[RequestState]
    REQUEST_STATE_ANSWERED: _ClassVar[RequestState]
    REQUEST_STATE_DECLINED: _ClassVar[RequestState]
    REQUEST_STATE_EXPIRED: _ClassVar[RequestState]
    REQUEST_STATE_CANCELLED: _ClassVar[RequestState]

class RequestKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REQUEST_KIND_UNSPECIFIED: _ClassVar[RequestKind]
    REQUEST_KIND_QUESTION: _ClassVar[RequestKind]
    REQUEST_KIND_APPROVAL: _ClassVar[RequestKind]

class OnTimeout(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ON_TIMEOUT_UNSPECIFIED: _ClassVar[OnTimeout]
    ON_TIMEOUT_CONTINUE: _ClassVar[OnTimeout]
    ON_TIMEOUT_ABORT: _ClassVar[OnTimeout]
REQUEST_STATE_UNSPECIFIED: RequestState
REQUEST_STATE_PENDING: RequestState
REQUEST_STATE_ANSWERED: RequestState
REQUEST_STATE_DECLINED: RequestState
REQUEST_STATE_EXPIRED: RequestState
REQUEST_STATE_CANCELLED: RequestState
REQUEST_KIND_UNSPECIFIED: RequestKind
REQUEST_KIND_QUESTION: RequestKind
REQUEST_KIND_APPROVAL: RequestKind
ON_TIMEOUT_UNSPECIFIED: OnTimeout
ON_TIMEOUT_CONTINUE: OnTimeout
ON_TIMEOUT_ABORT: OnTimeout

class Answer(_message.Message):
    __slots__ = ("index", "labels", "text")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    index: int
    labels: _containers.RepeatedScalarFieldContainer[str]
    text: str
    def __init__(self, index: _Optional[int] = ..., labels: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ...) -> None: ...

class Approval(_message.Message):
    __slots__ = ("tool", "command", "cwd", "description", "input_json", "can_allow_session", "can_edit")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CWD_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_JSON_FIELD_NUMBER: _ClassVar[int]
    CAN_ALLOW_SESSION_FIELD_NUMBER: _ClassVar[int]
    CAN_EDIT_FIELD_NUMBER: _ClassVar[int]
    tool: str
    command: str
    cwd: str
    description: str
    input_json: str
    can_allow_session: bool
    can_edit: bool
    def __init__(self, tool: _Optional[str] = ..., command: _Optional[str] = ..., cwd: _Optional[str] = ..., description: _Optional[str] = ..., input_json: _Optional[str] = ..., can_allow_session: bool = ..., can_edit: bool = ...) -> None: ...

class RequestStateUpdate(_message.Message):
    __slots__ = ("request_id", "state", "reason", "by_nickname", "by_device", "deadline_unix_ms", "late", "received", "agent_gone", "message", "changed_unix_ms")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    BY_NICKNAME_FIELD_NUMBER: _ClassVar[int]
    BY_DEVICE_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    AGENT_GONE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CHANGED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    state: RequestState
    reason: _error_pb2.ErrorCode
    by_nickname: str
    by_device: str
    deadline_unix_ms: int
    late: bool
    received: bool
    agent_gone: bool
    message: str
    changed_unix_ms: int
    def __init__(self, request_id: _Optional[str] = ..., state: _Optional[_Union[RequestState, str]] = ..., reason: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., by_nickname: _Optional[str] = ..., by_device: _Optional[str] = ..., deadline_unix_ms: _Optional[int] = ..., late: bool = ..., received: bool = ..., agent_gone: bool = ..., message: _Optional[str] = ..., changed_unix_ms: _Optional[int] = ...) -> None: ...

class ExtendDeadline(_message.Message):
    __slots__ = ("request_id", "add_seconds")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ADD_SECONDS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    add_seconds: int
    def __init__(self, request_id: _Optional[str] = ..., add_seconds: _Optional[int] = ...) -> None: ...

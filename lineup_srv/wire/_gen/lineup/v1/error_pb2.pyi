from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_CODE_UNSPECIFIED: _ClassVar[ErrorCode]
    ERROR_CODE_INVALID_ARGUMENT: _ClassVar[ErrorCode]
    ERROR_CODE_UNAUTHENTICATED: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_COMMAND: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_REQUEST: _ClassVar[ErrorCode]
    ERROR_CODE_UNKNOWN_TOOL: _ClassVar[ErrorCode]
    ERROR_CODE_ALREADY_ANSWERED: _ClassVar[ErrorCode]
    ERROR_CODE_EXPIRED: _ClassVar[ErrorCode]
    ERROR_CODE_CANCELLED: _ClassVar[ErrorCode]
    ERROR_CODE_DECLINED: _ClassVar[ErrorCode]
    ERROR_CODE_AGENT_ENDED: _ClassVar[ErrorCode]
    ERROR_CODE_ID_CONFLICT: _ClassVar[ErrorCode]
    ERROR_CODE_KEPT_LATE: _ClassVar[ErrorCode]
    ERROR_CODE_KEPT_UNKNOWN: _ClassVar[ErrorCode]
    ERROR_CODE_RECEIVER_OFFLINE: _ClassVar[ErrorCode]
    ERROR_CODE_TOO_LARGE: _ClassVar[ErrorCode]
    ERROR_CODE_RATE_LIMITED: _ClassVar[ErrorCode]
    ERROR_CODE_LOG_UNAVAILABLE: _ClassVar[ErrorCode]
    ERROR_CODE_RELAY_AWAY: _ClassVar[ErrorCode]
    ERROR_CODE_RELAY_UNREACHABLE: _ClassVar[ErrorCode]
    ERROR_CODE_NO_APP: _ClassVar[ErrorCode]
    ERROR_CODE_APP_GONE: _ClassVar[ErrorCode]
    ERROR_CODE_NO_ANSWER: _ClassVar[ErrorCode]
    ERROR_CODE_NAME_CONFLICT: _ClassVar[ErrorCode]
    ERROR_CODE_TOOL_CHANGED: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_SUPPORTED: _ClassVar[ErrorCode]
    ERROR_CODE_INVALID_RESULT: _ClassVar[ErrorCode]
    ERROR_CODE_START_FAILED: _ClassVar[ErrorCode]
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_INVALID_ARGUMENT: ErrorCode
ERROR_CODE_UNAUTHENTICATED: ErrorCode
ERROR_CODE_UNKNOWN_COMMAND: ErrorCode
ERROR_CODE_UNKNOWN_REQUEST: ErrorCode
ERROR_CODE_UNKNOWN_TOOL: ErrorCode
ERROR_CODE_ALREADY_ANSWERED: ErrorCode
ERROR_CODE_EXPIRED: ErrorCode
ERROR_CODE_CANCELLED: ErrorCode
ERROR_CODE_DECLINED: ErrorCode
ERROR_CODE_AGENT_ENDED: ErrorCode
ERROR_CODE_ID_CONFLICT: ErrorCode
ERROR_CODE_KEPT_LATE: ErrorCode
ERROR_CODE_KEPT_UNKNOWN: ErrorCode
ERROR_CODE_RECEIVER_OFFLINE: ErrorCode
ERROR_CODE_TOO_LARGE: ErrorCode
ERROR_CODE_RATE_LIMITED: ErrorCode
ERROR_CODE_LOG_UNAVAILABLE: ErrorCode
ERROR_CODE_RELAY_AWAY: ErrorCode
ERROR_CODE_RELAY_UNREACHABLE: ErrorCode
ERROR_CODE_NO_APP: ErrorCode
ERROR_CODE_APP_GONE: ErrorCode
ERROR_CODE_NO_ANSWER: ErrorCode
ERROR_CODE_NAME_CONFLICT: ErrorCode
ERROR_CODE_TOOL_CHANGED: ErrorCode
ERROR_CODE_NOT_SUPPORTED: ErrorCode
ERROR_CODE_INVALID_RESULT: ErrorCode
ERROR_CODE_START_FAILED: ErrorCode

class ErrorDetail(_message.Message):
    __slots__ = ("code", "message", "next_step", "field")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    NEXT_STEP_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    message: str
    next_step: str
    field: str
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ..., next_step: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

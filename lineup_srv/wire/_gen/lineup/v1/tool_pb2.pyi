from . import content_pb2 as _content_pb2
from . import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ToolType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_TYPE_UNSPECIFIED: _ClassVar[ToolType]
    TOOL_TYPE_APP: _ClassVar[ToolType]
    TOOL_TYPE_TOOLSET: _ClassVar[ToolType]
    TOOL_TYPE_ACTION: _ClassVar[ToolType]

class CallPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALL_PHASE_UNSPECIFIED: _ClassVar[CallPhase]
    CALL_PHASE_ACCEPTED: _ClassVar[CallPhase]
    CALL_PHASE_STARTING: _ClassVar[CallPhase]
    CALL_PHASE_STARTED: _ClassVar[CallPhase]
    CALL_PHASE_PROGRESS: _ClassVar[CallPhase]
    CALL_PHASE_SUCCEEDED: _ClassVar[CallPhase]
    CALL_PHASE_FAILED: _ClassVar[CallPhase]
    CALL_PHASE_CANCELLED: _ClassVar[CallPhase]
    CALL_PHASE_TAKEN: _ClassVar[CallPhase]
    CALL_PHASE_EXPIRED: _ClassVar[CallPhase]
TOOL_TYPE_UNSPECIFIED: ToolType
TOOL_TYPE_APP: ToolType
TOOL_TYPE_TOOLSET: ToolType
TOOL_TYPE_ACTION: ToolType
CALL_PHASE_UNSPECIFIED: CallPhase
CALL_PHASE_ACCEPTED: CallPhase
CALL_PHASE_STARTING: CallPhase
CALL_PHASE_STARTED: CallPhase
CALL_PHASE_PROGRESS: CallPhase
CALL_PHASE_SUCCEEDED: CallPhase
CALL_PHASE_FAILED: CallPhase
CALL_PHASE_CANCELLED: CallPhase
CALL_PHASE_TAKEN: CallPhase
CALL_PHASE_EXPIRED: CallPhase

class ActionHints(_message.Message):
    __slots__ = ("read_only", "destructive", "idempotent")
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    DESTRUCTIVE_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_FIELD_NUMBER: _ClassVar[int]
    read_only: bool
    destructive: bool
    idempotent: bool
    def __init__(self, read_only: bool = ..., destructive: bool = ..., idempotent: bool = ...) -> None: ...

class ActionDefinition(_message.Message):
    __slots__ = ("name", "description", "input_schema_json", "hints", "interactive", "result_schema_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    HINTS_FIELD_NUMBER: _ClassVar[int]
    INTERACTIVE_FIELD_NUMBER: _ClassVar[int]
    RESULT_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    input_schema_json: str
    hints: ActionHints
    interactive: bool
    result_schema_json: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., input_schema_json: _Optional[str] = ..., hints: _Optional[_Union[ActionHints, _Mapping]] = ..., interactive: bool = ..., result_schema_json: _Optional[str] = ...) -> None: ...

class ToolDefinition(_message.Message):
    __slots__ = ("name", "type", "description", "actions", "input_schema_json", "interactive", "result_schema_json", "version", "hints")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    INTERACTIVE_FIELD_NUMBER: _ClassVar[int]
    RESULT_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HINTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: ToolType
    description: str
    actions: _containers.RepeatedCompositeFieldContainer[ActionDefinition]
    input_schema_json: str
    interactive: bool
    result_schema_json: str
    version: str
    hints: ActionHints
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[ToolType, str]] = ..., description: _Optional[str] = ..., actions: _Optional[_Iterable[_Union[ActionDefinition, _Mapping]]] = ..., input_schema_json: _Optional[str] = ..., interactive: bool = ..., result_schema_json: _Optional[str] = ..., version: _Optional[str] = ..., hints: _Optional[_Union[ActionHints, _Mapping]] = ...) -> None: ...

class Application(_message.Message):
    __slots__ = ("id", "version", "title", "tools")
    ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    id: str
    version: str
    title: str
    tools: _containers.RepeatedCompositeFieldContainer[ToolDefinition]
    def __init__(self, id: _Optional[str] = ..., version: _Optional[str] = ..., title: _Optional[str] = ..., tools: _Optional[_Iterable[_Union[ToolDefinition, _Mapping]]] = ...) -> None: ...

class ToolList(_message.Message):
    __slots__ = ("tools", "applications")
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    APPLICATIONS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[ToolDefinition]
    applications: _containers.RepeatedCompositeFieldContainer[Application]
    def __init__(self, tools: _Optional[_Iterable[_Union[ToolDefinition, _Mapping]]] = ..., applications: _Optional[_Iterable[_Union[Application, _Mapping]]] = ...) -> None: ...

class ToolRefusal(_message.Message):
    __slots__ = ("name", "application_id", "code", "message", "field")
    NAME_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    name: str
    application_id: str
    code: _error_pb2.ErrorCode
    message: str
    field: str
    def __init__(self, name: _Optional[str] = ..., application_id: _Optional[str] = ..., code: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., message: _Optional[str] = ..., field: _Optional[str] = ...) -> None: ...

class ToolsRefused(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[ToolRefusal]
    def __init__(self, tools: _Optional[_Iterable[_Union[ToolRefusal, _Mapping]]] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("call_id", "name", "action", "arguments_json", "instance_id", "application_id", "agent_id", "timeout_ms", "catalog_revision", "opened_unix_ms", "deadline_unix_ms")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    CATALOG_REVISION_FIELD_NUMBER: _ClassVar[int]
    OPENED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    name: str
    action: str
    arguments_json: str
    instance_id: str
    application_id: str
    agent_id: str
    timeout_ms: int
    catalog_revision: int
    opened_unix_ms: int
    deadline_unix_ms: int
    def __init__(self, call_id: _Optional[str] = ..., name: _Optional[str] = ..., action: _Optional[str] = ..., arguments_json: _Optional[str] = ..., instance_id: _Optional[str] = ..., application_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., timeout_ms: _Optional[int] = ..., catalog_revision: _Optional[int] = ..., opened_unix_ms: _Optional[int] = ..., deadline_unix_ms: _Optional[int] = ...) -> None: ...

class ToolCallUpdate(_message.Message):
    __slots__ = ("call_id", "phase", "progress", "total", "message", "result_json", "contents", "code", "instance_id", "changed_unix_ms", "received")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGED_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    phase: CallPhase
    progress: float
    total: float
    message: str
    result_json: str
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    code: _error_pb2.ErrorCode
    instance_id: str
    changed_unix_ms: int
    received: bool
    def __init__(self, call_id: _Optional[str] = ..., phase: _Optional[_Union[CallPhase, str]] = ..., progress: _Optional[float] = ..., total: _Optional[float] = ..., message: _Optional[str] = ..., result_json: _Optional[str] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., code: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., instance_id: _Optional[str] = ..., changed_unix_ms: _Optional[int] = ..., received: bool = ...) -> None: ...

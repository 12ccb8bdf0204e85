from . import content_pb2 as _content_pb2
from . import request_pb2 as _request_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MsgEmpty(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Option(_message.Message):
    __slots__ = ("label", "description")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    label: str
    description: str
    def __init__(self, label: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class Question(_message.Message):
    __slots__ = ("question", "header", "options", "multiple", "custom")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    MULTIPLE_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    question: str
    header: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    multiple: bool
    custom: bool
    def __init__(self, question: _Optional[str] = ..., header: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ..., multiple: bool = ..., custom: bool = ...) -> None: ...

class McpAskQuestionRequest(_message.Message):
    __slots__ = ("ProjectDirectory", "Question", "Timeout", "AgentName", "ReasoningModelName", "McpClientName", "Questions", "contents", "agent_id", "machine", "session", "machine_name", "on_timeout", "kind", "approval")
    PROJECTDIRECTORY_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    AGENTNAME_FIELD_NUMBER: _ClassVar[int]
    REASONINGMODELNAME_FIELD_NUMBER: _ClassVar[int]
    MCPCLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    MACHINE_NAME_FIELD_NUMBER: _ClassVar[int]
    ON_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    ProjectDirectory: str
    Question: str
    Timeout: int
    AgentName: str
    ReasoningModelName: str
    McpClientName: str
    Questions: _containers.RepeatedCompositeFieldContainer[Question]
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    agent_id: str
    machine: str
    session: str
    machine_name: str
    on_timeout: _request_pb2.OnTimeout
    kind: _request_pb2.RequestKind
    approval: _request_pb2.Approval
    def __init__(self, ProjectDirectory: _Optional[str] = ..., Question: _Optional[str] = ..., Timeout: _Optional[int] = ..., AgentName: _Optional[str] = ..., ReasoningModelName: _Optional[str] = ..., McpClientName: _Optional[str] = ..., Questions: _Optional[_Iterable[_Union[Question, _Mapping]]] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., agent_id: _Optional[str] = ..., machine: _Optional[str] = ..., session: _Optional[str] = ..., machine_name: _Optional[str] = ..., on_timeout: _Optional[_Union[_request_pb2.OnTimeout, str]] = ..., kind: _Optional[_Union[_request_pb2.RequestKind, str]] = ..., approval: _Optional[_Union[_request_pb2.Approval, _Mapping]] = ...) -> None: ...

class McpWorkReportRequest(_message.Message):
    __slots__ = ("ProjectDirectory", "Summary", "Timeout", "AgentName", "ReasoningModelName", "McpClientName", "contents", "agent_id", "machine", "session", "machine_name", "on_timeout")
    PROJECTDIRECTORY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    AGENTNAME_FIELD_NUMBER: _ClassVar[int]
    REASONINGMODELNAME_FIELD_NUMBER: _ClassVar[int]
    MCPCLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    MACHINE_NAME_FIELD_NUMBER: _ClassVar[int]
    ON_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ProjectDirectory: str
    Summary: str
    Timeout: int
    AgentName: str
    ReasoningModelName: str
    McpClientName: str
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    agent_id: str
    machine: str
    session: str
    machine_name: str
    on_timeout: _request_pb2.OnTimeout
    def __init__(self, ProjectDirectory: _Optional[str] = ..., Summary: _Optional[str] = ..., Timeout: _Optional[int] = ..., AgentName: _Optional[str] = ..., ReasoningModelName: _Optional[str] = ..., McpClientName: _Optional[str] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., agent_id: _Optional[str] = ..., machine: _Optional[str] = ..., session: _Optional[str] = ..., machine_name: _Optional[str] = ..., on_timeout: _Optional[_Union[_request_pb2.OnTimeout, str]] = ...) -> None: ...

class AskQuestionRequest(_message.Message):
    __slots__ = ("ID", "UserToken", "Request", "Timestamp")
    ID_FIELD_NUMBER: _ClassVar[int]
    USERTOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    ID: str
    UserToken: str
    Request: McpAskQuestionRequest
    Timestamp: int
    def __init__(self, ID: _Optional[str] = ..., UserToken: _Optional[str] = ..., Request: _Optional[_Union[McpAskQuestionRequest, _Mapping]] = ..., Timestamp: _Optional[int] = ...) -> None: ...

class AskQuestionResponse(_message.Message):
    __slots__ = ("ID", "IsError", "Meta", "contents", "answers")
    class MetaEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    ISERROR_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    ID: str
    IsError: bool
    Meta: _containers.ScalarMap[str, str]
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    answers: _containers.RepeatedCompositeFieldContainer[_request_pb2.Answer]
    def __init__(self, ID: _Optional[str] = ..., IsError: bool = ..., Meta: _Optional[_Mapping[str, str]] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., answers: _Optional[_Iterable[_Union[_request_pb2.Answer, _Mapping]]] = ...) -> None: ...

class WorkReportRequest(_message.Message):
    __slots__ = ("ID", "UserToken", "Request", "Timestamp")
    ID_FIELD_NUMBER: _ClassVar[int]
    USERTOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    ID: str
    UserToken: str
    Request: McpWorkReportRequest
    Timestamp: int
    def __init__(self, ID: _Optional[str] = ..., UserToken: _Optional[str] = ..., Request: _Optional[_Union[McpWorkReportRequest, _Mapping]] = ..., Timestamp: _Optional[int] = ...) -> None: ...

class WorkReportResponse(_message.Message):
    __slots__ = ("ID", "IsError", "Meta", "contents", "answers")
    class MetaEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    ISERROR_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    ID: str
    IsError: bool
    Meta: _containers.ScalarMap[str, str]
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    answers: _containers.RepeatedCompositeFieldContainer[_request_pb2.Answer]
    def __init__(self, ID: _Optional[str] = ..., IsError: bool = ..., Meta: _Optional[_Mapping[str, str]] = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., answers: _Optional[_Iterable[_Union[_request_pb2.Answer, _Mapping]]] = ...) -> None: ...

class McpClientInfoData(_message.Message):
    __slots__ = ("ProtocolVersion", "CapabilitiesJson", "ClientName", "ClientVersion")
    PROTOCOLVERSION_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIESJSON_FIELD_NUMBER: _ClassVar[int]
    CLIENTNAME_FIELD_NUMBER: _ClassVar[int]
    CLIENTVERSION_FIELD_NUMBER: _ClassVar[int]
    ProtocolVersion: str
    CapabilitiesJson: str
    ClientName: str
    ClientVersion: str
    def __init__(self, ProtocolVersion: _Optional[str] = ..., CapabilitiesJson: _Optional[str] = ..., ClientName: _Optional[str] = ..., ClientVersion: _Optional[str] = ...) -> None: ...

class McpClientInfoRequest(_message.Message):
    __slots__ = ("ID", "UserToken", "Request", "Timestamp")
    ID_FIELD_NUMBER: _ClassVar[int]
    USERTOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    ID: str
    UserToken: str
    Request: McpClientInfoData
    Timestamp: int
    def __init__(self, ID: _Optional[str] = ..., UserToken: _Optional[str] = ..., Request: _Optional[_Union[McpClientInfoData, _Mapping]] = ..., Timestamp: _Optional[int] = ...) -> None: ...

class McpClientInfoResponse(_message.Message):
    __slots__ = ("Success",)
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    Success: bool
    def __init__(self, Success: bool = ...) -> None: ...

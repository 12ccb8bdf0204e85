from . import content_pb2 as _content_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AgentWaiting(_message.Message):
    __slots__ = ("request_id", "since_unix_ms")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SINCE_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    since_unix_ms: int
    def __init__(self, request_id: _Optional[str] = ..., since_unix_ms: _Optional[int] = ...) -> None: ...

class Agent(_message.Message):
    __slots__ = ("agent_id", "client", "name", "project_directory", "machine", "attached", "waiting", "model", "machine_name", "last_call_unix_ms", "left_unix_ms", "messages_waiting")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_DIRECTORY_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    ATTACHED_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    MACHINE_NAME_FIELD_NUMBER: _ClassVar[int]
    LAST_CALL_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    LEFT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_WAITING_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    client: str
    name: str
    project_directory: str
    machine: str
    attached: bool
    waiting: _containers.RepeatedCompositeFieldContainer[AgentWaiting]
    model: str
    machine_name: str
    last_call_unix_ms: int
    left_unix_ms: int
    messages_waiting: int
    def __init__(self, agent_id: _Optional[str] = ..., client: _Optional[str] = ..., name: _Optional[str] = ..., project_directory: _Optional[str] = ..., machine: _Optional[str] = ..., attached: bool = ..., waiting: _Optional[_Iterable[_Union[AgentWaiting, _Mapping]]] = ..., model: _Optional[str] = ..., machine_name: _Optional[str] = ..., last_call_unix_ms: _Optional[int] = ..., left_unix_ms: _Optional[int] = ..., messages_waiting: _Optional[int] = ...) -> None: ...

class Text(_message.Message):
    __slots__ = ("message_id", "content", "agent_id", "sent_unix_ms", "received", "redelivered", "other_session", "contents")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    SENT_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    REDELIVERED_FIELD_NUMBER: _ClassVar[int]
    OTHER_SESSION_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    content: str
    agent_id: str
    sent_unix_ms: int
    received: bool
    redelivered: bool
    other_session: bool
    contents: _containers.RepeatedCompositeFieldContainer[_content_pb2.McpResultContent]
    def __init__(self, message_id: _Optional[str] = ..., content: _Optional[str] = ..., agent_id: _Optional[str] = ..., sent_unix_ms: _Optional[int] = ..., received: bool = ..., redelivered: bool = ..., other_session: bool = ..., contents: _Optional[_Iterable[_Union[_content_pb2.McpResultContent, _Mapping]]] = ..., **kwargs) -> None: ...

class Image(_message.Message):
    __slots__ = ("message_id", "url", "data", "mime_type", "alt", "caption", "agent_id")
    MESSAGE_ID_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    MIME_TYPE_FIELD_NUMBER: _ClassVar[int]
    ALT_FIELD_NUMBER: _ClassVar[int]
    CAPTION_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    message_id: str
    url: str
    data: bytes
    mime_type: str
    alt: str
    caption: str
    agent_id: str
    def __init__(self, message_id: _Optional[str] = ..., url: _Optional[str] = ..., data: _Optional[bytes] = ..., mime_type: _Optional[str] = ..., alt: _Optional[str] = ..., caption: _Optional[str] = ..., agent_id: _Optional[str] = ...) -> None: ...

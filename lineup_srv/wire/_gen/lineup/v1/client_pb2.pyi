from . import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PairingState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAIRING_STATE_UNSPECIFIED: _ClassVar[PairingState]
    PAIRING_STATE_OFFERED: _ClassVar[PairingState]
    PAIRING_STATE_CLAIMED: _ClassVar[PairingState]
    PAIRING_STATE_JOINED: _ClassVar[PairingState]
    PAIRING_STATE_REFUSED: _ClassVar[PairingState]
    PAIRING_STATE_EXPIRED: _ClassVar[PairingState]
PAIRING_STATE_UNSPECIFIED: PairingState
PAIRING_STATE_OFFERED: PairingState
PAIRING_STATE_CLAIMED: PairingState
PAIRING_STATE_JOINED: PairingState
PAIRING_STATE_REFUSED: PairingState
PAIRING_STATE_EXPIRED: PairingState

class ClientInfo(_message.Message):
    __slots__ = ("device_id", "platform", "version", "locale", "tab_id", "visible", "capabilities")
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LOCALE_FIELD_NUMBER: _ClassVar[int]
    TAB_ID_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    device_id: str
    platform: str
    version: str
    locale: str
    tab_id: str
    visible: bool
    capabilities: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, device_id: _Optional[str] = ..., platform: _Optional[str] = ..., version: _Optional[str] = ..., locale: _Optional[str] = ..., tab_id: _Optional[str] = ..., visible: bool = ..., capabilities: _Optional[_Iterable[str]] = ...) -> None: ...

class Ack(_message.Message):
    __slots__ = ("ref", "accepted", "code", "message")
    REF_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ref: str
    accepted: bool
    code: _error_pb2.ErrorCode
    message: str
    def __init__(self, ref: _Optional[str] = ..., accepted: bool = ..., code: _Optional[_Union[_error_pb2.ErrorCode, str]] = ..., message: _Optional[str] = ...) -> None: ...

class ServerInfo(_message.Message):
    __slots__ = ("version", "protocol", "clock_unix_ms", "limits", "features", "last_seq", "log_id")
    class LimitsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    CLOCK_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQ_FIELD_NUMBER: _ClassVar[int]
    LOG_ID_FIELD_NUMBER: _ClassVar[int]
    version: str
    protocol: int
    clock_unix_ms: int
    limits: _containers.ScalarMap[str, int]
    features: _containers.RepeatedScalarFieldContainer[str]
    last_seq: int
    log_id: str
    def __init__(self, version: _Optional[str] = ..., protocol: _Optional[int] = ..., clock_unix_ms: _Optional[int] = ..., limits: _Optional[_Mapping[str, int]] = ..., features: _Optional[_Iterable[str]] = ..., last_seq: _Optional[int] = ..., log_id: _Optional[str] = ...) -> None: ...

class Typing(_message.Message):
    __slots__ = ("request_id", "nickname")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    nickname: str
    def __init__(self, request_id: _Optional[str] = ..., nickname: _Optional[str] = ...) -> None: ...

class Device(_message.Message):
    __slots__ = ("device_id", "client_id", "nickname", "platform", "online", "visible", "last_seen_unix_ms")
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    ONLINE_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    device_id: str
    client_id: str
    nickname: str
    platform: str
    online: bool
    visible: bool
    last_seen_unix_ms: int
    def __init__(self, device_id: _Optional[str] = ..., client_id: _Optional[str] = ..., nickname: _Optional[str] = ..., platform: _Optional[str] = ..., online: bool = ..., visible: bool = ..., last_seen_unix_ms: _Optional[int] = ...) -> None: ...

class Settings(_message.Message):
    __slots__ = ("key", "value_json", "revision")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_JSON_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    key: str
    value_json: str
    revision: int
    def __init__(self, key: _Optional[str] = ..., value_json: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class Pairing(_message.Message):
    __slots__ = ("state", "code", "expires_unix_ms", "base_url", "name", "platform")
    STATE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_UNIX_MS_FIELD_NUMBER: _ClassVar[int]
    BASE_URL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    state: PairingState
    code: str
    expires_unix_ms: int
    base_url: str
    name: str
    platform: str
    def __init__(self, state: _Optional[_Union[PairingState, str]] = ..., code: _Optional[str] = ..., expires_unix_ms: _Optional[int] = ..., base_url: _Optional[str] = ..., name: _Optional[str] = ..., platform: _Optional[str] = ...) -> None: ...

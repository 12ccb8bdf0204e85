"""What the devices of a room share ↔ LineUp's own messages (wire §4, 113 and 114)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NoReturn

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.shared import Setting
from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from lineup_srv.domain.effects import DeviceLine, ShowDevices, ShowSetting

__all__ = ["devices_message", "setting_from_wire", "setting_message"]

_KEY: Final = re.compile(r"[a-z0-9_.-]+")


def setting_from_wire(settings: client_pb2.Settings) -> Setting:
    """What a device wants written, with the revision it saw.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    if len(settings.key) > limits.SETTING_KEY_CHARACTERS:
        words = f"at most {limits.SETTING_KEY_CHARACTERS} characters"
        raise LineUpError(ErrorCode.TOO_LARGE, words, field="settings.key")
    if not _KEY.fullmatch(settings.key):
        words = "only a-z, 0-9, '_', '.' and '-', at least one of them"
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, words, field="settings.key")
    if len(settings.value_json.encode()) > limits.SETTING_BYTES:
        words = f"at most {limits.SETTING_BYTES} bytes"
        raise LineUpError(ErrorCode.TOO_LARGE, words, field="settings.value_json")
    _check_json(settings.value_json)
    if settings.revision < 0:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is negative", field="settings.revision")
    return Setting(settings.key, settings.value_json, settings.revision)


def _check_json(text: str) -> None:
    try:
        json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, "is not JSON", field="settings.value_json"
        ) from None


def _not_json(_: str) -> NoReturn:
    """NaN and the like, which Python would take."""
    raise ValueError


def setting_message(shown: ShowSetting) -> ws.WebsocketMessage:
    """A setting."""
    setting = shown.setting
    return ws.WebsocketMessage(
        Cmd=Cmd.SETTINGS.value,
        settings=client_pb2.Settings(
            key=setting.key, value_json=setting.value_json, revision=setting.revision
        ),
    )


def devices_message(shown: ShowDevices) -> ws.WebsocketMessage:
    """The devices of the room."""
    return ws.WebsocketMessage(
        Cmd=Cmd.DEVICES.value, devices=[_device(line) for line in shown.devices]
    )


def _device(line: DeviceLine) -> client_pb2.Device:
    return client_pb2.Device(
        device_id=line.device_id,
        client_id=line.client_id or "",
        nickname=line.nickname,
        platform=line.platform,
        online=line.online,
        visible=line.visible,
        last_seen_unix_ms=line.last_seen_unix_ms,
    )

"""The devices of a room as people see them: those that are here, then those that were (wire §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.domain.effects import DeviceLine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.contract.ids import DeviceId
    from lineup_srv.domain.people import Member

__all__ = ["KnownDevice", "device_lines"]


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A device that was here; `last_seen_unix_ms` is when it was last connected."""

    device_id: DeviceId
    nickname: str
    platform: str
    last_seen_unix_ms: int


def device_lines(
    members: Iterable[Member], known: Iterable[KnownDevice], now_unix_ms: int
) -> tuple[DeviceLine, ...]:
    """One line for each device, at most `limits.KNOWN_DEVICES_PER_ROOM`.

    Args:
        members: who is here; a device may be here with several pages, of which a visible one, else
            the newest, is the one to talk to.
        known: who was here, with those who are.
        now_unix_ms: the relay's clock.
    """
    online: dict[str, DeviceLine] = {}
    for member in members:
        author = member.author
        key = author.device_id or author.client_id
        other = online.get(key)
        hidden = other is not None and other.visible and not member.visible
        online[key] = DeviceLine(
            device_id=author.device_id,
            client_id=other.client_id if other is not None and hidden else author.client_id,
            nickname=author.nickname,
            platform=author.platform,
            online=True,
            visible=member.visible or hidden,
            last_seen_unix_ms=now_unix_ms,
        )
    away = sorted(
        (device for device in known if device.device_id not in online),
        key=lambda device: -device.last_seen_unix_ms,
    )
    lines = [*online.values(), *(_away(device) for device in away)]
    return tuple(lines[: limits.KNOWN_DEVICES_PER_ROOM])


def _away(device: KnownDevice) -> DeviceLine:
    return DeviceLine(
        device_id=device.device_id,
        client_id=None,
        nickname=device.nickname,
        platform=device.platform,
        online=False,
        visible=False,
        last_seen_unix_ms=device.last_seen_unix_ms,
    )

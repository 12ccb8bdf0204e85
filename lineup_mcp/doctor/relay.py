"""Whether the relay is there, takes the token, fits this bridge, and has devices."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final

from lineup_mcp import __version__
from lineup_mcp.doctor.findings import Finding, Level
from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_mcp.whereabouts import Who, address, look
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.wire._gen.lineup.v1 import relay_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.whereabouts import Sight

__all__ = ["check_relay"]

_TALK_SECONDS: Final = 10.0
_CLOCK_SECONDS: Final = 5.0
_MILLISECONDS: Final = 1000


def check_relay(config: BridgeConfig) -> Iterator[Finding]:
    """Look at the relay; blocks for some seconds at most."""
    sight = look(config)
    holder = sight.holder
    if sight.who is Who.RELAY:
        yield Finding(Level.OK, "relay", f"answers at {sight.target}")
        yield from _talk(config, 0)
    elif holder is not None and config.port_is_default:
        where = address(holder.host, holder.http_port)
        yield Finding(Level.OK, "relay", f"answers at {where}, process {holder.pid}")
        yield from _talk(config, holder.grpc_port)
    else:
        yield _absent(config, sight)


def _absent(config: BridgeConfig, sight: Sight) -> Finding:
    here = is_loopback(config.host)
    if sight.holder is not None:
        where = address(sight.holder.host, sight.holder.http_port)
        text = f"none at {sight.target}; one of yours runs on {where}"
        mend = f"set LINEUP_PORT={sight.holder.http_port}, or end process {sight.holder.pid}"
        return Finding(Level.ERROR, "relay", text, mend)
    if sight.who in (Who.OTHER, Who.SILENT):
        text = f"another program has {sight.target}"
        return Finding(Level.ERROR, "relay", text, "set another port: lineup_server_port")
    if here and config.autostart:
        text = f"none runs at {sight.target}; the first question starts one"
        return Finding(Level.WARNING, "relay", text, "lineup-mcp --web")
    mend = "lineup-srv" if here else f"start lineup-srv on {config.host}, and look at the firewall"
    return Finding(Level.ERROR, "relay", f"none answers at {sight.target}", mend)


def _talk(config: BridgeConfig, grpc_port: int) -> Iterator[Finding]:
    """What a bridge is told when it comes."""
    try:
        attached, seconds, devices = asyncio.run(_attach(config, grpc_port))
    except LineUpError as error:
        if error.code is ErrorCode.UNAUTHENTICATED:
            text, mend = "the relay does not take it", "use one of the relay's [srv] tokens"
        else:
            text, mend = f"the relay refuses: {error.code.value}", "look into the relay's log"
        yield Finding(Level.ERROR, "token", text, mend)
        return
    except (RelayUnreachable, TimeoutError):
        text = f"its gRPC port, {grpc_port or config.grpc_port}, does not answer"
        yield Finding(Level.ERROR, "gRPC", text, "set lineup_server_grpc_port, or open the port")
        return
    if attached.version == __version__:
        yield Finding(Level.OK, "version", f"{__version__}, as the relay")
    else:
        text = f"the relay has {attached.version}, this bridge {__version__}"
        mend = "bring both to the same version, and start the relay anew"
        yield Finding(Level.WARNING, "version", text, mend)
    if abs(seconds) <= _CLOCK_SECONDS:
        yield Finding(Level.OK, "clock", f"differs by {abs(seconds):.1f} s")
    else:
        text = f"differs from the relay's by {abs(seconds):.0f} s: times shown are wrong"
        yield Finding(Level.WARNING, "clock", text, "set the clock of both machines by NTP")
    if devices:
        yield Finding(Level.OK, "devices", f"{devices} online")
    else:
        text = "none is online: nobody would see a question"
        yield Finding(Level.WARNING, "devices", text, "lineup-mcp --web")


async def _attach(config: BridgeConfig, grpc_port: int) -> tuple[relay_pb2.Attached, float, int]:
    """Visit it, unseen by devices: its word, how far its clock is ahead, its devices."""
    client = RelayClient(config, grpc_port=grpc_port)
    attached, seconds, devices = relay_pb2.Attached(), 0.0, 0
    try:
        async with asyncio.timeout(_TALK_SECONDS):
            request = relay_pb2.AttachRequest(visit=True)
            async with contextlib.aclosing(client.attach(request)) as events:
                async for event in events:
                    kind = event.WhichOneof("event")
                    if kind == "attached":
                        attached = event.attached
                        seconds = attached.clock_unix_ms / _MILLISECONDS - time.time_ns() / 1e9
                    elif kind == "devices_online":
                        devices = event.devices_online.count
                        break
    finally:
        await client.close()
    return attached, seconds, devices

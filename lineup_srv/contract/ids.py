"""The ids of the product, as types of their own so that one is never taken for another.

All are opaque strings. Ours are made by an `Ids` port outside the core; a request id comes from
the caller.
"""

from __future__ import annotations

from typing import NewType

__all__ = [
    "AgentId",
    "ApplicationId",
    "CallId",
    "ClientId",
    "CommandId",
    "DeviceId",
    "FactId",
    "InstanceId",
    "LogId",
    "Ref",
    "RequestId",
    "RoomId",
    "TabId",
    "TextId",
]

RoomId = NewType("RoomId", str)
"""A room, random; a token points to it (design: rotation never touches the log)."""
RequestId = NewType("RequestId", str)
"""A question or report, chosen by the caller; the same id opens once."""
AgentId = NewType("AgentId", str)
"""A bridge process, random; or `call:…` for one call of the frozen service."""
ClientId = NewType("ClientId", str)
"""One connection of a device."""
DeviceId = NewType("DeviceId", str)
"""A browser or app, kept by it over connections; empty for clients without client_info."""
Ref = NewType("Ref", str)
"""16 to 64 random characters that a client puts on a message; the Ack names it. Empty: none."""
TextId = NewType("TextId", str)
"""A text between a human and an agent."""
CommandId = NewType("CommandId", str)
"""A command; stays the same on every retry, so that its facts are appended once."""
FactId = NewType("FactId", str)
"""A fact: command id, a colon, its index in the command's facts."""
LogId = NewType("LogId", str)
"""A log; another id means that log numbers kept by a device are worthless."""
CallId = NewType("CallId", str)
"""A tool call, chosen by the caller; the same id runs once."""
ApplicationId = NewType("ApplicationId", str)
"""A MiniApp, from its manifest; empty: none, the tool belongs to the device itself."""
InstanceId = NewType("InstanceId", str)
"""An open app, chosen by the device that runs it; empty: none."""
TabId = NewType("TabId", str)
"""One tab of a browser, kept by it over connections; empty for clients that have none."""

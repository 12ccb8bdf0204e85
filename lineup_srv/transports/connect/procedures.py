"""Which path leads to which call: every method of the services is served."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.message_factory import GetMessageClass

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence

    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

    from lineup_srv.transports.assist_calls import AssistCalls
    from lineup_srv.transports.relay_calls import RelayCalls

__all__ = ["ASSIST_NAMES", "RELAY_NAME", "Procedure", "procedures"]

_ASSIST: Final = agent_assist_pb2.DESCRIPTOR.services_by_name["SrvAgentAssist"]
_RELAY: Final = relay_pb2.DESCRIPTOR.services_by_name["RelayService"]
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")

ASSIST_NAMES: Final = (_ASSIST.full_name, "agentassistproto.SrvAgentAssist")
"""Existing bridges call the second one."""
RELAY_NAME: Final = _RELAY.full_name


@dataclass(frozen=True, slots=True)
class Procedure:
    """One method of a service.

    Args:
        request: the class of its request.
        streams: it answers with a stream.
        admit: takes the token of the Authorization header and returns the call itself, or raises
            LineUpError; for a stream the call returns an asynchronous generator.
    """

    request: type[Message]
    streams: bool
    admit: Callable[[str], Awaitable[Call]]


if TYPE_CHECKING:
    Call = Callable[[Message], Awaitable[Message]] | Callable[[Message], AsyncGenerator[Message]]


def procedures(assist: AssistCalls, relay: RelayCalls) -> dict[str, Procedure]:
    """Every procedure by its path."""
    table = {}
    for method, call in _methods(_ASSIST.methods, assist):
        for service in ASSIST_NAMES:
            table[f"/{service}/{method.name}"] = _procedure(method, partial(_open, call))
    for method, call in _methods(_RELAY.methods, relay):
        table[f"/{RELAY_NAME}/{method.name}"] = _procedure(method, partial(_admit, relay, call))
    return table


def _methods(
    methods: Sequence[MethodDescriptor], calls: object
) -> Iterator[tuple[MethodDescriptor, Any]]:
    for method in methods:
        yield method, getattr(calls, _CAPITAL.sub("_", method.name).lower())


def _procedure(method: MethodDescriptor, admit: Callable[[str], Awaitable[Call]]) -> Procedure:
    return Procedure(GetMessageClass(method.input_type), method.server_streaming, admit)


async def _open(call: Call, _token: str) -> Call:
    """SrvAgentAssist has its token in the message."""
    return call


async def _admit(relay: RelayCalls, call: Any, token: str) -> Call:
    return partial(call, await relay.room(token))

"""Samples of the messages about tools and pairing; part of `samples`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import (
    AgentId,
    ApplicationId,
    CallId,
    ClientId,
    DeviceId,
    InstanceId,
    Ref,
)
from lineup_srv.contract.offers import Refusal
from lineup_srv.contract.tools import ActionDefinition, ToolType
from lineup_srv.domain.call import Call, Called, CallPhase, CallResult, ToolKey
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate, ShowRefusedTools
from lineup_srv.domain.contents import ContentRef
from lineup_srv.domain.effects import Everyone, Only
from lineup_srv.domain.people import AgentIdentity, Author
from lineup_srv.service.pairing import Guest, PairingState, PairingTold
from lineup_srv.transports.mapping.pairing import pairing_message

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message
    from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

NOW: Final = 1_700_000_000_000
REF: Final = "0123456789abcdef"
ARGUMENTS: Final = '{"instance_id":"canvas-1","path":"M 0 0 L 10 10","width":2}'
SCHEMA: Final = '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}'
CALL: Final = Call(
    call_id=CallId("call-1"),
    aliases=(),
    called=Called(
        tool=ToolKey(ApplicationId(""), "canvas"),
        action="draw",
        arguments=ContentRef("sha256-of-arguments", len(ARGUMENTS), "application/json", ARGUMENTS),
        instance_id=InstanceId("canvas-1"),
        secret=False,
    ),
    tool_type=ToolType.APP,
    action=ActionDefinition(name="draw", description="Draws", input_schema_json=SCHEMA),
    agent=AgentIdentity(AgentId("ada"), "claude-code", "m1", "s1", "/home/ada/shop", "desk"),
    agent_name="builder",
    opened_unix_ms=NOW,
    opened_seq=11,
    deadline_unix_ms=NOW + 600_000,
    phase=CallPhase.OFFERED,
    owner=None,
    asked=(),
    progress=None,
    by=None,
    code=ErrorCode.UNSPECIFIED,
    message="",
    changed_unix_ms=NOW,
    result=None,
    ref=Ref(""),
    kept=None,
    received=False,
)
ENDED: Final = replace(
    CALL,
    phase=CallPhase.SUCCEEDED,
    by=Author(ClientId("client-ann"), DeviceId("device-ann"), "Ann", "web"),
)
RESULT: Final = '{"message":"Blue","choice":"Blue","index":0}'
ANSWERED: Final = replace(
    ENDED,
    called=replace(
        CALL.called, tool=ToolKey(ApplicationId(""), "choice"), instance_id=InstanceId("")
    ),
    action=replace(CALL.action, interactive=True),
    changed_unix_ms=NOW + 4_000,
    result=CallResult(
        ContentRef("sha256-of-result", len(RESULT), "application/json", RESULT),
        (),
        InstanceId(""),
        "",
    ),
)
OF_AN_APP: Final = replace(
    CALL,
    called=replace(
        CALL.called,
        tool=ToolKey(ApplicationId("pomodoro"), "timer"),
        action="start",
        instance_id=InstanceId(""),
        arguments=replace(CALL.called.arguments, inline='{"minutes":25}'),
    ),
)
TOLD_OF_TOOLS: Final[dict[str, tuple[Message, bool]]] = {
    "ToolCall": (ShowCall(Everyone(), CALL, 11), True),
    "ToolCall-miniapp": (ShowCall(Everyone(), OF_AN_APP, 11), True),
    "ToolCallUpdate-taken": (
        ShowCallUpdate(Everyone(), ENDED, CallPhase.SUCCEEDED, taken=True, seq=0),
        True,
    ),
    "ToolCallUpdate": (
        ShowCallUpdate(Everyone(), ENDED, CallPhase.SUCCEEDED, taken=False, seq=12),
        True,
    ),
    "ToolCallUpdate-answered": (
        ShowCallUpdate(Everyone(), ANSWERED, CallPhase.SUCCEEDED, taken=False, seq=12),
        True,
    ),
    "ToolCallUpdate-received": (
        ShowCallUpdate(
            Everyone(),
            replace(ANSWERED, received=True),
            CallPhase.SUCCEEDED,
            taken=False,
            seq=13,
        ),
        True,
    ),
    "ToolsRefused": (
        ShowRefusedTools(
            Only(ClientId("client-ann")),
            Ref(REF),
            (
                Refusal(
                    name="canvas",
                    code=ErrorCode.INVALID_ARGUMENT,
                    message="must be an object",
                    field="tools[0].actions[0].inputSchema",
                ),
                Refusal(
                    name="timer",
                    application="pomodoro",
                    code=ErrorCode.NAME_CONFLICT,
                    message="another device offers a different tool named timer",
                ),
            ),
        ),
        True,
    ),
}
_ACTION: Final = {
    "name": "draw",
    "description": "Draws a path",
    "input_schema_json": SCHEMA,
    "hints": {"idempotent": True},
    "result_schema_json": '{"type":"object"}',
}
SAID_OF_TOOLS: Final[dict[str, dict[str, Any]]] = {
    "ToolList": {
        "tool_list": {
            "tools": [
                {
                    "name": "canvas",
                    "type": "TOOL_TYPE_APP",
                    "description": "画板应用",
                    "actions": [_ACTION],
                    "version": "1.2.0",
                },
                {
                    "name": "choice",
                    "type": "TOOL_TYPE_ACTION",
                    "description": "选项",
                    "input_schema_json": '{"type":"object"}',
                    "interactive": True,
                    "hints": {"read_only": True},
                },
            ],
            "applications": [
                {
                    "id": "pomodoro",
                    "version": "1.0.0",
                    "title": "Pomodoro",
                    "tools": [
                        {
                            "name": "timer",
                            "type": "TOOL_TYPE_TOOLSET",
                            "description": "A timer",
                            "actions": [_ACTION],
                        }
                    ],
                }
            ],
        },
        "ref": REF,
    },
    "ToolCallUpdate": {
        "tool_call_update": {"call_id": "call-1", "phase": "CALL_PHASE_ACCEPTED"},
        "ref": REF,
    },
    "ToolCallUpdate-progress": {
        "tool_call_update": {
            "call_id": "call-1",
            "phase": "CALL_PHASE_PROGRESS",
            "progress": 1.5,
            "total": 3,
            "message": "drawing",
        }
    },
    "ToolCallUpdate-result": {
        "tool_call_update": {
            "call_id": "call-1",
            "phase": "CALL_PHASE_SUCCEEDED",
            "result_json": '{"message":"drawn","instance_id":"canvas-1"}',
            "contents": [
                {
                    "type": 2,
                    "image": {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png"},
                }
            ],
        },
        "ref": REF,
    },
    "ToolCallUpdate-failed": {
        "tool_call_update": {
            "call_id": "call-1",
            "phase": "CALL_PHASE_FAILED",
            "message": "There is no such path.",
            "code": "ERROR_CODE_NOT_SUPPORTED",
        },
        "ref": REF,
    },
    "Pairing": {"pairing": {}, "ref": REF},
    "Pairing-decided": {"pairing": {"state": "PAIRING_STATE_JOINED"}, "ref": REF},
}


def pairings() -> dict[str, WebsocketMessage]:
    """What a device that shows a code is told."""
    base_url, guest = "http://192.168.1.5:22080/", Guest("Ada's phone", "web")
    offered = PairingTold(PairingState.OFFERED, "0f3a61c2b7d84e59", NOW + 300_000, None)
    claimed = PairingTold(PairingState.CLAIMED, "", NOW + 60_000, guest)
    joined = PairingTold(PairingState.JOINED, "", 0, guest)
    return {
        "Pairing": pairing_message(offered, base_url, REF),
        "Pairing-claimed": pairing_message(claimed, base_url, ""),
        "Pairing-joined": pairing_message(joined, base_url, ""),
    }

"""Conversations of JSON clients with the relay, as files that a client of any language can play.

`python -m tests.transports.transcripts` writes tests/golden/transcripts; test_transcripts plays
them. Each line is one frame: who says or hears it, and the envelope. In what is heard the text
"…" stands for any text, and a number 0 in a field that ends in `_ms` for any number.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).resolve().parent.parent / "golden" / "transcripts"
ANY: Final = "…"
TOKEN: Final = "token"
SCHEMA: Final = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}
CALCULATOR: Final = {
    "name": "calculator",
    "type": "toolset",
    "description": "基础计算器，无状态，每次调用独立",
    "actions": [
        {"name": "add", "description": "两个数相加", "inputSchema": SCHEMA},
        {"name": "divide", "description": "两个数相除", "inputSchema": SCHEMA},
    ],
}
CHOICE: Final = {
    "name": "choice",
    "type": "action",
    "description": "向用户提供一组选项让其选择",
    "inputSchema": {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "options": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["question", "options"],
    },
    "interactive": True,
}
POMODORO: Final = {
    "id": "pomodoro",
    "version": "1.0.0",
    "title": "Pomodoro",
    "tools": [
        {
            "name": "timer",
            "type": "toolset",
            "description": "A timer for work and rest",
            "actions": [
                {"name": "status", "description": "What is left", "inputSchema": {"type": "object"}}
            ],
        }
    ],
}

SCREENSHOT: Final = {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png"}

Step = dict[str, Any]


def says(who: str, kind: str, envelope_id: str, **payload: Any) -> Step:
    return {"who": who, "says": _envelope(kind, envelope_id, payload)}


def hears(who: str, kind: str, envelope_id: str = ANY, **payload: Any) -> Step:
    return {"who": who, "hears": _envelope(kind, envelope_id, payload)}


def acked(who: str, ref: str) -> Step:
    return hears(who, "system.ack", ref=ref, accepted=True)


def _envelope(kind: str, envelope_id: str, payload: dict[str, Any]) -> Step:
    return {"v": 1, "id": envelope_id, "type": kind, "payload": payload}


def joins_as_app(who: str = "app") -> list[Step]:
    hello = {"name": who.title(), "token": TOKEN, "platform": "test"}
    return [
        says(who, "system.hello", f"{who}-hello", **hello),
        hears(who, "system.hello", name="LineUp", version=ANY, client_id=ANY, ref=f"{who}-hello"),
        hears(who, "tool.list"),
    ]


def joins_as_agent() -> list[Step]:
    hello = {"name": "我的 AI 助手", "token": TOKEN, "agent": "Hermes"}
    return [
        says("agent", "system.hello", "agent-hello", **hello),
        hears(
            "agent", "system.hello", name="LineUp", version=ANY, client_id=ANY, ref="agent-hello"
        ),
    ]


def called(name: str, action: str, call_id: str, arguments: Any) -> dict[str, Any]:
    return {"name": name, "action": action, "call_id": call_id, "arguments": arguments}


def given(**call: Any) -> dict[str, Any]:
    """A call as the relay passes it on."""
    return {**call, "timeout_ms": 0, "agent": ANY}


def receipt(number: int, call_id: str, phase: str) -> list[Step]:
    """The app says how far a call is, and the agent hears it."""
    return [
        says("app", "tool.receipt", f"app-{number}", call_id=call_id, phase=phase),
        acked("app", f"app-{number}"),
        hears("agent", "tool.receipt", call_id=call_id, phase=phase),
    ]


def result(number: int, **ended: Any) -> list[Step]:
    """The app says what came of a call, and the agent hears it."""
    return [
        says("app", "tool.result", f"app-{number}", **ended),
        acked("app", f"app-{number}"),
        hears("agent", "tool.result", **ended, by="App"),
    ]


ADD: Final = called("calculator", "add", "call-1", {"a": 0.1, "b": 0.2})
HALF: Final = called("calculator", "divide", "call-2", {"a": 1, "b": 0})
PICK: Final = called("choice", "choice", "call-3", {"question": "Which?", "options": ["a", "b"]})
STATUS: Final = {
    "application": "pomodoro",
    "tool": "timer",
    "action": "status",
    "call_id": "call-4",
    "arguments": {},
}
SUM: Final = {"name": "calculator", "action": "add", "call_id": "call-1"}
PICKED: Final = {"name": "choice", "action": "choice", "call_id": "call-3"}

TRANSCRIPTS: Final[dict[str, list[Step]]] = {
    "toolset": [
        *joins_as_app(),
        says("app", "tool.list", "app-1", tools=[CALCULATOR]),
        acked("app", "app-1"),
        *joins_as_agent(),
        says("agent", "tool.list", "agent-1"),
        hears("agent", "tool.list", tools=[CALCULATOR], applications=[], ref="agent-1"),
        says("agent", "tool.call", "agent-2", **ADD),
        hears("app", "tool.call", **given(**ADD)),
        *receipt(2, "call-1", "accepted"),
        says("app", "tool.progress", "app-3", call_id="call-1", progress=1, total=2),
        acked("app", "app-3"),
        hears("agent", "tool.progress", call_id="call-1", progress=1, total=2),
        *result(4, **SUM, result={"message": "0.3", "value": 0.3}),
        # The same call again runs nothing and gives the result again.
        says("agent", "tool.call", "agent-3", **ADD),
        hears("agent", "tool.result", **SUM, result={"message": "0.3", "value": 0.3}, by="App"),
        # An action may fail in its own words; that is a result too.
        says("agent", "tool.call", "agent-4", **HALF),
        hears("app", "tool.call", **given(**HALF)),
        *receipt(5, "call-2", "accepted"),
        *result(
            6,
            name="calculator",
            action="divide",
            call_id="call-2",
            result={"message": "Division by zero."},
            failed=True,
        ),
    ],
    "texts": [
        *joins_as_app(),
        *joins_as_agent(),
        says("app", "text", "app-1", content="The login page:", contents=[SCREENSHOT]),
        acked("app", "app-1"),
        hears(
            "agent",
            "text",
            content="The login page:",
            contents=[SCREENSHOT],
            role="human",
            **{"from": "App"},
            message_id=ANY,
            sent_unix_ms=0,
        ),
        says("agent", "text", "agent-1", content="", contents=[SCREENSHOT]),
        acked("agent", "agent-1"),
        hears(
            "app",
            "text",
            content="",
            contents=[SCREENSHOT],
            agent=ANY,
            role="agent",
            **{"from": "我的 AI 助手"},
            message_id=ANY,
            sent_unix_ms=0,
        ),
        # It says nothing at all.
        says("app", "text", "app-2", content=" "),
        hears(
            "app",
            "error",
            code="invalid_argument",
            message=ANY,
            ref="app-2",
            field="payload.content",
        ),
    ],
    "refusals": [
        *joins_as_app(),
        says(
            "app",
            "tool.list",
            "app-1",
            tools=[CALCULATOR, {**CHOICE, "inputSchema": {"type": "text"}}, {"type": "app"}],
        ),
        hears(
            "app",
            "tool.refused",
            tools=[
                {
                    "name": "choice",
                    "code": "invalid_argument",
                    "message": ANY,
                    "field": "payload.tools[1].inputSchema.type",
                },
                {
                    "name": "",
                    "code": "invalid_argument",
                    "message": ANY,
                    "field": "payload.tools[2].name",
                },
            ],
            ref="app-1",
        ),
        acked("app", "app-1"),
        *joins_as_agent(),
        says("agent", "tool.call", "agent-1", **called("abacus", "add", "call-1", {})),
        hears(
            "agent",
            "tool.result",
            name="abacus",
            action="add",
            call_id="call-1",
            result={"message": ANY},
            failed=True,
            code="unknown_tool",
        ),
        says("agent", "tool.call", "agent-2", **called("calculator", "add", "call-2", {"a": "1"})),
        hears(
            "agent",
            "tool.result",
            name="calculator",
            action="add",
            call_id="call-2",
            result={"message": ANY},
            failed=True,
            code="invalid_argument",
        ),
        says("agent", "tool.call", "agent-3", **called("calculator", "add", "", {})),
        hears(
            "agent",
            "error",
            code="invalid_argument",
            message=ANY,
            ref="agent-3",
            field="payload.call_id",
        ),
    ],
    "interactive": [
        *joins_as_app("phone"),
        says("phone", "tool.list", "phone-1", tools=[CHOICE]),
        acked("phone", "phone-1"),
        *joins_as_app("tablet"),
        says("tablet", "tool.list", "tablet-1", tools=[CHOICE]),
        acked("tablet", "tablet-1"),
        *joins_as_agent(),
        says("agent", "tool.call", "agent-1", **PICK),
        hears("phone", "tool.call", **given(**PICK)),
        hears("tablet", "tool.call", **given(**PICK)),
        says("tablet", "tool.result", "tablet-2", **PICKED, result={"message": "b"}),
        acked("tablet", "tablet-2"),
        hears("agent", "tool.result", **PICKED, result={"message": "b"}, by="Tablet"),
        hears("phone", "tool.receipt", call_id="call-3", phase="taken", by="Tablet"),
        hears("phone", "tool.receipt", call_id="call-3", phase="succeeded", by="Tablet"),
        # Too late: the other one was first.
        says("phone", "tool.result", "phone-2", **PICKED, result={"message": "a"}),
        hears(
            "phone",
            "system.ack",
            ref="phone-2",
            accepted=False,
            code="already_answered",
            message=ANY,
        ),
    ],
    "cancelled": [
        *joins_as_app(),
        says("app", "tool.list", "app-1", tools=[CALCULATOR]),
        acked("app", "app-1"),
        *joins_as_agent(),
        says("agent", "tool.call", "agent-1", **ADD, timeout_ms=60_000),
        hears("app", "tool.call", **given(**ADD)),
        says("agent", "tool.cancel", "agent-2", call_id="call-1"),
        hears("app", "tool.receipt", call_id="call-1", phase="cancelled"),
        hears(
            "agent",
            "tool.result",
            **SUM,
            result={"message": ANY},
            failed=True,
            code="cancelled",
        ),
    ],
    "miniapp": [
        *joins_as_app(),
        says("app", "tool.list", "app-1", applications=[POMODORO]),
        acked("app", "app-1"),
        *joins_as_agent(),
        says("agent", "tool.list", "agent-1"),
        hears("agent", "tool.list", tools=[], applications=[POMODORO], ref="agent-1"),
        says("agent", "lineup.v1.miniapp.tool.call", "agent-2", **STATUS),
        hears("app", "lineup.v1.miniapp.tool.call", **given(**STATUS)),
        *receipt(2, "call-4", "starting"),
        *receipt(3, "call-4", "started"),
        *result(
            4, name="timer", action="status", call_id="call-4", result={"message": "24 minutes"}
        ),
    ],
}
"""By what they are about."""


def written() -> dict[Path, str]:
    """The files."""
    return {
        FOLDER / f"{name}.jsonl": "".join(
            json.dumps(step, ensure_ascii=False) + "\n" for step in steps
        )
        for name, steps in TRANSCRIPTS.items()
    }


def matches(expected: Any, heard: Any, name: str = "") -> bool:
    """Whether what was heard is what a transcript says."""
    if expected == ANY:
        return isinstance(heard, str)
    if isinstance(expected, dict):
        return (
            isinstance(heard, dict)
            and expected.keys() == heard.keys()
            and all(matches(value, heard[key], key) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(heard, list)
            and len(expected) == len(heard)
            and all(map(matches, expected, heard))
        )
    if name.endswith("_ms") and expected == 0:
        return isinstance(heard, int)
    return bool(expected == heard)


if __name__ == "__main__":
    for path, text in written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

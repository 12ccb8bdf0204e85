"""One message of every type and direction: the conformance kit in tests/golden/envelope.

`python -m tests.wire.envelopes` writes it; a test says when that is due.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.json_form import json_form
from lineup_srv.contract.offers import Refusal
from lineup_srv.contract.tools import (
    ActionDefinition,
    Application,
    Hints,
    ToolDefinition,
    ToolType,
)
from lineup_srv.wire.envelope import Envelope, encode
from lineup_srv.wire.envelope import messages as m

FOLDER: Final = Path(__file__).resolve().parent.parent / "golden" / "envelope"
AGENT_ID: Final = "e:0f3a61c2b7d84e59a0c1d2e3f4a5b6c7"
NOW: Final = 1_786_060_800_000
PICTURE: Final = b"\x89PNG\r\n\x1a\n"
ARGUMENTS: Final = {"instance_id": "canvas-1", "path": "M 0 0 L 10 10", "width": 2, "scale": 0.5}
ANSWERS: Final = (m.Answer(index=0, labels=("PostgreSQL",), text="version 17"),)


def offered(*definitions: ToolDefinition | Application) -> tuple[object, ...]:
    return tuple(map(json_form, definitions))


CANVAS: Final = ToolDefinition(
    name="canvas",
    type=ToolType.APP,
    description="画板应用，支持绘制、撤销、清空等操作",
    actions=(
        ActionDefinition(
            name="open",
            description="创建画板实例，返回 instance_id",
            input_schema_json='{"type":"object","properties":{"width":{"type":"integer"}}}',
        ),
        ActionDefinition(
            name="clear",
            description="清空画板内容",
            input_schema_json='{"type":"object","required":["instance_id"]}',
            hints=Hints(destructive=True, idempotent=True),
            interactive=True,
            result_schema_json='{"type":"object"}',
        ),
    ),
    version="1.2.0",
)
CHOICE: Final = ToolDefinition(
    name="choice",
    type=ToolType.ACTION,
    description="向用户提供一组选项让其选择",
    input_schema_json='{"type":"object","required":["question","options"]}',
    interactive=True,
    result_schema_json='{"type":"object","required":["message"]}',
)
CALCULATOR: Final = ToolDefinition(
    name="calculator",
    type=ToolType.TOOLSET,
    description="基础计算器，无状态，每次调用独立",
    actions=(
        ActionDefinition(
            name="add",
            description="两个数相加",
            input_schema_json='{"type":"object","required":["a","b"]}',
            hints=Hints(read_only=True),
        ),
    ),
)
REQUEST: Final = m.Request(
    request_id="q-17",
    kind=m.Kind.QUESTION,
    text="Which database?\n- PostgreSQL: the one we know\n- SQLite",
    questions=(
        m.Question(
            question="Which database?",
            header="Database",
            options=(
                m.Option(label="PostgreSQL", description="the one we know"),
                m.Option(label="SQLite"),
            ),
            custom=True,
        ),
        m.Question(question="Which features?", options=(m.Option(label="FTS"),), multiple=True),
    ),
    contents=(
        m.Content(type=m.ContentType.IMAGE, data=PICTURE, mime_type="image/png"),
        m.Content(type=m.ContentType.RESOURCE, uri="files/abc", mime_type="image/png"),
    ),
    project="/home/ada/shop",
    agent="builder",
    agent_id=AGENT_ID,
    model="some-model",
    client="Hermes",
    opened_unix_ms=NOW,
    deadline_unix_ms=NOW + 600_000,
)
APPROVAL: Final = m.Request(
    request_id="q-18",
    kind=m.Kind.APPROVAL,
    text="Remove the build folder?",
    questions=(m.Question(question="Remove the build folder?"),),
    approval=m.Approval(
        tool="Bash",
        command="rm -r build",
        cwd="/home/ada/shop",
        description="It is old.",
        input_json='{"command":"rm -r build"}',
        can_allow_session=True,
        can_edit=True,
    ),
    project="/home/ada/shop",
    deadline_unix_ms=NOW + 600_000,
)
CALL: Final = m.ToolCall(name="canvas", action="draw", call_id="call-1", arguments=ARGUMENTS)
MINIAPP_CALL: Final = m.MiniAppToolCall(
    application="pomodoro",
    tool="timer",
    action="start",
    call_id="call-2",
    arguments={"minutes": 25},
)
RECEIPT: Final = m.ToolReceipt(call_id="call-1", phase=m.Phase.STARTED)
PROGRESS: Final = m.ToolProgress(call_id="call-1", progress=1.5, total=3, message="drawing")
RESULT: Final = m.ToolResult(
    name="canvas",
    action="draw",
    call_id="call-1",
    result={"message": "drawn", "instance_id": "canvas-1", "points": [1, 2.5, None, True]},
)
CONTENTS: Final = (
    m.Content(type=m.ContentType.IMAGE, data=PICTURE, mime_type="image/png"),
    m.Content(type=m.ContentType.RESOURCE, uri="files/abc", mime_type="image/png"),
)
FAILED: Final = m.ToolResult(
    name="timer",
    action="start",
    call_id="call-2",
    result={"message": "The MiniApp did not start."},
    failed=True,
    code=ErrorCode.START_FAILED,
)
HELLO_ANSWER: Final = m.Hello(
    name="LineUp", version="1.0.0", client_id=AGENT_ID, ref="msg_hello_agent"
)
ACK: Final = m.Ack(ref="msg_001", accepted=True)
REFUSAL: Final = m.Ack(
    ref="msg_008",
    accepted=False,
    code=ErrorCode.ALREADY_ANSWERED,
    message="Somebody else's answer came first.",
)
ERROR: Final = m.Error(
    code=ErrorCode.INVALID_ARGUMENT, message="is missing", ref="msg_001", field="payload.content"
)

SAMPLES: Final[dict[str, m.Payload]] = {
    "agent-to-relay/system.hello": m.Hello(
        name="我的 AI 助手", token="预设的配对 Token", agent="Hermes", version="0.19.0"
    ),
    "agent-to-relay/system.hello-again": m.Hello(
        name="我的 AI 助手", token="预设的配对 Token", agent="Hermes", client_id=AGENT_ID
    ),
    "agent-to-relay/system.ping": m.Ping(),
    "agent-to-relay/text": m.Text(content="帮我查一下下周的天气"),
    "agent-to-relay/image": m.Image(
        url="http://192.168.1.100:9527/files/screenshot.png",
        alt="系统架构图",
        caption="这是当前项目的架构图",
    ),
    "agent-to-relay/image-data": m.Image(data=PICTURE, mime_type="image/png", alt="A dot"),
    "agent-to-relay/tool.list": m.ToolList(),
    "agent-to-relay/tool.call": CALL,
    "agent-to-relay/lineup.v1.miniapp.tool.call": MINIAPP_CALL,
    "agent-to-relay/tool.cancel": m.ToolCancel(call_id="call-1"),
    "relay-to-agent/system.hello": HELLO_ANSWER,
    "relay-to-agent/system.pong": m.Pong(ref="msg_ping"),
    "relay-to-agent/system.ack": ACK,
    "relay-to-agent/error": ERROR,
    "relay-to-agent/text": m.Text(
        content="Use the blue one.",
        role=m.Role.HUMAN,
        sender="Ada",
        message_id="t-1",
        sent_unix_ms=NOW,
        redelivered=True,
        other_session=True,
    ),
    "relay-to-agent/text-attached": m.Text(
        content="The blue one:",
        contents=(
            m.Content(type=m.ContentType.IMAGE, data=PICTURE, mime_type="image/png"),
            m.Content(type=m.ContentType.RESOURCE, uri="files/1/2", mime_type="application/pdf"),
        ),
        role=m.Role.HUMAN,
        sender="Ada",
        message_id="t-4",
        sent_unix_ms=NOW,
    ),
    "relay-to-agent/tool.list": m.ToolList(
        tools=offered(CANVAS, CALCULATOR, CHOICE),
        applications=offered(
            Application(id="pomodoro", version="2", title="Pomodoro", tools=(CALCULATOR,))
        ),
        ref="msg_003",
    ),
    "relay-to-agent/tool.list-empty": m.ToolList(tools=(), ref="msg_003"),
    "relay-to-agent/tool.receipt": RECEIPT,
    "relay-to-agent/tool.progress": PROGRESS,
    "relay-to-agent/tool.result": replace(RESULT, contents=CONTENTS, by="Ada's phone"),
    "relay-to-agent/tool.result-failed": FAILED,
    "app-to-relay/system.hello": m.Hello(
        name="我的手机",
        token="预设的配对 Token",
        platform="web",
        version="1.0.0",
        features=("requests",),
    ),
    "app-to-relay/system.ping": m.Ping(),
    "app-to-relay/text": m.Text(content="Use the blue one.", agent=AGENT_ID),
    "app-to-relay/text-attached": m.Text(
        content="",
        contents=(m.Content(type=m.ContentType.IMAGE, data=PICTURE, mime_type="image/png"),),
        agent=AGENT_ID,
    ),
    "app-to-relay/tool.list": m.ToolList(tools=offered(CANVAS)),
    "app-to-relay/tool.receipt": RECEIPT,
    "app-to-relay/tool.progress": PROGRESS,
    "app-to-relay/tool.result": RESULT,
    "app-to-relay/tool.result-failed": replace(
        RESULT, result={"message": "There is no such path."}, failed=True
    ),
    "app-to-relay/tool.result-picture": replace(RESULT, contents=CONTENTS[:1]),
    "app-to-relay/lineup.v1.reply": m.Reply(
        request_id="q-17",
        message="PostgreSQL, version 17",
        answers=ANSWERS,
        contents=(
            m.Content(type=m.ContentType.TEXT, text="And a picture:"),
            m.Content(type=m.ContentType.IMAGE, data=PICTURE, mime_type="image/png"),
        ),
        agent_id=AGENT_ID,
    ),
    "app-to-relay/lineup.v1.reply-decline": m.Reply(request_id="q-17", action=m.Action.DECLINE),
    "app-to-relay/lineup.v1.reply-approval": m.Reply(
        request_id="q-18",
        kind=m.Kind.APPROVAL,
        answers=(m.Answer(index=0, labels=("allow_once",)),),
        input_json='{"command":"rm -ri build"}',
    ),
    "app-to-relay/lineup.v1.reply-report": m.Reply(request_id="q-19", kind=m.Kind.REPORT),
    "relay-to-app/system.hello": m.Hello(
        name="LineUp", version="1.0.0", client_id="5d1c", ref="msg_hello_app"
    ),
    "relay-to-app/system.hello-agent": m.Hello(name="Hermes", agent="Hermes", client_id=AGENT_ID),
    "relay-to-app/system.pong": m.Pong(ref="msg_ping"),
    "relay-to-app/system.ack": REFUSAL,
    "relay-to-app/error": ERROR,
    "relay-to-app/text": m.Text(
        content="帮我查一下下周的天气",
        agent=AGENT_ID,
        role=m.Role.AGENT,
        sender="我的 AI 助手",
        message_id="t-2",
        sent_unix_ms=NOW,
    ),
    "relay-to-app/image": m.Image(
        data=PICTURE,
        mime_type="image/png",
        alt="A dot",
        agent=AGENT_ID,
        sender="我的 AI 助手",
        message_id="t-3",
        sent_unix_ms=NOW,
    ),
    "relay-to-app/tool.list": m.ToolList(),
    "relay-to-app/tool.refused": m.ToolsRefused(
        tools=(
            Refusal(
                name="canvas",
                code=ErrorCode.INVALID_ARGUMENT,
                message="must be one or more of string, number",
                field="payload.tools[0].actions[1].inputSchema.properties.path.type",
            ),
            Refusal(
                name="timer",
                application="pomodoro",
                code=ErrorCode.NAME_CONFLICT,
                message="another device offers a different tool named timer",
            ),
        ),
        ref="msg_tool.list",
    ),
    "relay-to-app/tool.call": replace(CALL, timeout_ms=599_000, agent=AGENT_ID),
    "relay-to-app/lineup.v1.miniapp.tool.call": replace(
        MINIAPP_CALL, timeout_ms=599_000, agent=AGENT_ID
    ),
    "relay-to-app/tool.receipt-taken": m.ToolReceipt(
        call_id="call-1", phase=m.Phase.TAKEN, by="Ada's phone"
    ),
    "relay-to-app/lineup.v1.request": REQUEST,
    "relay-to-app/lineup.v1.request-approval": APPROVAL,
    "relay-to-app/lineup.v1.request-report": m.Request(
        request_id="q-19", kind=m.Kind.REPORT, text="All tests pass.", project="/home/ada/shop"
    ),
    "relay-to-app/lineup.v1.request.state": m.RequestState(
        request_id="q-17",
        state=m.State.PENDING,
        deadline_unix_ms=NOW + 600_000,
        changed_unix_ms=NOW,
    ),
    "relay-to-app/lineup.v1.request.state-answered": m.RequestState(
        request_id="q-17",
        state=m.State.ANSWERED,
        by="Bob",
        changed_unix_ms=NOW,
        reply=m.Said(message="PostgreSQL, version 17", answers=ANSWERS, action=m.Action.DONE),
    ),
    "relay-to-app/lineup.v1.request.state-late": m.RequestState(
        request_id="q-17",
        state=m.State.EXPIRED,
        reason=ErrorCode.EXPIRED,
        by="Bob",
        late=True,
        received=True,
        agent_gone=True,
        message="no time",
    ),
}
"""By direction and name: the type, and after a hyphen what is special."""


def sample(name: str) -> Envelope:
    """The message of a sample; its id is its name."""
    return Envelope(f"msg_{name.rpartition('/')[2]}", SAMPLES[name])


def written() -> dict[Path, str]:
    """What stands in the folder."""
    files = {FOLDER / f"{name}.json": _pretty(json.loads(encode(sample(name)))) for name in SAMPLES}
    return {**files, FOLDER / "refused.json": _pretty(REFUSED)}


def _pretty(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, indent=2) + "\n"


def _frame(**changes: Any) -> str:
    tree = {"v": 1, "id": "msg-1", "type": "text", "payload": {"content": "Hi"}}
    tree.update(changes)
    return json.dumps({name: value for name, value in tree.items() if value != "absent"})


def _refused(frame: str, code: str, field: str, ref: str = "msg-1") -> dict[str, str]:
    return {"frame": frame, "code": code, "field": field, "ref": ref}


def _payload(kind: str, field: str, payload: dict[str, Any], code: str = "") -> dict[str, str]:
    frame = _frame(type=kind, payload=payload)
    return _refused(frame, code or "invalid_argument", f"payload.{field}" if field else "payload")


_LONG = "x" * 201
REFUSED: Final = [
    _refused("", "invalid_argument", "", ""),
    _refused("{", "invalid_argument", "", ""),
    _refused("[]", "invalid_argument", "", ""),
    _refused('{"v":1} {}', "invalid_argument", "", ""),
    _refused(_frame(v=2), "invalid_argument", "v"),
    _refused(_frame(v=True), "invalid_argument", "v"),
    _refused(_frame(v="1"), "invalid_argument", "v"),
    _refused(_frame(v="absent"), "invalid_argument", "v"),
    _refused(_frame(id="absent"), "invalid_argument", "id", ""),
    _refused(_frame(id=7), "invalid_argument", "id", ""),
    _refused(_frame(id=""), "invalid_argument", "id", ""),
    _refused(_frame(id="x" * 129), "too_large", "id", ""),
    _refused(_frame(type="absent"), "invalid_argument", "type"),
    _refused(_frame(type="juggle"), "unknown_command", "type"),
    _refused(_frame(payload="absent"), "invalid_argument", "payload"),
    _refused(_frame(payload=[]), "invalid_argument", "payload"),
    _refused(
        '{"v":1,"id":"msg-1","id":"msg-1","type":"text","payload":{"content":"Hi"}}',
        "invalid_argument",
        "id",
    ),
    _refused(
        '{"v":1,"id":"msg-1","type":"tool.call","payload":{"arguments":{"a":[{"b":1,"b":2}]}}}',
        "invalid_argument",
        "payload.arguments.a[0].b",
    ),
    _refused(
        '{"v":1,"id":"msg-1","type":"tool.progress","payload":{"progress":NaN}}',
        "invalid_argument",
        "payload.progress",
    ),
    _refused(
        '{"v":1,"id":"msg-1","type":"tool.progress","payload":{"progress":1e999}}',
        "invalid_argument",
        "payload.progress",
    ),
    _refused(_frame(payload={"content": "\ud800"}), "invalid_argument", "payload.content"),
    _refused(_frame(payload={"content": "Hi", "\udc00": 1}), "invalid_argument", "payload"),
    _refused(_frame(id="\ud800"), "invalid_argument", "id", ""),
    _payload("text", "content", {}),
    _payload("text", "content", {"content": None}),
    _payload("text", "content", {"content": 5}),
    _payload("text", "content", {"content": "  "}),
    _payload("text", "content", {"contents": [{"type": "image", "data": "aGk="}]}),
    _payload("text", "content", {"content": "", "contents": []}),
    _payload("text", "contents", {"content": "Hi", "contents": {"type": "image"}}),
    _payload("text", "contents", {"content": "", "contents": [{"type": "text"}] * 21}, "too_large"),
    _payload("text", "contents[0].type", {"content": "Hi", "contents": [{"type": "film"}]}),
    _payload("text", "contents[0].data", {"content": "Hi", "contents": [{"type": "image"}]}),
    _payload(
        "text",
        "contents[0].data",
        {"content": "Hi", "contents": [{"type": "image", "data": "no base64"}]},
    ),
    _payload("text", "redelivered", {"content": "Hi", "redelivered": "no"}),
    _payload("text", "sent_unix_ms", {"content": "Hi", "sent_unix_ms": 1.5}),
    _payload("text", "sent_unix_ms", {"content": "Hi", "sent_unix_ms": 2**53}),
    _payload("text", "role", {"content": "Hi", "role": "cat"}),
    _payload("system.hello", "name", {"token": "t"}),
    _payload("system.hello", "name", {"name": _LONG}, "too_large"),
    _payload("system.hello", "features", {"name": "n", "features": "requests"}),
    _payload("system.hello", "features[1]", {"name": "n", "features": ["requests", 1]}),
    _payload("system.hello", "features[0]", {"name": "n", "features": [_LONG]}, "too_large"),
    _payload("system.hello", "features", {"name": "n", "features": ["x"] * 33}, "too_large"),
    _payload("system.ack", "accepted", {"ref": "r", "accepted": 1}),
    _payload("error", "code", {}),
    _payload("image", "url", {"alt": "nothing"}),
    _payload("image", "data", {"url": "http://x/", "data": "aGk="}),
    _payload("image", "data", {"data": "no base64"}),
    _payload("tool.list", "tools", {"tools": {}}),
    _payload("tool.list", "applications", {"applications": "pomodoro"}),
    _payload("tool.call", "arguments", {"name": "n", "action": "a", "call_id": "c"}),
    _payload(
        "tool.call",
        "arguments",
        {"name": "n", "action": "a", "call_id": "c", "arguments": "{}"},
    ),
    _payload(
        "tool.call",
        "arguments.instance_id",
        {"name": "n", "action": "a", "call_id": "c", "arguments": {"instance_id": 3}},
    ),
    _payload("lineup.v1.miniapp.tool.call", "application", {"tool": "t"}),
    _payload("tool.receipt", "phase", {"call_id": "c", "phase": "juggling"}),
    _payload("tool.receipt", "call_id", {"call_id": "", "phase": "accepted"}),
    _payload("tool.cancel", "call_id", {}),
    _payload(
        "tool.call",
        "timeout_ms",
        {"name": "n", "action": "a", "call_id": "c", "arguments": {}, "timeout_ms": -1},
    ),
    _payload("tool.progress", "progress", {"call_id": "c", "progress": True}),
    _payload("tool.progress", "progress", {"call_id": "c", "progress": "half"}),
    _payload("tool.result", "result.message", {"name": "n", "result": {}}),
    _payload("lineup.v1.reply", "request_id", {"message": "yes"}),
    _payload("lineup.v1.reply", "request_id", {"request_id": "", "message": "yes"}),
    _payload("lineup.v1.reply", "message", {"request_id": "q", "message": " "}),
    _payload("lineup.v1.reply", "action", {"request_id": "q", "action": "shrug"}),
    _payload(
        "lineup.v1.reply", "answers[0].index", {"request_id": "q", "answers": [{"index": 50}]}
    ),
    _payload(
        "lineup.v1.reply",
        "answers[0].labels[1]",
        {"request_id": "q", "answers": [{"index": 0, "labels": ["a", 2]}]},
    ),
    _payload(
        "lineup.v1.reply",
        "contents[0].data",
        {"request_id": "q", "contents": [{"type": "image"}]},
    ),
    _payload(
        "lineup.v1.reply",
        "contents[0].type",
        {"request_id": "q", "contents": [{"type": "smell"}]},
    ),
    _payload("lineup.v1.request", "kind", {"request_id": "q", "text": "?"}),
    _payload(
        "lineup.v1.request",
        "questions[0].options[0].label",
        {
            "request_id": "q",
            "kind": "question",
            "text": "?",
            "questions": [{"question": "?", "options": [{}]}],
        },
    ),
    _payload("lineup.v1.request.state", "state", {"request_id": "q"}),
]
"""Frames that are refused, with the code, the path and the ref of the error."""


if __name__ == "__main__":
    for path, text in written().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

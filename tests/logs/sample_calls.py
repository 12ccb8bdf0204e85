"""Facts about tools and calls for the sample conversation; every kind at least once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import (
    AgentId,
    ApplicationId,
    CallId,
    ClientId,
    DeviceId,
    InstanceId,
    Ref,
    TabId,
)
from lineup_srv.contract.tools import ActionDefinition, Hints, ToolDefinition, ToolType
from lineup_srv.domain import call_facts
from lineup_srv.domain.call import (
    Called,
    CallPhase,
    CallResult,
    OfferedTool,
    Progress,
    Provider,
    ToolKey,
)
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.people import AgentIdentity, Author

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import FactId
    from lineup_srv.domain.facts import Fact

SNAPSHOT_PICTURE: Final = "c" * 64
_AGENT = AgentIdentity(AgentId("agent1"), "client", "machine", "session", "/work", "laptop")
_HEIR = AgentIdentity(AgentId("agent2"), "client", "machine", "session", "/work", "laptop")
_PHONE = Author(ClientId("client1"), DeviceId("device1"), "Äpfel 🍎", "ios")
_TAB = Provider(DeviceId("device1"), TabId("tab1"), ClientId("client1"))
_OTHER_TAB = Provider(DeviceId("device2"), TabId("tab2"), ClientId("client2"))
_SCHEMA = '{"type":"object","properties":{"size":{"type":"number","const":1.50}}}'


def _json(text: str) -> ContentRef:
    return ContentRef(f"sha256 of {text}", len(text), "application/json", text)


def about_calls(deadline: int, head: Callable[[], tuple[FactId, int]]) -> list[Fact]:
    """Ends with a call open, an app open, a secret answer and a remembered tool."""
    open_action = ActionDefinition(
        name="open", description="Opens it", input_schema_json=_SCHEMA, hints=Hints(idempotent=True)
    )
    ask = ActionDefinition(
        name="ask",
        description="画",
        input_schema_json='{"type":"object"}',
        interactive=True,
        result_schema_json='{"type":"object"}',
    )
    canvas = ToolDefinition(
        name="canvas", type=ToolType.APP, description="Draws", actions=(open_action, ask)
    )
    choice = ToolDefinition(
        name="choice",
        type=ToolType.ACTION,
        description="",
        input_schema_json='{"type":"object"}',
        interactive=True,
        version="1.2.0",
    )
    own = ApplicationId("")
    remembered = OfferedTool(ApplicationId("app"), "An app", "1.0", choice)
    forgotten = OfferedTool(own, "", "", canvas)
    drawn = Content(ContentKind.IMAGE, ContentRef(SNAPSHOT_PICTURE, 5, "image/png", None), "")

    def opened(call_id: str, tool: str, action: ActionDefinition, *, secret: bool) -> Fact:
        called = Called(
            ToolKey(own, tool), action.name, _json('{"size":1.50}'), InstanceId(""), secret
        )
        kind = ToolType.APP if tool == "canvas" else ToolType.ACTION
        return call_facts.CallOpened(
            *head(), CallId(call_id), called, kind, action, _AGENT, "Claude", deadline
        )

    def ended(call_id: str, phase: CallPhase, code: ErrorCode, result: CallResult | None) -> Fact:
        by = None if result is None else _PHONE
        owner = None if result is None else _TAB
        ref = Ref("" if result is None else f"ref-of-{call_id}-000")
        return call_facts.CallEnded(
            *head(), CallId(call_id), phase, code, "as it is", owner, by, result, ref
        )

    one, two, four = CallId("call1"), CallId("call2"), CallId("call4")
    full = CallResult(_json('{"instance_id":"i1"}'), (drawn,), InstanceId("i1"), "")
    secret = CallResult(None, (), InstanceId(""), "secret1")
    return [
        call_facts.ToolRemembered(*head(), remembered),
        call_facts.ToolRemembered(*head(), forgotten),
        call_facts.ToolForgotten(*head(), forgotten.key),
        opened("call1", "canvas", open_action, secret=False),
        call_facts.CallGiven(*head(), one, _OTHER_TAB, None),
        call_facts.CallGiven(*head(), one, _TAB, _OTHER_TAB),
        call_facts.CallAttached(*head(), one, CallId("alias1"), _HEIR, deadline + 1),
        call_facts.CallReceipt(*head(), one, CallPhase.STARTED, "it opens"),
        call_facts.CallProgressed(*head(), one, Progress(0.5, 1, "half")),
        ended("call1", CallPhase.SUCCEEDED, ErrorCode.UNSPECIFIED, full),
        call_facts.CallReceived(*head(), one),
        opened("call2", "canvas", ask, secret=False),
        ended("call2", CallPhase.CANCELLED, ErrorCode.CANCELLED, None),
        call_facts.CallResultKept(*head(), two, _PHONE, full),
        opened("call3", "choice", ask, secret=True),
        ended("call3", CallPhase.SUCCEEDED, ErrorCode.UNSPECIFIED, secret),
        opened("call4", "choice", ask, secret=False),
        call_facts.CallDeadlineMoved(*head(), four, deadline + 60_000),
    ]

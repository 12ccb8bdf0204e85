"""One message for every command of this release, in each direction in which it goes.

What apps say is written here by hand, as a client builds it; what the relay says comes from its
own mapping. The files in tests/golden/wire are these, so that a client can be tested against them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import json_format

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import (
    AgentId,
    ClientId,
    DeviceId,
    FactId,
    Ref,
    RequestId,
    TabId,
    TextId,
)
from lineup_srv.domain.contents import Content, ContentKind, ContentRef, Picture
from lineup_srv.domain.effects import (
    AgentLine,
    DeviceLine,
    Everyone,
    Except,
    Only,
    SendAck,
    SendOnline,
    SendPending,
    SendValidity,
    ShowAgents,
    ShowDevices,
    ShowPictureShown,
    ShowPresence,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowSetting,
    ShowSignal,
    ShowState,
    ShowText,
    ShowTextReceived,
    StateUpdate,
    Welcome,
)
from lineup_srv.domain.facts import PictureShown, TextSaid
from lineup_srv.domain.people import AgentIdentity, Author, Member
from lineup_srv.domain.request import (
    Answer,
    Approval,
    Asked,
    OnTimeout,
    Option,
    Question,
    Reply,
    ReplyAction,
    Request,
    RequestKind,
    RequestState,
)
from lineup_srv.domain.shared import Setting
from lineup_srv.domain.signals import (
    Chat,
    ForwardFailed,
    ForwardMode,
    ForwardQuery,
    ForwardState,
    ForwardTarget,
    ForwardWindow,
    Typing,
)
from lineup_srv.domain.state import KeptText
from lineup_srv.transports.mapping.messages import RelayFacts, messages_for
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.wire.tool_samples import SAID_OF_TOOLS, TOLD_OF_TOOLS, pairings

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message

NOW: Final = 1_700_000_000_000
REF: Final = "0123456789abcdef"
PNG: Final = ContentRef("sha256-of-a-picture", 4, "image/png", None)
WAV: Final = ContentRef("sha256-of-a-sound", 4, "audio/wav", None)
PDF: Final = ContentRef("sha256-of-a-file", 4, "application/pdf", None)
BODIES: Final = {PNG.sha256: b"\x89PNG", WAV.sha256: b"RIFF", PDF.sha256: b"%PDF"}
FACTS: Final = RelayFacts(version="1.2.3", log_id="log-1")


def text(words: str) -> ContentRef:
    return ContentRef(f"sha256 of {words}", len(words.encode()), "text/markdown", words)


def words(said: str) -> Content:
    return Content(ContentKind.TEXT, text(said), "")


CONTENTS: Final = (
    words("**yes** 好"),
    Content(ContentKind.IMAGE, PNG, ""),
    Content(ContentKind.AUDIO, WAV, ""),
    Content(ContentKind.RESOURCE, PDF, "file:///report.pdf"),
)
ADA: Final = AgentIdentity(AgentId("ada"), "claude-code", "m1", "s1", "/work/shop", "desk")
ANN: Final = Member(
    Author(ClientId("client-ann"), DeviceId("device-ann"), "Ann", "web"),
    extended=True,
    visible=True,
    connected_unix_ms=NOW,
    tab_id=TabId("tab-ann"),
)
BOB: Final = Member(
    Author(ClientId("client-bob"), DeviceId(""), "Bob", ""),
    extended=False,
    visible=False,
    connected_unix_ms=NOW,
    tab_id=TabId(""),
)
QUESTION: Final = Asked(
    kind=RequestKind.QUESTION,
    project_directory="/work/shop",
    text=text("**1.** Which?\n- red: warm\n- blue\n\n**2.** Why?"),
    questions=(
        Question(text("Which?"), "Colour", (Option("red", "warm"), Option("blue", "")), True, True),
        Question(text("Why?"), "", (), False, False),
    ),
    contents=(Content(ContentKind.IMAGE, PNG, ""),),
    approval=None,
)
APPROVAL: Final = replace(
    QUESTION,
    kind=RequestKind.APPROVAL,
    text=text("Run it?"),
    questions=(Question(text("Run it?"), "", (), False, True),),
    contents=(),
    approval=Approval("Bash", "rm -r build", "/work/shop", "clean", '{"a": 1}', True, True),
)
REPORT: Final = Asked(RequestKind.REPORT, "/work/shop", text("# Done"), (), (), None)


def request(asked: Asked, request_id: str = "q1") -> Request:
    return Request(
        request_id=RequestId(request_id),
        aliases=(),
        asked=asked,
        agent=ADA,
        agent_name="Ada",
        model="opus",
        on_timeout=OnTimeout.ABORT,
        timeout_seconds=600,
        opened_unix_ms=NOW,
        opened_seq=7,
        deadline_unix_ms=NOW + 600_000,
        state=RequestState.PENDING,
        reason=ErrorCode.UNSPECIFIED,
        message="",
        changed_unix_ms=NOW,
        reply=None,
        late=False,
        handed_to=(),
        received=False,
    )


REPLY: Final = Reply(
    ref=Ref(REF),
    action=ReplyAction.ANSWER,
    contents=CONTENTS,
    answers=(Answer(0, ("red", "blue"), "both"), Answer(1, (), "because")),
    by=ANN.author,
    at_unix_ms=NOW + 1_000,
    input_json='{"a": 2}',
)
ENDED: Final = StateUpdate(
    request_id=RequestId("q1"),
    report=False,
    state=RequestState.CANCELLED,
    reason=ErrorCode.AGENT_ENDED,
    by=None,
    deadline_unix_ms=0,
    late=True,
    received=False,
    agent_gone=True,
    message="enough",
    changed_unix_ms=NOW + 2_000,
)
MOVED: Final = replace(
    ENDED,
    state=RequestState.PENDING,
    reason=ErrorCode.UNSPECIFIED,
    by=ANN.author,
    deadline_unix_ms=NOW + 900_000,
    late=False,
    received=True,
    agent_gone=False,
    message="",
)
KEPT: Final = KeptText(TextId("t1"), AgentId("ada"), (words("stop, please"),), ANN.author, NOW, ())
WINDOWS: Final = (ForwardWindow("7", "Editor"), ForwardWindow("8", "Browser"))

TOLD: Final[dict[str, tuple[Message, bool]]] = {
    "UserLogin": (Welcome(Only(ANN.author.client_id), ANN, False, (), 7), True),
    "UserLogin-frozen": (Welcome(Only(BOB.author.client_id), BOB, False, (), 7), False),
    "AskQuestion": (ShowRequest(Everyone(), request(QUESTION), 0), True),
    "AskQuestion-approval": (ShowRequest(Everyone(), request(APPROVAL), 8), True),
    "WorkReport": (ShowRequest(Everyone(), request(REPORT, "r1"), 9), True),
    "AskQuestionReplyNotification": (
        ShowReply(Except(ANN.author.client_id), request(QUESTION), REPLY, 10),
        True,
    ),
    "WorkReportReplyNotification": (
        ShowReply(
            Except(ANN.author.client_id),
            request(REPORT, "r1"),
            replace(REPLY, action=ReplyAction.DONE, contents=(), answers=(), input_json=""),
            11,
        ),
        False,
    ),
    "RequestCancelled": (ShowState(Everyone(), ENDED, 12), False),
    "RequestState": (ShowState(Everyone(), ENDED, 12), True),
    "RequestState-moved": (ShowState(Everyone(), MOVED, 13), True),
    "GetPendingMessages": (
        SendPending(Only(BOB.author.client_id), (request(QUESTION), request(REPORT, "r1"))),
        False,
    ),
    "GetOnlineUsers": (SendOnline(Only(BOB.author.client_id), (ANN, BOB)), False),
    "CheckMessageValidity": (
        SendValidity(
            Only(BOB.author.client_id), ((RequestId("q1"), True), (RequestId("q2"), False))
        ),
        False,
    ),
    "UserConnectionStatusNotification": (
        ShowPresence(Except(ANN.author.client_id), ANN, connected=True),
        False,
    ),
    "ChatMessageNotification": (
        ShowSignal(
            Only(BOB.author.client_id),
            ANN,
            BOB,
            Chat("c1", "look", ForwardTarget(ForwardMode.SPECIFIC_WINDOW, "7")),
        ),
        False,
    ),
    "ForwardStateQuery": (
        ShowSignal(Only(BOB.author.client_id), ANN, BOB, ForwardQuery("1")),
        False,
    ),
    "ForwardStateQueryResponse": (
        ShowSignal(Only(ANN.author.client_id), BOB, ANN, ForwardState("1", True, WINDOWS)),
        False,
    ),
    "ForwardStateChanged": (
        ShowSignal(Except(BOB.author.client_id), BOB, None, ForwardState("", True, WINDOWS)),
        False,
    ),
    "ForwardDeliveryError": (
        ShowSignal(Only(ANN.author.client_id), BOB, ANN, ForwardFailed("7", "closed")),
        False,
    ),
    "Typing": (
        ShowSignal(Except(ANN.author.client_id), ANN, None, Typing(RequestId("q1"))),
        True,
    ),
    "Devices": (
        ShowDevices(
            Everyone(),
            (
                DeviceLine(
                    ANN.author.device_id, ANN.author.client_id, "Ann", "web", True, True, NOW
                ),
                DeviceLine(DeviceId("device-old"), None, "Old", "android", False, False, NOW - 1),
            ),
        ),
        True,
    ),
    "Settings": (ShowSetting(Everyone(), Setting("quick_replies", '["ok","go on"]', 3)), True),
    "Text": (ShowText(Everyone(), KEPT, False, 14), True),
    "Text-attached": (ShowText(Everyone(), replace(KEPT, contents=CONTENTS), False, 14), True),
    "Text-received": (ShowTextReceived(Everyone(), TextId("t1"), 15), True),
    "Text-said": (
        ShowSaid(
            Everyone(), TextSaid(FactId("c:0"), NOW, TextId("t2"), ADA, "Ada", (words("hi"),)), 16
        ),
        True,
    ),
    "Image": (
        ShowPictureShown(
            Everyone(),
            PictureShown(
                FactId("c:0"), NOW, TextId("t3"), ADA, "Ada", Picture(PNG, "", "a dot", "so")
            ),
            17,
        ),
        True,
    ),
    "Agents": (
        ShowAgents(
            Everyone(),
            (
                AgentLine(
                    identity=ADA,
                    name="Ada",
                    model="opus",
                    attached=True,
                    waiting=((RequestId("q1"), NOW),),
                    last_call_unix_ms=NOW,
                    left_unix_ms=0,
                    messages_waiting=2,
                ),
            ),
        ),
        True,
    ),
    "Ack": (
        SendAck(Only(ANN.author.client_id), Ref(REF), True, ErrorCode.KEPT_LATE, "Late.", 18),
        True,
    ),
}
"""Each message with whether its receiver has client_info."""

_ASKED: Final = {"ID": "q1", "Request": {"agent_id": "ada"}}
_ANSWER: Final = {
    "ID": "q1",
    "Meta": {"action": "answer"},
    "contents": [{"type": 1, "text": {"type": "text", "text": "yes"}}],
    "answers": [{"index": 0, "labels": ["red"], "text": "of course"}],
}
_INFO: Final = {
    "device_id": "device-ann",
    "platform": "web",
    "version": "1.2.3",
    "locale": "zh-CN",
    "tab_id": "tab-1",
    "visible": True,
    "capabilities": ["vibrate"],
}
SAID: Final[dict[str, dict[str, Any]]] = {
    "UserLogin": {"StrParam": "a-token", "Nickname": "Ann", "client_info": _INFO, "ref": REF},
    "UserLogin-frozen": {"StrParam": "a-token", "Nickname": "Bob"},
    "AskQuestionReply": {"AskQuestionRequest": _ASKED, "AskQuestionResponse": _ANSWER, "ref": REF},
    "WorkReportReply": {
        "WorkReportRequest": {"ID": "r1"},
        "WorkReportResponse": {"ID": "r1", "Meta": {"action": "done"}},
    },
    "GetPendingMessages": {"GetPendingMessagesRequest": {"user_token": "a-token"}},
    "GetOnlineUsers": {"GetOnlineUsersRequest": {}},
    "CheckMessageValidity": {"CheckMessageValidityRequest": {"request_ids": ["q1", "q2"]}},
    "SendChatMessage": {
        "SendChatMessageRequest": {
            "receiver_client_id": "client-bob",
            "content": "look",
            "forward_target": {"mode": "FORWARD_TARGET_MODE_FOCUSED_WINDOW"},
        }
    },
    "ForwardStateQuery": {
        "ForwardStateQueryRequest": {"request_id": "1", "target_client_id": "client-bob"}
    },
    "ForwardStateQueryResponse": {
        "ForwardStateQueryResponse": {
            "request_id": "1",
            "target_client_id": "client-ann",
            "forward_enabled": True,
            "windows": [{"window_id": "7", "title": "Editor"}],
        }
    },
    "ForwardStateChanged": {"ForwardStateChangedNotification": {"forward_enabled": True}},
    "ForwardDeliveryError": {
        "ForwardDeliveryErrorNotification": {
            "target_client_id": "client-ann",
            "invalid_window_id": "7",
            "reason": "closed",
        }
    },
    "Ping": {"ref": REF},
    "ClientInfo": {"client_info": _INFO},
    "Text": {"text": {"content": "stop, please", "agent_id": "ada"}, "ref": REF},
    "Text-attached": {
        "text": {
            "agent_id": "ada",
            "contents": [
                {
                    "type": 2,
                    "image": {"type": "image", "data": "iVBORw==", "mime_type": "image/png"},
                },
                {
                    "type": 4,
                    "embedded_resource": {
                        "type": "embedded_resource",
                        "uri": "report.pdf",
                        "mime_type": "application/pdf",
                        "data": b"%PDF",
                    },
                },
            ],
        },
        "ref": REF,
    },
    "Typing": {"typing": {"request_id": "q1"}},
    "GetHistory": {"get_history": {"after_seq": 4711, "limit": 200}},
    "Settings": {
        "settings": {"key": "quick_replies", "value_json": '["ok","go on"]', "revision": 2},
        "ref": REF,
    },
    "ExtendDeadline": {"extend_deadline": {"request_id": "q1", "add_seconds": 600}, "ref": REF},
}


def from_relay() -> dict[str, WebsocketMessage]:
    """What the relay says, by the name of its sample."""
    samples: dict[str, WebsocketMessage] = {}
    for name, (message, extended) in (TOLD | TOLD_OF_TOOLS).items():
        frames = messages_for(
            message, BODIES, extended=extended, relay=FACTS, clock_unix_ms=NOW + 5_000
        )
        samples[name] = frames[0]
        samples |= {frame.Cmd: frame for frame in frames[1:]}
    page = WebsocketMessage(Cmd="GetHistory", ref=REF)
    page.history_page.messages.extend([samples["WorkReport"], samples["RequestState"]])
    page.history_page.floor_seq, page.history_page.last_seq, page.history_page.more = 3, 12, True
    return samples | {"GetHistory": page} | pairings()


def from_app() -> dict[str, WebsocketMessage]:
    """What apps say, by the name of its sample."""
    return {
        name: json_format.ParseDict({"Cmd": name.partition("-")[0]} | fields, WebsocketMessage())
        for name, fields in (SAID | SAID_OF_TOOLS).items()
    }

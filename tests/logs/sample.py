"""Facts to write: single ones, and a conversation in which every kind occurs."""

from __future__ import annotations

from typing import Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import AgentId, ClientId, DeviceId, FactId, Ref, RequestId, TextId
from lineup_srv.domain import facts
from lineup_srv.domain.contents import Content, ContentKind, ContentRef, Picture
from lineup_srv.domain.people import AgentIdentity, Author
from lineup_srv.domain.request import (
    Answer,
    Approval,
    Asked,
    OnTimeout,
    Option,
    Question,
    Reply,
    ReplyAction,
    RequestKind,
)
from tests.logs.sample_calls import about_calls

NOW: Final = 1_700_000_000_000
DEADLINE: Final = NOW + 600_000
PICTURE: Final = "b" * 64
TOKEN: Final = "a token of more than sixteen characters"

AGENT: Final = AgentIdentity(AgentId("agent1"), "client", "machine", "session", "/work", "laptop")
PHONE: Final = Author(ClientId("client1"), DeviceId("device1"), "Äpfel 🍎", "ios")


def text(words: str) -> ContentRef:
    return ContentRef(f"sha256 of {words}", len(words.encode()), "text/markdown", words)


def picture() -> Content:
    return Content(ContentKind.IMAGE, ContentRef(PICTURE, 5, "image/png", None), "")


def asked(question: str) -> Asked:
    return Asked(
        kind=RequestKind.QUESTION,
        project_directory="/work",
        text=text(question),
        questions=(
            Question(text(question), "Header", (Option("yes", "do it"),), False, True),
            Question(text("more?"), "", (), True, False),
        ),
        contents=(picture(),),
        approval=None,
    )


def approval() -> Asked:
    step = Approval("Bash", "rm -rf build", "/work", "clean", '{"a": 1.50}', True, False)
    return Asked(RequestKind.APPROVAL, "/work", text("Allow?"), (), (), step)


def reply(ref: str, action: ReplyAction = ReplyAction.ANSWER, *, input_json: str = "") -> Reply:
    answers = (Answer(0, ("yes",), "but\nslowly"), Answer(1, (), ""))
    contents = (Content(ContentKind.TEXT, text("as you like"), ""),)
    return Reply(Ref(ref), action, contents, answers, input_json, PHONE, NOW + 5)


def opened(
    number: int, *, request_id: str = "", deadline_unix_ms: int = DEADLINE, ask: Asked | None = None
) -> facts.Opened:
    return facts.Opened(
        fact_id=FactId(f"open{number}:0"),
        at_unix_ms=NOW + number,
        request_id=RequestId(request_id or f"request{number}"),
        asked=ask or asked(f"Question {number}?"),
        agent=AGENT,
        agent_name="Claude",
        model="model",
        on_timeout=OnTimeout.CONTINUE,
        timeout_seconds=600,
        deadline_unix_ms=deadline_unix_ms,
    )


def answered(number: int, *, ref: str = "") -> facts.Answered:
    return facts.Answered(
        FactId(f"answer{number}:0"), NOW + number, RequestId(f"request{number}"), reply(ref)
    )


def conversation() -> list[facts.Fact]:
    """Every kind at least once; ends with requests open, ended and in the mailbox."""
    count = iter(range(1_000))

    def head() -> tuple[FactId, int]:
        number = next(count)
        return FactId(f"fact{number}:0"), NOW + 1_000 * number

    one, two, three, four, five = (RequestId(f"request{number}") for number in range(1, 6))
    note, other = TextId("text1"), TextId("text2")
    agent = AGENT.agent_id
    drawn = Picture(picture().ref, "", "a graph", "Load of the day")
    linked = Picture(None, "https://pictures.test/1", "", "")
    return [
        opened(1),
        opened(2),
        opened(3, ask=approval()),
        opened(4),
        opened(5),
        facts.Joined(*head(), two, RequestId("alias2"), AGENT, DEADLINE + 1),
        facts.Answered(*head(), two, reply("ref-of-answer-02")),
        facts.Corrected(*head(), two, reply("ref-of-correction", ReplyAction.CORRECT)),
        facts.Declined(*head(), one, reply("ref-of-decline-1", ReplyAction.DECLINE)),
        facts.HandedOver(*head(), two, agent, taken=False, redelivered=False),
        facts.Received(*head(), two),
        facts.Expired(*head(), three),
        facts.LateReplied(*head(), three, reply("ref-of-late-repl", input_json='{"a": 2.50}')),
        facts.Cancelled(*head(), four, agent, ErrorCode.AGENT_ENDED, "the session ended"),
        facts.DeadlineMoved(
            *head(), five, DEADLINE + 60_000, ErrorCode.UNSPECIFIED, PHONE, Ref("ref-of-move-0001")
        ),
        facts.DeadlineMoved(*head(), five, DEADLINE + 90_000, ErrorCode.RELAY_AWAY, None, Ref("")),
        facts.TextKept(*head(), note, agent, (picture(),), PHONE, Ref("ref-of-text-0001"), True),
        facts.TextKept(*head(), other, AgentId(""), (), PHONE, Ref(""), False),
        facts.TextHandedOver(*head(), note, agent),
        facts.TextHandedOver(*head(), other, agent),
        facts.TextReceived(*head(), other),
        facts.TextSaid(*head(), TextId("text3"), AGENT, "Claude", (picture(),)),
        facts.PictureShown(*head(), TextId("text4"), AGENT, "Claude", drawn),
        facts.PictureShown(*head(), TextId("text5"), AGENT, "Claude", linked),
        *about_calls(DEADLINE, head),
        opened(6),
    ]

"""To the wire: what each kind of client gets, and that no secret ever goes out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import AgentId, ClientId, CommandId, DeviceId
from lineup_srv.domain.effects import Everyone, ShowState, StateUpdate, Welcome
from lineup_srv.domain.facts import TextKept
from lineup_srv.domain.fold import kept_text
from lineup_srv.domain.request import ReplyAction, RequestState
from lineup_srv.logs.records import decode_fact
from lineup_srv.service.bodies import Intake
from lineup_srv.service.ports import (
    DeadlineTold,
    DevicesCounted,
    MailCounted,
    OutcomeTold,
    UnknownTold,
)
from lineup_srv.transports.mapping.asked import (
    open_question,
    open_report,
    question_to_wire,
    report_to_wire,
)
from lineup_srv.transports.mapping.checks import fitting
from lineup_srv.transports.mapping.messages import messages_for
from lineup_srv.transports.mapping.outcomes import event_to_wire, outcome_to_wire
from lineup_srv.transports.mapping.replies import question_outcome_to_wire, report_outcome_to_wire
from lineup_srv.transports.mapping.texts import text_to_wire
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2
from tests.wire.samples import (
    ANN,
    APPROVAL,
    BODIES,
    ENDED,
    FACTS,
    NOW,
    QUESTION,
    REPLY,
    REPORT,
    TOLD,
    request,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message as Protobuf

    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.request import Asked


def told(asked: Asked, **changes: Any) -> OutcomeTold:
    return OutcomeTold(
        request=replace(request(asked), **changes),
        redelivered=False,
        other_session=False,
        devices_online=2,
        bodies=BODIES,
    )


def strings(message: Protobuf) -> Iterator[tuple[str, str]]:
    """Every text in a message with the name of its field."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            for text in value if field.is_repeated else [value]:
                yield field.name, text
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                yield from strings(part)


# No secret ---------------------------------------------------------------------------------------

SECRET = "the-secret-token"


@pytest.mark.requirement("seed002:secret:never-sent-back")
@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("extended", [True, False])
def test_no_message_carries_a_user_token(name: str, extended: bool) -> None:
    message, _ = TOLD[name]

    for frame in messages_for(message, BODIES, extended=extended, relay=FACTS, clock_unix_ms=NOW):
        named = dict(strings(frame))
        assert named.get("UserToken", "") == ""
        assert named.get("user_token", "") == ""


@pytest.mark.requirement("seed002:secret:never-sent-back")
@given(
    asked=st.builds(
        assist.McpAskQuestionRequest,
        Question=st.text(min_size=1, max_size=30).filter(str.strip),
        ProjectDirectory=st.text(max_size=30),
        AgentName=st.text(max_size=30),
        Timeout=st.integers(-(2**31), 2**31 - 1),
        session=st.text(max_size=30),
    )
)
def test_whatever_is_asked_the_token_it_came_with_does_not_go_out(
    asked: assist.McpAskQuestionRequest,
) -> None:
    message = assist.AskQuestionRequest(ID="q", UserToken=SECRET, Request=asked)
    intake = Intake()
    command = open_question(message, intake, CommandId("c"), AgentId("a"))
    shown = replace(
        request(command.asked), agent=command.agent, timeout_seconds=command.timeout_seconds
    )

    back = question_to_wire(shown, intake.blobs)

    assert back.UserToken == ""
    assert SECRET not in [text for _, text in strings(back)]
    assert back.Request.Question == asked.Question
    [entry] = back.Request.Questions
    assert entry == assist.Question(question=asked.Question, custom=True)
    assert back.Request.ProjectDirectory == asked.ProjectDirectory
    assert back.Request.session == asked.session


# Requests ----------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:questions-filled")
@pytest.mark.parametrize("asked", [QUESTION, APPROVAL])
def test_a_question_comes_back_as_it_was_asked(asked: Asked) -> None:
    there = question_to_wire(request(asked), BODIES)
    intake = Intake()
    command = open_question(there, intake, CommandId("c"), AgentId("someone"))

    again = replace(
        request(asked),
        asked=command.asked,
        agent=command.agent,
        agent_name=command.agent_name,
        model=command.model,
        on_timeout=command.on_timeout,
        timeout_seconds=command.timeout_seconds,
    )
    assert question_to_wire(again, intake.blobs) == there
    assert there.Request.Questions
    assert there.Timestamp == NOW


def test_a_report_comes_back_as_it_was_reported() -> None:
    there = report_to_wire(request(REPORT), BODIES)
    command = open_report(there, Intake(), CommandId("c"), AgentId("someone"))

    again = replace(request(REPORT), asked=command.asked, agent=command.agent)
    assert report_to_wire(again, {}) == there
    assert (there.Timestamp, there.UserToken) == (NOW, "")


# Kinds of clients --------------------------------------------------------------------------------


def frames(message: Message, *, extended: bool) -> list[str]:
    told = messages_for(message, BODIES, extended=extended, relay=FACTS, clock_unix_ms=NOW)
    return [frame.Cmd for frame in told]


OWN = {"Text", "Text-received", "Text-said", "Image", "Agents", "Typing", "Devices", "Settings"}


@pytest.mark.parametrize("name", sorted(TOLD.keys() - {"UserLogin"}))
def test_a_frozen_client_gets_no_message_of_ours(name: str) -> None:
    commands = frames(TOLD[name][0], extended=False)

    if name in OWN:
        assert commands == []
    assert not {"RequestState", "ServerInfo", "Text", "Image", "Agents", "Typing"} & set(commands)


def update(**changes: Any) -> ShowState:
    state: StateUpdate = replace(ENDED, **changes)
    return ShowState(Everyone(), state, 12)


@pytest.mark.parametrize(
    ("state", "frozen"),
    [
        (RequestState.PENDING, []),
        (RequestState.ANSWERED, []),
        (RequestState.DECLINED, []),
        (RequestState.EXPIRED, ["RequestCancelled"]),
        (RequestState.CANCELLED, ["RequestCancelled"]),
    ],
)
def test_a_frozen_client_hears_of_ends_only(state: RequestState, frozen: list[str]) -> None:
    assert frames(update(state=state), extended=False) == frozen
    assert frames(update(state=state), extended=True) == ["RequestState"]
    # That an agent has a late answer is no second end.
    assert frames(update(state=state, received=True), extended=False) == []


def test_the_end_has_words_also_where_the_agent_gave_none() -> None:
    [frame] = messages_for(
        update(message=""), BODIES, extended=False, relay=FACTS, clock_unix_ms=NOW
    )

    assert frame.RequestCancelledNotification.reason


def test_a_rename_is_answered_without_the_relays_own_facts() -> None:
    renamed = Welcome(TOLD["UserLogin"][0].to, ANN, True, (), 7)  # type: ignore[arg-type]

    assert frames(renamed, extended=True) == ["UserLogin"]


def test_every_state_has_its_value() -> None:
    for state in RequestState:
        outcome = outcome_to_wire(told(QUESTION, state=state), NOW)
        name = request_pb2.RequestState.Name(outcome.state)
        assert name == f"REQUEST_STATE_{state.name}"


# Sizes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "used_bytes", "kept"),
    [
        ([], 0, 0),
        ([40, 40, 40], 0, 2),
        ([40, 60], 0, 2),
        ([40, 61], 0, 1),
        ([120, 3], 0, 1),  # or it would never be sent
        ([120, 3], 10, 0),
        ([40, 40, 40], 50, 1),
        ([40], 100, 0),
    ],
)
def test_a_message_takes_as_many_as_fit_and_at_least_one(
    sizes: list[int], used_bytes: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", 100)
    messages = [assist.Option(label="x" * (size - 2)) for size in sizes]
    assert [message.ByteSize() for message in messages] == sizes

    assert fitting(messages, used_bytes) == messages[:kept]


# Texts -------------------------------------------------------------------------------------------

KEPT_BY_AN_OLDER_RELEASE = (
    '{"kind":"text_kept","v":1,"fact_id":"fact11:0","at_unix_ms":1700000011000,"text_id":"text1",'
    '"agent_id":"agent1","contents":[{"kind":"image","ref":{"sha256":"sha256-of-a-picture",'
    '"size":4,"mime":"image/png","inline":null},"uri":""}],"by":{"client_id":"client1",'
    '"device_id":"device1","nickname":"Ann","platform":"ios"},"ref":"ref-of-text-0001"}'
)


def test_a_picture_that_an_older_release_kept_with_a_text_is_shown() -> None:
    fact = decode_fact(KEPT_BY_AN_OLDER_RELEASE)
    assert isinstance(fact, TextKept)

    text = text_to_wire(kept_text(fact), BODIES, received=False)

    [picture] = text.contents
    assert (picture.image.data, picture.image.mime_type) == ("iVBORw==", "image/png")
    assert (text.content, text.message_id, getattr(text, "from")) == ("", "text1", "Ann")


# Outcomes ----------------------------------------------------------------------------------------


def test_an_outcome_says_who_answered_what_from_where_and_when() -> None:
    outcome = outcome_to_wire(
        replace(
            told(QUESTION, state=RequestState.ANSWERED, reply=REPLY),
            redelivered=True,
            other_session=True,
        ),
        NOW + 5,
    )

    assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
    assert [content.type for content in outcome.contents] == [1, 2, 3, 4]
    assert [list(answer.labels) for answer in outcome.answers] == [["red", "blue"], []]
    assert (outcome.action, outcome.nickname) == ("answer", "Ann")
    assert (outcome.device, outcome.platform) == ("device-ann", "web")
    assert outcome.replied_unix_ms == NOW + 1_000
    assert (outcome.redelivered, outcome.other_session) == (True, True)
    assert (outcome.devices_online, outcome.clock_unix_ms) == (2, NOW + 5)
    assert outcome.question == QUESTION.text.inline
    assert outcome.input_json == REPLY.input_json != ""
    assert not outcome.report


def test_a_pending_outcome_carries_nothing_that_could_be_taken_for_an_answer() -> None:
    outcome = outcome_to_wire(told(QUESTION, reply=REPLY), NOW)

    assert (list(outcome.contents), list(outcome.answers), outcome.action) == ([], [], "")


def test_the_question_is_quoted_to_a_length() -> None:
    long = replace(QUESTION, text=words("ж" * 3_000).ref)

    assert len(outcome_to_wire(told(long), NOW).question) == 2_000


def test_an_outcome_names_the_last_call_that_joined() -> None:
    assert outcome_to_wire(told(QUESTION, aliases=("q2", "q3")), NOW).alias == "q3"


def test_each_event_of_a_stream_has_its_member() -> None:
    assert event_to_wire(told(REPORT), NOW).outcome.report
    assert event_to_wire(UnknownTold(request(REPORT).request_id), NOW) == relay_pb2.AttachResponse(
        unknown_request=relay_pb2.UnknownRequest(request_id="q1")
    )
    assert event_to_wire(
        DeadlineTold(request(REPORT).request_id, 5), NOW
    ) == relay_pb2.AttachResponse(
        deadline_moved=relay_pb2.DeadlineMoved(request_id="q1", deadline_unix_ms=5)
    )
    assert event_to_wire(MailCounted(3), NOW).mailbox_count.count == 3
    assert event_to_wire(DevicesCounted(4), NOW).devices_online.count == 4


# The frozen outcomes -----------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:errors-say-so")
@pytest.mark.parametrize(
    ("state", "code"),
    [
        (RequestState.EXPIRED, "timeout"),
        (RequestState.CANCELLED, "cancelled"),
        (RequestState.DECLINED, "declined"),
    ],
)
def test_an_end_without_an_answer_has_a_code_and_words(state: RequestState, code: str) -> None:
    for response in (
        question_outcome_to_wire(told(QUESTION, state=state, message="because")),
        report_outcome_to_wire(told(REPORT, state=state, message="because")),
    ):
        assert (response.ID, response.IsError) == ("q1", True)
        assert set(response.Meta) == {"error", "message"}
        assert response.Meta["error"] == code
        assert response.Meta["message"].endswith("because")
        assert [content.text.text for content in response.contents] == [response.Meta["message"]]


def test_an_answer_is_returned_as_it_was_given() -> None:
    response = question_outcome_to_wire(told(QUESTION, state=RequestState.ANSWERED, reply=REPLY))

    assert (response.IsError, response.Meta["action"]) == (False, "answer")
    assert [content.type for content in response.contents] == [1, 2, 3, 4]
    assert len(response.answers) == 2
    report = report_outcome_to_wire(told(REPORT, state=RequestState.ANSWERED, reply=REPLY))
    assert (report.IsError, len(report.contents)) == (False, 4)


@pytest.mark.parametrize("asked", [QUESTION, REPORT])
def test_what_was_said_with_a_dismissal_or_too_late_is_not_lost(asked: Asked) -> None:
    said = replace(REPLY, action=ReplyAction.DECLINE, contents=(words("not now"),))
    to_wire: Any = report_outcome_to_wire if asked is REPORT else question_outcome_to_wire

    declined = to_wire(told(asked, state=RequestState.DECLINED, reply=said))
    late = to_wire(told(asked, state=RequestState.EXPIRED, reply=said, late=True))

    for response in (declined, late):
        assert response.IsError
        assert response.contents[1].text.text == "not now"
    assert "later" in late.Meta["message"]
    assert "later" not in declined.Meta["message"]


def test_the_reason_of_an_end_has_its_code() -> None:
    outcome = outcome_to_wire(
        told(QUESTION, state=RequestState.CANCELLED, reason=ErrorCode.AGENT_ENDED), NOW
    )

    assert outcome.reason == 10


def test_authors_without_a_device_stay_without() -> None:
    unknown = replace(ANN.author, client_id=ClientId("c"), device_id=DeviceId(""))
    outcome = outcome_to_wire(
        told(QUESTION, state=RequestState.ANSWERED, reply=replace(REPLY, by=unknown)), NOW
    )

    assert outcome.device == ""

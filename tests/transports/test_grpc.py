"""RelayService over gRPC: every call, its statuses, and the stream that is the lease."""

from __future__ import annotations

import asyncio
import base64
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.service.ports import DevicesCounted, LogRefused
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.transports.relay_calls import AgentStream
from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    agent_pb2,
    content_pb2,
    error_pb2,
    relay_pb2,
    relay_pb2_grpc,
    request_pb2,
)
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codes import ERROR_METADATA_KEY
from tests.domain.playbook import NOW, PHONE, TIMEOUT, moves_deadline, replies
from tests.service.memory import PATIENCE
from tests.service.stage import ROOM
from tests.system.cable import cable
from tests.transports.house import VERSION, House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TOKEN = (("authorization", "Bearer token"),)
PENDING = request_pb2.REQUEST_STATE_PENDING
CANCELLED = request_pb2.REQUEST_STATE_CANCELLED


class Bridge:
    """The bridge's side of RelayService."""

    def __init__(self, channel: grpc.aio.Channel, house: House) -> None:
        # The generated stub is untyped.
        self._stub: Any = relay_pb2_grpc.RelayServiceStub(channel)
        self.house = house

    async def call(self, name: str, request: Any, metadata: Any = TOKEN) -> Any:
        return await getattr(self._stub, name)(request, metadata=metadata, timeout=PATIENCE)

    async def open(self, request_id: str, *, wait_ms: int = 0, agent_id: str = "ada") -> Any:
        request = question(request_id, agent_id=agent_id, wait_ms=wait_ms)
        return (await self.call("OpenRequest", request)).outcome

    def attach(self, *waiting: str, metadata: Any = TOKEN) -> Any:
        request = relay_pb2.AttachRequest(
            agent=relay_pb2.AgentIdentity(
                agent_id="ada",
                client="coder",
                machine="m1",
                session="s1",
                directory="/work",
                machine_name="desk",
                client_version="1",
            ),
            waiting_ids=waiting,
        )
        return self._stub.Attach(request, metadata=metadata)

    @asynccontextmanager
    async def attached(self, *waiting: str) -> AsyncIterator[Any]:
        """A stream after its first messages: the lease has begun, and how many are online."""
        stream = self.attach(*waiting)
        first = await event(stream)
        assert first.attached == relay_pb2.Attached(
            version=VERSION, clock_unix_ms=self.house.clock.now, log_id="log"
        )
        assert (await event(stream)).HasField("devices_online")
        try:
            yield stream
        finally:
            stream.cancel()


async def event(stream: Any) -> Any:
    """The next event of a stream."""
    async with asyncio.timeout(PATIENCE):
        return await stream.read()


def question(
    request_id: str, *, agent_id: str = "ada", wait_ms: int = 0
) -> relay_pb2.OpenRequestRequest:
    request = relay_pb2.OpenRequestRequest(wait_ms=wait_ms)
    request.question.ID = request_id
    request.question.UserToken = "of no use here"
    asked = request.question.Request
    asked.Question, asked.agent_id = f"about {request_id}", agent_id
    asked.ProjectDirectory, asked.machine, asked.McpClientName = "/work", "m1", "coder"
    asked.session = "s1"
    return request


@pytest.fixture
async def bridge(house: House) -> AsyncIterator[Bridge]:
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    options = [("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        yield Bridge(channel, house)
    await server.stop(0)
    await house.settled()


@asynccontextmanager
async def refused(status: str, code: ErrorCode, field: str = "") -> AsyncIterator[None]:
    """The calls inside end with this status, and a detail that says why."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield
    assert caught.value.code() is grpc.StatusCode[status]
    metadata = dict(caught.value.trailing_metadata() or ())
    detail = error_pb2.ErrorDetail.FromString(metadata[ERROR_METADATA_KEY])
    assert error_pb2.ErrorCode.Name(detail.code) == f"ERROR_CODE_{code.name}"
    assert caught.value.details() == f"{field}: {detail.message}".removeprefix(": ")
    assert detail.next_step
    assert detail.field == field


# Tokens ------------------------------------------------------------------------------------------

REQUESTS = {
    "SetWaiting": relay_pb2.SetWaitingRequest(),
    "OpenRequest": relay_pb2.OpenRequestRequest(),
    "AwaitRequest": relay_pb2.AwaitRequestRequest(),
    "CancelRequest": relay_pb2.CancelRequestRequest(),
    "TakeMessages": relay_pb2.TakeMessagesRequest(),
    "AckMessages": relay_pb2.AckMessagesRequest(),
    "SendText": relay_pb2.SendTextRequest(),
    "SendImage": relay_pb2.SendImageRequest(),
    "Goodbye": relay_pb2.GoodbyeRequest(),
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_call_without_a_known_token_is_refused(bridge: Bridge, name: str) -> None:
    for metadata in (
        (),
        (("authorization", "Bearer guess"),),
        (("authorization", "token"),),
        (("authorization", "Basic token"),),
        (("authorization", "Bearer "),),
    ):
        async with refused("UNAUTHENTICATED", ErrorCode.UNAUTHENTICATED):
            await bridge.call(name, REQUESTS[name], metadata)


async def test_a_stream_without_a_known_token_is_refused(bridge: Bridge) -> None:
    async with refused("UNAUTHENTICATED", ErrorCode.UNAUTHENTICATED):
        await bridge.attach(metadata=(("authorization", "Bearer guess"),)).read()


async def test_the_scheme_of_a_token_has_no_case(bridge: Bridge) -> None:
    await bridge.call(
        "Goodbye", relay_pb2.GoodbyeRequest(agent_id="ada"), (("authorization", "bearer token"),)
    )


async def test_the_rooms_of_two_tokens_know_nothing_of_each_other(bridge: Bridge) -> None:
    await bridge.open("q")

    async with refused("NOT_FOUND", ErrorCode.UNKNOWN_REQUEST):
        await bridge.call(
            "AwaitRequest",
            relay_pb2.AwaitRequestRequest(request_id="q"),
            (("authorization", "Bearer token-of-another"),),
        )


# Requests ----------------------------------------------------------------------------------------


async def test_a_request_that_nobody_answers_yet_comes_back_pending(bridge: Bridge) -> None:
    await bridge.house.log_in("Ann")

    outcome = await bridge.open("q", wait_ms=1)

    assert outcome == relay_pb2.Outcome(
        request_id="q",
        state=PENDING,
        deadline_unix_ms=NOW + TIMEOUT * 1000,
        devices_online=1,
        question="about q",
        opened_unix_ms=NOW,
        clock_unix_ms=NOW,
        project_directory="/work",
    )


async def test_an_answer_within_the_wait_is_returned(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    call = await house.begin(bridge.open("q", wait_ms=5_000))
    await phone.hear_all("AskQuestion")

    await house.do(replies("q", "yes", by=PHONE))
    outcome = await asyncio.wait_for(call, PATIENCE)

    assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
    assert outcome.contents[0].text.text == "yes"
    assert (outcome.nickname, outcome.device, outcome.platform) == ("Phone", "phone", "test")
    assert (outcome.action, outcome.replied_unix_ms) == ("answer", NOW)
    assert not outcome.redelivered


async def test_a_report_is_opened_too(bridge: Bridge) -> None:
    request = relay_pb2.OpenRequestRequest()
    request.report.ID, request.report.Request.Summary = "r", "done"

    outcome = (await bridge.call("OpenRequest", request)).outcome

    assert outcome.report
    assert outcome.question == "done"


async def test_neither_question_nor_report_is_refused(bridge: Bridge) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode.INVALID_ARGUMENT, "request"):
        await bridge.call("OpenRequest", relay_pb2.OpenRequestRequest())


async def test_the_same_id_for_something_else_is_refused(bridge: Bridge) -> None:
    await bridge.open("q")
    other = question("q")
    other.question.Request.Question = "something else"

    async with refused("ALREADY_EXISTS", ErrorCode.ID_CONFLICT):
        await bridge.call("OpenRequest", other)


async def test_too_many_open_requests_are_refused(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_AGENT", 1)
    await bridge.open("q1")

    async with refused("RESOURCE_EXHAUSTED", ErrorCode.RATE_LIMITED):
        await bridge.open("q2")


async def test_a_log_that_cannot_be_read_is_unavailable(bridge: Bridge) -> None:
    bridge.house.log.unreadable = True

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.open("q")
    bridge.house.log.unreadable = False


async def test_a_picture_that_cannot_be_written_is_unavailable(bridge: Bridge) -> None:
    bridge.house.blobs.fault = LogRefused("disk full")
    request = question("q")
    request.question.Request.contents.add(type=2).image.data = "QUJD"

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.call("OpenRequest", request)


async def test_a_script_waits_by_id_alone(bridge: Bridge, monkeypatch: pytest.MonkeyPatch) -> None:
    house = bridge.house
    await bridge.open("q")
    held = noticed(monkeypatch, house.relay, "_hold", before=True)
    request = relay_pb2.AwaitRequestRequest(request_id="q", wait_ms=60_000)
    call = await house.begin(bridge.call("AwaitRequest", request))
    await asyncio.wait_for(held.wait(), PATIENCE)
    await house.do(replies("q", "yes"))

    outcome = (await asyncio.wait_for(call, PATIENCE)).outcome

    assert outcome.contents[0].text.text == "yes"


def noticed(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *, before: bool
) -> asyncio.Event:
    """Set when a method begins, or when it has ended."""
    event, original = asyncio.Event(), getattr(owner, name)

    async def method(*args: Any, **kwargs: Any) -> Any:
        if before:
            event.set()
        try:
            return await original(*args, **kwargs)
        finally:
            event.set()

    monkeypatch.setattr(owner, name, method)
    return event


@pytest.mark.parametrize(
    ("name", "request_", "code", "field"),
    [
        ("AwaitRequest", relay_pb2.AwaitRequestRequest(), "INVALID_ARGUMENT", "request_id"),
        (
            "AwaitRequest",
            relay_pb2.AwaitRequestRequest(request_id="x" * 129),
            "TOO_LARGE",
            "request_id",
        ),
        (
            "AwaitRequest",
            relay_pb2.AwaitRequestRequest(request_id="x", agent_id="a" * 129),
            "TOO_LARGE",
            "agent_id",
        ),
        ("CancelRequest", relay_pb2.CancelRequestRequest(), "INVALID_ARGUMENT", "agent_id"),
        (
            "CancelRequest",
            relay_pb2.CancelRequestRequest(agent_id="ada"),
            "INVALID_ARGUMENT",
            "request_id",
        ),
        (
            "CancelRequest",
            relay_pb2.CancelRequestRequest(agent_id="ada", request_id="q", message="x" * 2_001),
            "TOO_LARGE",
            "message",
        ),
        ("SetWaiting", relay_pb2.SetWaitingRequest(), "INVALID_ARGUMENT", "agent_id"),
        (
            "SetWaiting",
            relay_pb2.SetWaitingRequest(agent_id="ada", waiting_ids=["x"] * 513),
            "TOO_LARGE",
            "waiting_ids",
        ),
        (
            "SetWaiting",
            relay_pb2.SetWaitingRequest(agent_id="ada", waiting_ids=["x", ""]),
            "INVALID_ARGUMENT",
            "waiting_ids[1]",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", request_ids=["x"] * 513),
            "TOO_LARGE",
            "request_ids",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", text_ids=["x"] * 1_001),
            "TOO_LARGE",
            "text_ids",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", text_ids=["x" * 129]),
            "TOO_LARGE",
            "text_ids[0]",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", call_ids=[""]),
            "INVALID_ARGUMENT",
            "call_ids[0]",
        ),
        ("CancelCall", relay_pb2.CancelCallRequest(), "INVALID_ARGUMENT", "call_id"),
        ("CancelCall", relay_pb2.CancelCallRequest(call_id="c"), "INVALID_ARGUMENT", "agent_id"),
        ("TakeMessages", relay_pb2.TakeMessagesRequest(), "INVALID_ARGUMENT", "agent_id"),
        ("Goodbye", relay_pb2.GoodbyeRequest(), "INVALID_ARGUMENT", "agent_id"),
        ("Goodbye", relay_pb2.GoodbyeRequest(agent_id="a" * 129), "TOO_LARGE", "agent_id"),
    ],
)
async def test_a_field_that_is_missing_or_too_large_is_named(
    bridge: Bridge, name: str, request_: Any, code: str, field: str
) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode[code], field):
        await bridge.call(name, request_)


async def test_a_request_is_withdrawn_with_its_reason(bridge: Bridge) -> None:
    await bridge.open("q")
    phone = await bridge.house.log_in("Ann")
    await bridge.house.news(phone)

    outcome = (
        await bridge.call(
            "CancelRequest",
            relay_pb2.CancelRequestRequest(
                agent_id="ada",
                request_id="q",
                reason=error_pb2.ERROR_CODE_AGENT_ENDED,
                message="enough",
            ),
        )
    ).outcome

    assert (outcome.state, outcome.reason) == (CANCELLED, error_pb2.ERROR_CODE_AGENT_ENDED)
    assert outcome.message == "enough"
    [told] = [m.request_state for m in await bridge.house.news(phone)]
    assert (told.state, told.message) == (CANCELLED, "enough")


async def test_any_other_reason_is_that_it_was_cancelled(bridge: Bridge) -> None:
    await bridge.open("q")

    request = relay_pb2.CancelRequestRequest(
        agent_id="ada", request_id="q", reason=error_pb2.ERROR_CODE_DECLINED
    )
    outcome = (await bridge.call("CancelRequest", request)).outcome

    assert outcome.reason == error_pb2.ERROR_CODE_CANCELLED


async def test_what_nobody_knows_cannot_be_withdrawn(bridge: Bridge) -> None:
    async with refused("NOT_FOUND", ErrorCode.UNKNOWN_REQUEST):
        await bridge.call(
            "CancelRequest", relay_pb2.CancelRequestRequest(agent_id="ada", request_id="never")
        )


# The stream --------------------------------------------------------------------------------------


async def test_the_outcome_of_what_the_agent_waits_for_comes_on_its_stream(
    bridge: Bridge,
) -> None:
    await bridge.open("q")
    async with bridge.attached("q") as stream:
        await bridge.house.do(replies("q", "yes"))

        outcome = (await event(stream)).outcome
        assert (outcome.request_id, outcome.contents[0].text.text) == ("q", "yes")


async def test_a_stream_hears_of_unknown_requests_deadlines_mail_and_devices(
    bridge: Bridge,
) -> None:
    house = bridge.house
    await bridge.open("q")
    async with bridge.attached("q", "never") as stream:
        assert (await event(stream)).unknown_request.request_id == "never"
        await house.do(moves_deadline("q", TIMEOUT))
        assert (await event(stream)).deadline_moved == relay_pb2.DeadlineMoved(
            request_id="q", deadline_unix_ms=NOW + 2 * TIMEOUT * 1000
        )
        ann = await house.log_in("Ann")
        assert (await event(stream)).devices_online.count == 1
        ann.vanish()
        await ann.over()
        assert (await event(stream)).devices_online.count == 0
        await bridge.call("SetWaiting", relay_pb2.SetWaitingRequest(agent_id="ada"))
        await house.do(replies("q", "yes"))
        assert (await event(stream)).mailbox_count.count == 1


async def test_a_stream_that_breaks_ends_the_agent_after_its_lease(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = bridge.house
    detached = noticed(monkeypatch, house.relay, "detach", before=False)
    async with bridge.attached() as stream:
        [presence] = (await house.runner()).room.live.agents.values()
        assert presence.attached
        stream.cancel()
        await asyncio.wait_for(detached.wait(), PATIENCE)
    [presence] = (await house.runner()).room.live.agents.values()
    assert not presence.attached
    assert not (await house.runner()).delivery.streams
    house.clock.advance(limits.AGENT_LEASE_SECONDS)
    await house.settled()

    assert not (await house.runner()).room.live.agents


async def test_a_bridge_whose_machine_fell_silent_is_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection never ends: a closed laptop sends no farewell."""
    monkeypatch.setattr(limits, "GRPC_PING_SECONDS", 0.2)
    monkeypatch.setattr(limits, "GRPC_DEAD_SECONDS", 0.2)
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    detached = noticed(monkeypatch, house.relay, "detach", before=False)
    options = [("grpc.enable_http_proxy", 0)]
    async with (
        cable(port) as between,
        grpc.aio.insecure_channel(f"127.0.0.1:{between.port}", options=options) as channel,
        Bridge(channel, house).attached(),
    ):
        between.hold_up()

        await asyncio.wait_for(detached.wait(), 2 * PATIENCE)
    [presence] = (await house.runner()).room.live.agents.values()
    assert not presence.attached
    await server.stop(0)


async def test_a_stream_that_attaches_in_vain_is_refused(bridge: Bridge) -> None:
    bridge.house.log.unreadable = True

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.attach().read()
    bridge.house.log.unreadable = False


async def test_waiting_for_too_much_is_refused(bridge: Bridge) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode.TOO_LARGE, "waiting_ids"):
        await bridge.attach(*["x"] * 513).read()


async def test_a_stream_that_is_full_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AGENT_STREAM_QUEUE_MESSAGES", 2)
    stream = AgentStream()
    stream.put(DevicesCounted(1))
    stream.put(DevicesCounted(2))
    assert await stream.next() == DevicesCounted(1)
    stream.put(DevicesCounted(3))
    stream.put(DevicesCounted(4))

    # What came between is lost, so nothing of it counts: the bridge attaches again.
    assert await stream.next() is None


# Mail, words and pictures ------------------------------------------------------------------------


async def test_what_waits_is_taken_and_acknowledged_once(bridge: Bridge) -> None:
    house = bridge.house
    await bridge.open("q")
    async with bridge.attached():
        await house.do(replies("q", "yes"))
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)

        mail = await bridge.call("TakeMessages", take)
        again = await bridge.call("TakeMessages", take)
        await bridge.call(
            "AckMessages", relay_pb2.AckMessagesRequest(agent_id="ada", request_ids=["q"])
        )
        nothing = await bridge.call("TakeMessages", take)

    assert [(o.request_id, o.redelivered) for o in mail.outcomes] == [("q", False)]
    assert [(o.request_id, o.redelivered) for o in again.outcomes] == [("q", True)]
    assert nothing == relay_pb2.TakeMessagesResponse()


async def test_a_text_that_is_taken_twice_is_marked(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    async with bridge.attached():
        phone.say(WebsocketMessage(Cmd="Text", text=agent_pb2.Text(content="hi", agent_id="ada")))
        await house.news(phone)
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)
        mail = await bridge.call("TakeMessages", take)
        again = await bridge.call("TakeMessages", take)
    assert [(text.content, text.redelivered) for text in mail.texts] == [("hi", False)]
    assert [(text.content, text.redelivered) for text in again.texts] == [("hi", True)]


async def test_what_is_attached_to_a_text_reaches_the_agent_whole(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    data = base64.b64encode(b"\x89PNG" * limits.LINKED_BYTES).decode()
    picture = content_pb2.ImageContent(type="image", data=data, mime_type="image/png")
    report = content_pb2.EmbeddedResource(
        type="embedded_resource", uri="report.pdf", mime_type="application/pdf", data=b"%PDF"
    )
    attached = [
        content_pb2.McpResultContent(type=2, image=picture),
        content_pb2.McpResultContent(type=4, embedded_resource=report),
    ]
    async with bridge.attached():
        text = agent_pb2.Text(content="look", contents=attached, agent_id="ada")
        phone.say(WebsocketMessage(Cmd="Text", text=text))
        await house.news(phone)
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)
        [taken] = (await bridge.call("TakeMessages", take)).texts
    assert (taken.content, list(taken.contents)) == ("look", attached)


async def test_mail_that_is_too_large_for_one_answer_comes_in_parts(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or it would be refused by gRPC for its size, each time, and never arrive."""
    house = bridge.house
    for number in range(3):
        await bridge.open(f"q{number}")
    phone = await house.log_in("Ann")
    text = agent_pb2.Text(content="and more", agent_id="ada")
    phone.say(WebsocketMessage(Cmd="Text", text=text))
    await house.news(phone)
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", 500)
    taken: list[str] = []
    texts: list[str] = []
    async with bridge.attached():
        for number in range(3):
            await house.do(replies(f"q{number}", "x" * 200))
        for _ in range(4):
            mail = await bridge.call("TakeMessages", relay_pb2.TakeMessagesRequest(agent_id="ada"))
            assert len(mail.outcomes) <= 1
            taken += [outcome.request_id for outcome in mail.outcomes]
            texts += [text.content for text in mail.texts]
            await bridge.call(
                "AckMessages",
                relay_pb2.AckMessagesRequest(
                    agent_id="ada",
                    request_ids=[outcome.request_id for outcome in mail.outcomes],
                    text_ids=[text.message_id for text in mail.texts],
                ),
            )

    assert taken == ["q0", "q1", "q2"]
    assert texts == ["and more"]


async def test_an_agents_words_are_shown_to_devices_that_know_them(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    frozen = await house.log_in("Old", extended=False)
    await house.news(phone)
    async with bridge.attached():
        await house.news(phone)
        request = relay_pb2.SendTextRequest(text=agent_pb2.Text(content="hello", agent_id="ada"))
        answer = await bridge.call("SendText", request)

        [shown] = [m for m in await house.news(phone) if m.Cmd == "Text"]
        assert (shown.text.content, shown.text.agent_id) == ("hello", "ada")
        assert shown.seq == answer.seq == 1
        assert await house.commands(frozen) == []


async def test_what_an_agent_attaches_to_its_words_is_shown(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    log = content_pb2.EmbeddedResource(
        type="embedded_resource", uri="build.log", mime_type="text/plain", data=b"failed"
    )
    attached = content_pb2.McpResultContent(type=4, embedded_resource=log)
    async with bridge.attached():
        await house.news(phone)
        text = agent_pb2.Text(content="hello", contents=[attached], agent_id="ada")
        await bridge.call("SendText", relay_pb2.SendTextRequest(text=text))
        async with refused("INVALID_ARGUMENT", ErrorCode.INVALID_ARGUMENT, "text.content"):
            empty = agent_pb2.Text(content=" ", agent_id="ada")
            await bridge.call("SendText", relay_pb2.SendTextRequest(text=empty))

        [shown] = [m.text for m in await house.news(phone) if m.Cmd == "Text"]
        assert (shown.content, list(shown.contents)) == ("hello", [attached])


async def test_an_agents_picture_is_shown_to_devices_that_know_it(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    async with bridge.attached():
        await house.news(phone)
        image = agent_pb2.Image(
            data=b"\x89PNG", mime_type="image/png", alt="a dot", caption="so", agent_id="ada"
        )
        answer = await bridge.call("SendImage", relay_pb2.SendImageRequest(image=image))

        [shown] = [m for m in await house.news(phone) if m.Cmd == "Image"]
        assert shown.seq == answer.seq
        assert (shown.image.data, shown.image.mime_type) == (b"\x89PNG", "image/png")
        assert (shown.image.alt, shown.image.caption) == ("a dot", "so")
        assert shown.image.agent_id == "ada"


async def test_goodbye_withdraws_what_the_agent_asked(bridge: Bridge) -> None:
    await bridge.open("q")
    phone = await bridge.house.log_in("Ann")
    await bridge.house.news(phone)

    await bridge.call("Goodbye", relay_pb2.GoodbyeRequest(agent_id="ada"))

    [told] = [m.request_state for m in await bridge.house.news(phone)]
    assert (told.state, told.reason) == (CANCELLED, error_pb2.ERROR_CODE_AGENT_ENDED)


# The frozen service ------------------------------------------------------------------------------


@pytest.fixture(params=["lineup.v1.SrvAgentAssist", "agentassistproto.SrvAgentAssist"])
async def assist(house: House, request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    """Calls a method of the frozen service under one of its names."""
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    options = [("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:

        def call(method: str, message: Any) -> Any:
            answer: Any = {
                "AskQuestion": agent_assist_pb2.AskQuestionResponse,
                "WorkReport": agent_assist_pb2.WorkReportResponse,
                "SendMcpClientInfo": agent_assist_pb2.McpClientInfoResponse,
            }[method]
            rpc = channel.unary_unary(
                f"/{request.param}/{method}",
                request_serializer=type(message).SerializeToString,
                response_deserializer=answer.FromString,
            )
            return rpc(message, timeout=PATIENCE)

        yield call
    await server.stop(0)
    await house.settled()


def frozen_question(request_id: str = "q", **fields: Any) -> agent_assist_pb2.AskQuestionRequest:
    asked = agent_assist_pb2.McpAskQuestionRequest(**({"Question": "Go on?"} | fields))
    return agent_assist_pb2.AskQuestionRequest(ID=request_id, UserToken="token", Request=asked)


def frozen_report() -> agent_assist_pb2.WorkReportRequest:
    asked = agent_assist_pb2.McpWorkReportRequest(Summary="done")
    return agent_assist_pb2.WorkReportRequest(ID="r", UserToken="token", Request=asked)


@pytest.mark.requirement("seed002:ask:answer-returns")
async def test_the_frozen_question_returns_its_answer(house: House, assist: Any) -> None:
    phone = await house.log_in("Ann", extended=False)
    call = assist("AskQuestion", frozen_question())
    [shown] = await phone.hear_all("AskQuestion")
    assert shown.AskQuestionRequest.UserToken == ""
    await house.do(replies("q", "yes"))

    answer = await call

    assert (answer.ID, answer.IsError) == ("q", False)
    assert answer.Meta["action"] == "answer"
    assert answer.contents[0].text.text == "yes"
    await house.settled()
    request = await house.request("q")
    assert request.received
    assert not (await house.runner()).room.live.agents


async def test_the_frozen_report_returns_its_confirmation(house: House, assist: Any) -> None:
    phone = await house.log_in("Ann", extended=False)
    call = assist("WorkReport", frozen_report())
    await phone.hear_all("WorkReport")
    await house.do(replies("r", ""))

    answer = await call

    assert (answer.ID, answer.IsError, list(answer.contents)) == ("r", False, [])


@pytest.mark.requirement("seed002:ask:errors-say-so")
@pytest.mark.parametrize("method", ["AskQuestion", "WorkReport"])
async def test_a_frozen_call_without_an_answer_says_so(
    house: House, assist: Any, method: str
) -> None:
    phone = await house.log_in("Ann", extended=False)
    message = frozen_question() if method == "AskQuestion" else frozen_report()
    call = assist(method, message)
    await phone.hear_all(method)
    await house.settled()
    house.clock.advance(TIMEOUT)

    answer = await call

    assert answer.IsError
    assert answer.Meta["error"] == "timeout"
    assert answer.Meta["message"]
    assert answer.Meta["message"] in answer.contents[0].text.text


@pytest.mark.requirement("seed002:ask:hang-up-cancels")
async def test_a_frozen_caller_that_hangs_up_withdraws_its_question(
    house: House, assist: Any
) -> None:
    phone = await house.log_in("Ann", extended=False)
    call = assist("AskQuestion", frozen_question())
    await phone.hear_all("AskQuestion")
    call.cancel()

    [gone] = await phone.hear_all("RequestCancelled")

    assert gone.RequestCancelledNotification.request_id == "q"
    await house.settled()
    assert not (await house.runner()).room.live.agents


@pytest.mark.parametrize("method", ["AskQuestion", "WorkReport"])
async def test_a_frozen_call_that_breaks_a_rule_is_told_which(
    house: House, assist: Any, method: str
) -> None:
    message = frozen_question() if method == "AskQuestion" else frozen_report()
    message.ID = ""

    answer = await assist(method, message)

    assert answer.IsError
    assert answer.Meta["error"] == "invalid_request"
    assert "ID" in answer.Meta["message"]
    assert answer.Meta["message"] in answer.contents[0].text.text
    assert not house.log.facts(ROOM)


async def test_the_same_id_for_another_frozen_question_harms_the_first_one_not(
    house: House, assist: Any
) -> None:
    phone = await house.log_in("Ann", extended=False)
    await house.ask("q", wait_ms=0)
    await phone.hear_all("AskQuestion")

    answer = await assist("AskQuestion", frozen_question())

    assert answer.Meta["error"] == "invalid_request"
    assert await house.commands(phone) == []
    assert (await house.request("q")).pending


@pytest.mark.parametrize("method", ["AskQuestion", "WorkReport", "SendMcpClientInfo"])
async def test_a_frozen_call_with_a_wrong_token_is_refused(assist: Any, method: str) -> None:
    message: Any = {
        "AskQuestion": frozen_question(),
        "WorkReport": frozen_report(),
        "SendMcpClientInfo": agent_assist_pb2.McpClientInfoRequest(),
    }[method]
    for token in ("", "guess"):
        message.UserToken = token
        async with refused("UNAUTHENTICATED", ErrorCode.UNAUTHENTICATED):
            await assist(method, message)


async def test_a_frozen_bridge_may_say_who_it_is(assist: Any) -> None:
    info = agent_assist_pb2.McpClientInfoRequest(UserToken="token")

    assert (await assist("SendMcpClientInfo", info)).Success


async def test_a_frozen_call_in_a_log_that_fails_is_told_so(house: House, assist: Any) -> None:
    house.log.unreadable = True

    answer = await assist("AskQuestion", frozen_question())

    assert answer.Meta["error"] == "log_unavailable"
    house.log.unreadable = False

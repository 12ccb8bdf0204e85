"""The Attach stream: enveloped events, a beat when there is nothing to tell, and its end."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2, tool_pb2
from lineup_srv.wire.connect import END_STREAM, Envelopes, enveloped
from tests.system.devices import device
from tests.transports.connect.relays import (
    RELAY,
    TOKEN,
    chunks_on,
    post,
    raw,
    request,
)
from tests.transports.connect.test_refusals import BEARER, PROTO

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from tests.system.devices import Device
    from tests.transports.connect.relays import Ports

STREAM: Final = {"Content-Type": "application/connect+proto", **BEARER}
AGENT: Final = "an-agent-over-connect"


class Stream:
    """What comes on a stream: events, and the JSON of its end."""

    def __init__(self, head: str, chunks: AsyncIterator[bytes]) -> None:
        self.head = head
        self._chunks = chunks
        self._envelopes = Envelopes(limits.MESSAGE_BYTES)
        self._ready: list[tuple[int, bytes]] = []

    async def next(self) -> tuple[int, bytes]:
        """Flags and bytes of the next message."""
        while not self._ready:
            self._ready += self._envelopes.feed(await anext(self._chunks))
        return self._ready.pop(0)

    async def event(self, kind: str) -> relay_pb2.AttachResponse:
        """The next event of a kind."""
        while True:
            flags, message = await self.next()
            assert flags == 0
            event = relay_pb2.AttachResponse.FromString(message)
            if event.WhichOneof("event") == kind:
                return event

    async def end(self) -> object:
        """The end; nothing comes after it."""
        while True:
            flags, message = await self.next()
            if flags == END_STREAM:
                assert [chunk async for chunk in self._chunks] == []
                return json.loads(message)


@asynccontextmanager
async def attached(
    ports: Ports, *waiting: str, headers: Mapping[str, str] = STREAM, agent_id: str = AGENT
) -> AsyncIterator[Stream]:
    """A stream of this agent; leaving the context breaks it."""
    asked = relay_pb2.AttachRequest(
        agent=relay_pb2.AgentIdentity(agent_id=agent_id, client="test"), waiting_ids=waiting
    )
    sent = request(f"{RELAY}/Attach", enveloped(asked.SerializeToString()), headers)
    async with raw(ports.http, sent) as reader:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        yield Stream(head, chunks_on(reader))


async def opened(ports: Ports, ann: Device, request_id: str = "q") -> None:
    """A question of the agent, on disk."""
    asked = relay_pb2.OpenRequestRequest()
    asked.question.ID = request_id
    asked.question.Request.Question = "Go on?"
    asked.question.Request.agent_id = AGENT
    answer = await post(
        ports.http, f"{RELAY}/OpenRequest", asked.SerializeToString(), {**PROTO, **BEARER}
    )
    assert answer.status == 200
    outcome = relay_pb2.OpenRequestResponse.FromString(answer.body).outcome
    assert outcome.state == request_pb2.REQUEST_STATE_PENDING
    await ann.kept_card("Go on?")


async def waits_for(ports: Ports, *ids: str) -> None:
    """Say what the agent waits for."""
    waiting = relay_pb2.SetWaitingRequest(agent_id=AGENT, waiting_ids=ids).SerializeToString()
    told = await post(ports.http, f"{RELAY}/SetWaiting", waiting, {**PROTO, **BEARER})
    assert (told.status, told.body) == (200, b"")


async def test_a_stream_begins_with_attached_and_is_not_buffered_by_proxies(ports: Ports) -> None:
    async with attached(ports) as stream:
        assert stream.head.startswith("http/1.1 200 ")
        assert "\r\ncontent-type: application/connect+proto\r\n" in stream.head
        assert "\r\nx-accel-buffering: no\r\n" in stream.head
        assert (await stream.event("attached")).attached.log_id


async def test_an_outcome_comes_on_the_stream(ports: Ports) -> None:
    async with device(ports.http, TOKEN) as ann, attached(ports) as stream:
        await stream.event("attached")
        await opened(ports, ann)
        await waits_for(ports, "q")
        await ann.answer("q", "yes")

        outcome = (await stream.event("outcome")).outcome

    assert outcome.request_id == "q"
    assert [content.text.text for content in outcome.contents] == ["yes"]


async def test_a_stream_in_json_says_the_same(ports: Ports) -> None:
    body = enveloped(json.dumps({"agent": {"agentId": AGENT}}).encode())
    headers = {"Content-Type": "application/connect+json", **BEARER}

    async with raw(ports.http, request(f"{RELAY}/Attach", body, headers)) as reader:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        flags, message = await Stream(head, chunks_on(reader)).next()

    assert "\r\ncontent-type: application/connect+json\r\n" in head
    assert flags == 0
    assert json.loads(message)["attached"]["logId"]


async def test_a_stream_with_nothing_to_tell_beats(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECT_BEAT_SECONDS", 0.01)

    async with attached(ports) as stream:
        while (await stream.next()) != (0, b""):
            pass
        # An event without content, for whoever does not know it.
        assert relay_pb2.AttachResponse.FromString(b"").WhichOneof("event") is None


async def test_a_broken_stream_ends_the_attachment(ports: Ports) -> None:
    async with device(ports.http, TOKEN) as ann:
        async with attached(ports) as stream:
            await stream.event("attached")
            await ann.sees("Agents", lambda m: [a.attached for a in m.agents] == [True])
        await ann.sees("Agents", lambda m: [a.attached for a in m.agents] == [False])


async def test_a_stream_out_of_time_says_so(ports: Ports) -> None:
    async with attached(ports, headers={**STREAM, "Connect-Timeout-Ms": "300"}) as stream:
        await stream.event("attached")
        end = await stream.end()

    assert end == {
        "error": {"code": "deadline_exceeded", "message": "the time of the call is over"}
    }


async def test_a_stopping_relay_ends_its_streams_as_unavailable(ports: Ports) -> None:
    async with attached(ports) as stream:
        await stream.event("attached")
        ports.stop.set()
        end = await stream.end()

    assert end == {"error": {"code": "unavailable", "message": "the relay is shutting down"}}


async def test_a_stream_that_is_full_ends_well(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "AGENT_STREAM_QUEUE_MESSAGES", 1)
    ids = [f"unknown-{number}" for number in range(3)]

    async with attached(ports, *ids) as stream:
        assert await stream.end() == {}


@pytest.mark.parametrize("token", ["", "short"])
async def test_a_wrong_token_is_told_at_the_end_of_a_stream(ports: Ports, token: str) -> None:
    headers = {**STREAM, "Authorization": f"Bearer {token}"}

    async with attached(ports, headers=headers) as stream:
        assert stream.head.startswith("http/1.1 200 ")
        end = await stream.end()

    assert isinstance(end, dict)
    assert end["error"]["code"] == "unauthenticated"
    assert [detail["type"] for detail in end["error"]["details"]] == ["lineup.v1.ErrorDetail"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\0\0",
        b"\0\0\0\0\x05ab",
        enveloped(b"") * 2,
        enveloped(b"") + b"\0",
        enveloped(b"", END_STREAM),
        enveloped(b"", 4),
    ],
    ids=["nothing", "torn head", "torn message", "two", "more", "an end", "unknown flag"],
)
async def test_a_request_that_is_not_one_message_is_refused(ports: Ports, body: bytes) -> None:
    answer = await post(ports.http, f"{RELAY}/Attach", body, STREAM)

    assert answer.status == 200
    assert answer.body[0] == END_STREAM
    assert json.loads(answer.body[5:])["error"]["code"] == "invalid_argument"


async def test_a_call_is_refused_at_the_end_of_its_stream(ports: Ports) -> None:
    call = tool_pb2.ToolCall(call_id="c", agent_id=AGENT, name="none", action="none")
    request = relay_pb2.CallToolRequest(call=call).SerializeToString()
    answer = await post(ports.http, f"{RELAY}/CallTool", enveloped(request), STREAM)

    assert json.loads(answer.body[5:])["error"]["code"] == "not_found"


async def test_goodbye_ends_the_agent(ports: Ports) -> None:
    async with device(ports.http, TOKEN) as ann, attached(ports) as stream:
        await stream.event("attached")
        await opened(ports, ann)
        goodbye = relay_pb2.GoodbyeRequest(agent_id=AGENT).SerializeToString()
        await post(ports.http, f"{RELAY}/Goodbye", goodbye, {**PROTO, **BEARER})

        await ann.state("q", lambda state: state.state == request_pb2.REQUEST_STATE_CANCELLED)


async def test_mail_is_taken_and_confirmed(ports: Ports) -> None:
    headers = {**PROTO, **BEARER}

    async with device(ports.http, TOKEN) as ann, attached(ports) as stream:
        await stream.event("attached")
        await opened(ports, ann)
        await waits_for(ports)
        await ann.answer_and_ack("q", "yes")
        take = relay_pb2.TakeMessagesRequest(agent_id=AGENT, wait_ms=5000).SerializeToString()
        taken = await post(ports.http, f"{RELAY}/TakeMessages", take, headers)
        confirm = relay_pb2.AckMessagesRequest(agent_id=AGENT, request_ids=["q"])
        await post(ports.http, f"{RELAY}/AckMessages", confirm.SerializeToString(), headers)

        await ann.state("q", lambda state: state.received)

    mail = relay_pb2.TakeMessagesResponse.FromString(taken.body)
    assert [outcome.request_id for outcome in mail.outcomes] == ["q"]

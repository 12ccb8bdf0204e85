"""Requests as connect-go 1.18 writes them, byte for byte, and the answers it gets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.system.devices import device
from tests.transports.connect.relays import TOKEN, answer_on, raw

if TYPE_CHECKING:
    from tests.transports.connect.relays import Answer, Ports

# AskQuestionRequest: 1 ID, 2 UserToken, 3 Request: 1 ProjectDirectory, 2 Question, 3 Timeout.
ASK = b"\x0a\x03q-1\x12\x1dthe-room-of-the-connect-tests\x1a\x0e\x0a\x02/p\x12\x06Go on?\x18\x3c"
# AskQuestionResponse: 1 ID, 3 Meta (a map), 4 contents: 1 type, 2 text: 1 type, 2 text.
# Meta has further entries, in any order.
YES = (
    b"\x0a\x03q-1",
    b"\x1a\x10\x0a\x06action\x12\x06answer",
    b"\x22\x0f\x08\x01\x12\x0b\x0a\x04text\x12\x03yes",
)
HEAD = (
    "POST /{service}.SrvAgentAssist/AskQuestion HTTP/1.1\r\n"
    "Host: 127.0.0.1:22080\r\n"
    "User-Agent: connect-go/1.18.1 (go1.24.2)\r\n"
    "{length}\r\n"
    "Accept-Encoding: gzip\r\n"
    "Connect-Protocol-Version: 1\r\n"
    "Connect-Timeout-Ms: 60000\r\n"
    "Content-Type: application/{codec}\r\n"
    "\r\n"
)


async def answered(ports: Ports, sent: bytes) -> Answer:
    """Send a question; a device answers it with "yes"."""
    async with device(ports.http, TOKEN) as ann, raw(ports.http, sent) as reader:
        asked = await ann.card("Go on?")
        assert (asked.ID, asked.Request.ProjectDirectory, asked.Request.Timeout) == (
            "q-1",
            "/p",
            60,
        )
        await ann.answer("q-1", "yes")
        return await answer_on(reader)


def assert_yes(body: bytes) -> None:
    assert body.startswith(YES[0])
    assert [part for part in YES if part not in body] == []


@pytest.mark.parametrize("service", ["lineup.v1", "agentassistproto"])
async def test_a_binary_question_is_answered_under_both_names(ports: Ports, service: str) -> None:
    head = HEAD.format(service=service, codec="proto", length=f"Content-Length: {len(ASK)}")

    answer = await answered(ports, head.encode() + ASK)

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/proto"
    assert "content-encoding" not in answer.headers
    assert_yes(answer.body)


async def test_a_body_in_chunks_is_the_same_question(ports: Ports) -> None:
    head = HEAD.format(
        service="agentassistproto", codec="proto", length="Transfer-Encoding: chunked"
    )
    chunks = b"".join(
        f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in (ASK[:7], ASK[7:], b"")
    )

    assert_yes((await answered(ports, head.encode() + chunks)).body)


async def test_a_question_in_json_is_answered_in_json(ports: Ports) -> None:
    body = (
        b'{"ID":"q-1","UserToken":"the-room-of-the-connect-tests",'
        b'"Request":{"ProjectDirectory":"/p","Question":"Go on?","Timeout":60},"newer":[1]}'
    )
    head = HEAD.format(service="lineup.v1", codec="json", length=f"Content-Length: {len(body)}")

    answer = await answered(ports, head.encode() + body)

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    told = json.loads(answer.body)
    assert told["ID"] == "q-1"
    assert told["Meta"]["action"] == "answer"
    assert told["contents"] == [{"type": 1, "text": {"type": "text", "text": "yes"}}]


async def test_a_connection_serves_one_call_after_another(ports: Ports) -> None:
    info = b"\x12\x1dthe-room-of-the-connect-tests"
    head = (
        "POST /agentassistproto.SrvAgentAssist/SendMcpClientInfo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Length: {len(info)}\r\nContent-Type: application/proto\r\n\r\n"
    ).encode()

    async with raw(ports.http, 2 * (head + info)) as reader:
        answers = [await answer_on(reader), await answer_on(reader)]

    assert [answer.body for answer in answers] == 2 * [b"\x08\x01"]

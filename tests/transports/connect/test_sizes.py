"""Packed bodies, large ones, and those that were made to hurt."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import random
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, content_pb2, websocket_pb2
from lineup_srv.wire.connect import enveloped
from tests.system.devices import device
from tests.transports.connect.relays import ASSIST, RELAY, TOKEN, answer_on, post, raw
from tests.transports.connect.test_refusals import BEARER, INFO, JSON, PROTO, SEND_INFO, failure

if TYPE_CHECKING:
    from tests.transports.connect.relays import Ports

PACKED: Final = {**PROTO, "Content-Encoding": "gzip"}
STREAM: Final = {"Content-Type": "application/connect+proto", **BEARER}
TOO_LARGE: Final = (400, "invalid_argument", "ERROR_CODE_TOO_LARGE")
INVALID: Final = (400, "invalid_argument", "ERROR_CODE_INVALID_ARGUMENT")


async def test_a_packed_message_is_read(ports: Ports) -> None:
    answer = await post(ports.http, SEND_INFO, gzip.compress(INFO), PACKED)

    assert (answer.status, answer.body) == (200, b"\x08\x01")


async def test_nothing_is_not_unpacked(ports: Ports) -> None:
    answer = await post(ports.http, SEND_INFO, b"", PACKED)

    assert failure(answer)[1] == "unauthenticated"


async def test_identity_is_a_coding(ports: Ports) -> None:
    answer = await post(ports.http, SEND_INFO, INFO, {**PROTO, "Content-Encoding": "identity"})

    assert answer.status == 200


async def test_another_coding_is_unimplemented_and_says_what_is(ports: Ports) -> None:
    answer = await post(ports.http, SEND_INFO, INFO, {**PROTO, "Content-Encoding": "br"})

    assert failure(answer) == (501, "unimplemented", "")
    assert "gzip" in json.loads(answer.body)["message"]


@pytest.mark.parametrize(
    "body",
    [b"no gzip", gzip.compress(INFO)[:-4], gzip.compress(INFO) * 2, gzip.compress(INFO) + b"x"],
    ids=["other bytes", "cut off", "two members", "more bytes"],
)
async def test_what_is_not_one_gzip_is_invalid(ports: Ports, body: bytes) -> None:
    assert failure(await post(ports.http, SEND_INFO, body, PACKED)) == INVALID


async def test_a_bomb_goes_off_in_nobodys_memory(ports: Ports) -> None:
    bomb = gzip.compress(bytes(8 * limits.MESSAGE_BYTES), compresslevel=1)

    assert failure(await post(ports.http, SEND_INFO, bomb, PACKED)) == TOO_LARGE


async def test_a_message_of_the_largest_size_passes_and_one_more_byte_does_not(
    ports: Ports,
) -> None:
    def message(size: int) -> bytes:
        # An unknown field as padding: number 15, length-delimited, its length in four bytes.
        head = INFO + b"\x7a"
        length = size - len(head) - 4
        digits = [
            length & 127 | 128,
            length >> 7 & 127 | 128,
            length >> 14 & 127 | 128,
            length >> 21,
        ]
        return head + bytes(digits) + bytes(length)

    largest = message(limits.MESSAGE_BYTES)
    assert len(largest) == limits.MESSAGE_BYTES

    assert (await post(ports.http, SEND_INFO, largest, PROTO)).status == 200
    assert (await post(ports.http, SEND_INFO, gzip.compress(largest, 1), PACKED)).status == 200
    larger = message(limits.MESSAGE_BYTES + 1)
    assert failure(await post(ports.http, SEND_INFO, gzip.compress(larger, 1), PACKED)) == TOO_LARGE


async def test_a_body_that_says_it_is_too_large_is_not_waited_for(ports: Ports) -> None:
    headers = {**PROTO, "Content-Length": str(limits.MESSAGE_BYTES + 1)}

    assert failure(await post(ports.http, SEND_INFO, b"", headers)) == TOO_LARGE


async def test_a_body_without_a_length_is_read_up_to_the_limit(ports: Ports) -> None:
    chunk = b"100000\r\n" + bytes(2**20) + b"\r\n"
    head = (
        f"POST {SEND_INFO} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/proto\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()

    async with raw(ports.http, head + 32 * chunk + b"1\r\n\x00\r\n") as reader:
        assert failure(await answer_on(reader)) == TOO_LARGE


async def test_an_envelope_that_says_it_is_too_large_ends_the_stream(ports: Ports) -> None:
    answer = await post(ports.http, f"{RELAY}/Attach", b"\0\xff\xff\xff\xff", STREAM)

    assert b"ERROR" not in answer.body
    assert json.loads(answer.body[5:])["error"]["code"] == "invalid_argument"


async def test_json_made_of_very_many_values_is_refused_and_holds_nobody_up(ports: Ports) -> None:
    items = b",".join([b"{}"] * 5_000_000)
    body = gzip.compress(b'{"Request":{"Questions":[' + items + b"]}}", 1)

    answer = await post(
        ports.http, f"{ASSIST}/AskQuestion", body, {**JSON, "Content-Encoding": "gzip"}
    )

    assert failure(answer) == TOO_LARGE


async def test_others_are_served_while_a_large_message_is_read(ports: Ports) -> None:
    """The largest JSON that is read takes a second; it is read in a thread."""
    items = b",".join([b"{}"] * 90_000)
    body = b'{"Request":{"Questions":[' + items + b"]}}"
    order: list[str] = []

    async def ask(name: str, path: str, body: bytes) -> None:
        await post(ports.http, path, body, JSON)
        order.append(name)

    async with asyncio.TaskGroup() as group:
        slow = group.create_task(ask("large", f"{ASSIST}/AskQuestion", body))
        while not slow.done() and len(order) < 3:
            await ask("small", SEND_INFO, b"{}")

    assert order[:3] == 3 * ["small"]


@pytest.mark.requirement("B42")
@pytest.mark.parametrize("kind", ["application/proto", "application/json"])
async def test_a_picture_of_twenty_mebibytes_comes_back_as_the_answer(
    ports: Ports, kind: str
) -> None:
    picture = base64.b64encode(random.Random(7).randbytes(15 * 2**20)).decode()
    assert len(picture) == 20 * 2**20
    asked = agent_assist_pb2.AskQuestionRequest(ID="picture-please", UserToken=TOKEN)
    asked.Request.Question = "Show me?"
    body = asked.SerializeToString()
    if kind == "application/json":
        body = json.dumps(
            {"ID": asked.ID, "UserToken": TOKEN, "Request": {"Question": "Show me?"}}
        ).encode()

    async with device(ports.http, TOKEN) as ann, asyncio.TaskGroup() as group:
        call = group.create_task(
            post(ports.http, f"{ASSIST}/AskQuestion", body, {"Content-Type": kind})
        )
        await ann.card("Show me?")
        reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply", ref="a-picture-of-15-MiB")
        reply.AskQuestionRequest.ID = asked.ID
        reply.AskQuestionResponse.ID = asked.ID
        image = content_pb2.ImageContent(type="image", data=picture, mime_type="image/png")
        reply.AskQuestionResponse.contents.add(type=2, image=image)
        await ann.send(reply)
        answer = await call

    assert answer.status == 200
    if kind == "application/json":
        [content] = json.loads(answer.body)["contents"]
        assert content["image"]["data"] == picture
    else:
        response = agent_assist_pb2.AskQuestionResponse.FromString(answer.body)
        assert [content.image.data for content in response.contents] == [picture]


async def test_a_picture_of_twenty_mebibytes_reaches_the_devices(ports: Ports) -> None:
    picture = base64.b64encode(random.Random(8).randbytes(15 * 2**20)).decode()
    asked = agent_assist_pb2.AskQuestionRequest(ID="look-at-this", UserToken=TOKEN)
    asked.Request.Question = "Fine?"
    image = content_pb2.ImageContent(type="image", data=picture, mime_type="image/png")
    asked.Request.contents.add(type=2, image=image)

    async with (
        device(ports.http, TOKEN, extended=False) as ann,
        asyncio.TaskGroup() as group,
    ):
        call = group.create_task(
            post(
                ports.http,
                f"{ASSIST}/AskQuestion",
                gzip.compress(asked.SerializeToString(), 1),
                PACKED,
            )
        )
        card = await ann.card("Fine?")
        await ann.answer(card.ID, "yes")
        answer = await call

    assert answer.status == 200
    assert [content.image.data for content in card.Request.contents] == [picture]


async def test_a_packed_message_opens_a_stream(ports: Ports) -> None:
    body = enveloped(gzip.compress(b""), 1)

    packable = {**STREAM, "Connect-Content-Encoding": "gzip"}
    read = await post(ports.http, f"{RELAY}/Attach", body, packable)
    unread = await post(ports.http, f"{RELAY}/Attach", body, STREAM)
    other = {**STREAM, "Connect-Content-Encoding": "zstd"}
    unknown = await post(ports.http, f"{RELAY}/Attach", body, other)

    # Read: it names no agent.
    told = [json.loads(answer.body[5:])["error"] for answer in (read, unread, unknown)]
    assert [one["code"] for one in told] == [
        "invalid_argument",
        "invalid_argument",
        "unimplemented",
    ]
    assert ["details" in one for one in told] == [True, False, False]

"""One more device joins: over the WebSocket of the one that shows a code, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from lineup_srv.contract import limits
from lineup_srv.transports.address import base_url
from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.transports.house import BASE_URL
from tests.transports.sockets import HOST, scope_of

if TYPE_CHECKING:
    from starlette.types import Message

    from tests.transports.house import House
    from tests.transports.sockets import Wire

OFFERED, CLAIMED = client_pb2.PAIRING_STATE_OFFERED, client_pb2.PAIRING_STATE_CLAIMED
JOINED, REFUSED = client_pb2.PAIRING_STATE_JOINED, client_pb2.PAIRING_STATE_REFUSED
EXPIRED = client_pb2.PAIRING_STATE_EXPIRED
REF = "ref-of-a-pairing"


def pairing(state: client_pb2.PairingState = client_pb2.PAIRING_STATE_UNSPECIFIED) -> Any:
    return WebsocketMessage(Cmd="Pairing", ref=REF, pairing=client_pb2.Pairing(state=state))


async def code_of(house: House, pc: Wire) -> str:
    shown = await house.tell(pc, pairing())
    assert (shown.Cmd, shown.ref, shown.pairing.state) == ("Pairing", REF, OFFERED)
    assert shown.pairing.base_url == BASE_URL
    assert shown.pairing.expires_unix_ms == house.clock.now + limits.PAIRING_CODE_SECONDS * 1000
    return shown.pairing.code


async def post(house: House, *, address: str = "192.168.1.9", **request: Any) -> httpx.Response:
    transport = httpx.ASGITransport(app=house.app, client=(address, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:22080") as client:
        return await client.post("/pair", **request)


@pytest.mark.requirement("B36")
async def test_a_device_shows_its_name_and_is_let_in(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    pc = await house.log_in("Ada")
    code = await code_of(house, pc)
    phone = {"code": code, "name": "Ada's phone", "platform": "web"}
    answer = asyncio.get_running_loop().create_task(post(house, json=phone))

    claimed = (await pc.hear()).pairing
    assert (claimed.state, claimed.name, claimed.platform) == (CLAIMED, "Ada's phone", "web")
    assert (claimed.code, claimed.base_url) == ("", "")
    second = await post(house, json=phone)
    ack = await house.tell(pc, pairing(JOINED))
    joined = (await pc.hear()).pairing
    token = (await answer).json()["token"]

    assert second.status_code == 410
    assert second.json()["code"] == "unauthenticated"
    assert second.json()["next_step"]
    assert ack.ack.accepted
    assert (joined.state, joined.name) == (JOINED, "Ada's phone")
    await house.log_in("Phone", token=token)
    assert code not in caplog.text
    assert token not in caplog.text


async def test_a_device_is_turned_away(house: House) -> None:
    pc = await house.log_in("Ada")
    phone = {"code": await code_of(house, pc), "name": "Eve"}
    answer = asyncio.get_running_loop().create_task(post(house, json=phone))
    await pc.hear()

    said = await house.tell(pc, pairing(REFUSED))

    assert said.pairing.state == REFUSED
    assert (await pc.hear()).ack.accepted
    assert ((await answer).status_code, (await answer).json()["code"]) == (403, "declined")


async def test_a_device_that_leaves_takes_its_guest_along(house: House) -> None:
    pc = await house.log_in("Ada")
    phone = {"code": await code_of(house, pc), "name": "Phone"}
    answer = asyncio.get_running_loop().create_task(post(house, json=phone))
    await pc.hear()
    pc.vanish()

    assert ((await answer).status_code, (await answer).json()["code"]) == (408, "expired")


async def test_nobody_can_let_a_guest_in_that_hung_up(house: House) -> None:
    pc = await house.log_in("Ada")
    phone = {"code": await code_of(house, pc), "name": "Phone"}
    said = asyncio.Queue[Any]()
    said.put_nowait({"type": "http.request", "body": json.dumps(phone).encode()})
    headers = [("host", HOST), ("content-type", "application/json")]
    scope = scope_of(kind="http", path="/pair", headers=headers, scheme="http")
    scope["method"] = "POST"
    heard: list[Message] = []

    async def hear(message: Message) -> None:
        heard.append(message)

    call = asyncio.get_running_loop().create_task(house.app(scope, said.get, hear))
    assert (await pc.hear()).pairing.state == CLAIMED
    said.put_nowait({"type": "http.disconnect"})

    assert (await pc.hear()).pairing.state == EXPIRED
    await call
    assert not (await house.tell(pc, pairing(JOINED))).ack.accepted
    assert all(not message.get("body") for message in heard)


@pytest.mark.parametrize("state", [JOINED, CLAIMED])
async def test_a_wish_that_makes_no_sense_is_refused(
    house: House, state: client_pb2.PairingState
) -> None:
    pc = await house.log_in("Ada")

    refused = (await house.tell(pc, pairing(state))).ack

    assert not refused.accepted
    assert refused.message.startswith("pairing.state: ")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", ""),
        (b"\xff", ""),
        (b"[" * 100, ""),
        (b'{"name": "Phone"}', "code"),
        (b'{"code": "", "name": "Phone"}', "code"),
        (b'{"code": "c", "code": "d", "name": "Phone"}', "code"),
        (b'{"code": "c"}', "name"),
        (b'{"code": "c", "name": " "}', "name"),
        (b'{"code": "c", "name": "a\\u001b[2J"}', "name"),
        (b" " * 5_000, ""),
    ],
)
async def test_what_is_no_request_spends_nothing(house: House, body: bytes, field: str) -> None:
    answer = await post(house, content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 400
    assert answer.json().get("field", "") == field


@pytest.mark.requirement("B32")
async def test_only_json_is_taken(house: House) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = await post(house, content=b"{}", headers={"content-type": kind})
        assert answer.status_code == 415


async def test_who_guesses_has_to_wait(house: House) -> None:
    wrong = {"code": "wrong", "name": "Eve"}
    for _ in range(limits.WRONG_CODES_PER_MINUTE):
        assert (await post(house, json=wrong)).status_code == 410

    assert (await post(house, json=wrong)).status_code == 429
    assert (await post(house, json=wrong, address="192.168.1.10")).status_code == 410
    house.clock.now += 60_000
    assert (await post(house, json=wrong)).status_code == 410


async def test_the_addresses_that_guessed_are_bounded(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ADDRESSES_REMEMBERED", 1)
    monkeypatch.setattr(limits, "WRONG_CODES_PER_MINUTE", 1)
    wrong = {"code": "wrong", "name": "Eve"}
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.1"):
        assert (await post(house, json=wrong, address=address)).status_code == 410
    assert (await post(house, json=wrong, address="10.0.0.1")).status_code == 429


@pytest.mark.requirement("B91")
@pytest.mark.parametrize(
    ("bind", "public_url", "url"),
    [
        ("127.0.0.1", "", ""),
        ("::1", "", ""),
        ("127.0.0.1", "https://lineup.example/x", "https://lineup.example/x/"),
        ("192.168.1.5", "", "http://192.168.1.5:80/"),
        ("fd00::5", "", "http://[fd00::5]:80/"),
    ],
)
def test_a_code_never_leads_a_phone_to_itself(bind: str, public_url: str, url: str) -> None:
    assert base_url(bind, 80, tls=False, public_url=public_url) == url
    assert "127." not in base_url("0.0.0.0", 80, tls=True, public_url="")

"""What an old tab or a newer app says is answered, and its answers count."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import client_pb2, error_pb2, websocket_pb2
from tests.guarantees.asking import asker
from tests.system.devices import device
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

A_DAY = 86_400


@pytest.mark.requirement("B84")
async def test_a_command_of_a_newer_app_is_refused_by_its_ref_and_the_connection_goes_on(
    shared: Shared, token: str
) -> None:
    async with device(shared.http, token) as ann:
        ref = secrets.token_hex(16)
        await ann.send(websocket_pb2.WebsocketMessage(Cmd="FoldTheLaundry", ref=ref))
        ack = await ann.ack(ref)
        assert (ack.accepted, ack.code) == (False, error_pb2.ERROR_CODE_UNKNOWN_COMMAND)
        assert ack.message
        # Without a ref there is nobody to tell.
        await ann.send(websocket_pb2.WebsocketMessage(Cmd="FoldTheLaundry"))
        await ann.settled()
        assert [m.ack.code for m in ann.received if m.Cmd == "Ack"] == [
            error_pb2.ERROR_CODE_UNKNOWN_COMMAND,
            error_pb2.ERROR_CODE_UNSPECIFIED,
        ]


@pytest.mark.requirement("B49", "B75")
async def test_a_tab_that_logged_in_again_answers_what_it_was_shown_before(
    shared: Shared, token: str
) -> None:
    async with (
        device(shared.http, token, "Bob") as bob,
        device(shared.http, token, "Ann") as ann,
        asker(shared.grpc, token, "one") as agent,
    ):
        call = agent.begin("Old tab?")
        asked = await ann.kept_card("Old tab?")
        after = len(ann.received)
        await ann.send(
            websocket_pb2.WebsocketMessage(
                Cmd="UserLogin",
                StrParam=token,
                Nickname="Ann again",
                client_info=client_pb2.ClientInfo(device_id="another-id-of-ann"),
            )
        )
        again = await ann.sees("UserLogin", lambda m: True, after=after)
        assert again.UserLoginResponse.success
        assert (await ann.answer_and_ack(asked.ID, "still here")).accepted
        assert (await bob.reply_of_other(asked.ID)).Nickname == "Ann again"
        assert (await call).contents[0].text.text == "still here"


@pytest.mark.requirement("B48", "B88")
async def test_a_question_open_for_a_day_outlives_two_relays_and_is_answered_at_the_end(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        asker(server.grpc, token, "one") as agent,
    ):
        call = agent.begin("Tomorrow?", timeout_seconds=A_DAY)
        async with device(server.http, token) as ann:
            asked = await ann.kept_card("Tomorrow?")
            before = await ann.state(asked.ID, lambda s: True)
        for _ in range(2):
            await server.restart()
            async with device(server.http, token) as ann:
                assert (await ann.card("Tomorrow?")).ID == asked.ID
                state = await ann.state(asked.ID, lambda s: True)
                assert state.deadline_unix_ms == before.deadline_unix_ms
            assert not call.done()
        async with device(server.http, token) as ann:
            await ann.answer_and_ack(asked.ID, "good morning")
            outcome = await call
            assert outcome.contents[0].text.text == "good morning"
            assert not outcome.redelivered
            await ann.state(asked.ID, lambda s: s.received)

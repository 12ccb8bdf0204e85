"""Programs that know only what was frozen: no client_info, no refs, gRPC under either name."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
import pytest

from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
from tests.system.agents import agent
from tests.system.devices import device, text_of
from tests.system.direct import FROZEN_NAMES, frozen_bridge
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]


@pytest.mark.parametrize("service", FROZEN_NAMES)
async def test_a_frozen_bridge_asks_and_reports_and_a_frozen_device_answers(
    shared: Shared, token: str, service: str
) -> None:
    async with (
        device(shared.http, token, "Phone", extended=False) as phone,
        device(shared.http, token, "Other", extended=False) as other,
        frozen_bridge(shared.grpc, token, service) as bridge,
    ):
        call = bridge.ask("q-1", "Old way?")
        asked = await phone.card("Old way?")
        assert asked.ID == "q-1"
        assert asked.Timestamp > 0
        assert [q.question for q in asked.Request.Questions] == ["Old way?"]  # type: ignore[attr-defined]
        await phone.answer("q-1", "the old way")
        answer = await call
        assert (answer.ID, answer.IsError, text_of(answer)) == ("q-1", False, "the old way")
        told = await other.reply_of_other("q-1")
        assert told.Nickname == "Phone"
        assert told.StrParam.startswith("Response received from client ")

        report = bridge.report("r-1", "Old work.")
        assert (await phone.report("Old work.")).ID == "r-1"
        await phone.confirm("r-1", "thanks")
        reply = await report
        assert (reply.ID, reply.IsError, text_of(reply)) == ("r-1", False, "thanks")
        confirmed = await other.sees("WorkReportReplyNotification", lambda m: True)
        assert confirmed.StrParam.startswith("Work report confirmed by client ")
        assert await phone.pending() == []


async def test_a_frozen_bridge_that_hangs_up_takes_its_card_away(
    shared: Shared, token: str
) -> None:
    async with (
        device(shared.http, token, "Phone", extended=False) as phone,
        device(shared.http, token, "Ann") as ann,
        frozen_bridge(shared.grpc, token) as bridge,
    ):
        call = bridge.ask("q-1", "Hang up?")
        await ann.kept_card("Hang up?")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        gone = (await phone.sees("RequestCancelled", lambda m: True)).RequestCancelledNotification
        assert (gone.request_id, gone.message_type) == ("q-1", "AskQuestion")
        assert gone.reason
        assert await phone.pending() == []


async def test_a_frozen_bridge_is_told_of_a_timeout_and_of_a_dismissal_in_words(
    shared: Shared, token: str
) -> None:
    async with (
        device(shared.http, token, "Phone", extended=False) as phone,
        frozen_bridge(shared.grpc, token) as bridge,
    ):
        answer = await bridge.ask("q-1", "Nobody?", timeout_seconds=1)
        assert (answer.IsError, answer.Meta["error"]) == (True, "timeout")
        assert answer.Meta["message"]
        assert "Silence is not consent" in text_of(answer)
        await phone.sees(
            "RequestCancelled", lambda m: m.RequestCancelledNotification.request_id == "q-1"
        )
        call = bridge.ask("q-2", "May I?")
        await phone.card("May I?")
        await phone.answer("q-2", "no", action="decline")
        declined = await call
        assert (declined.IsError, declined.Meta["error"]) == (True, "declined")
        assert text_of(declined)


async def test_a_frozen_device_that_answers_second_gets_the_first_answer(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        device(shared.http, token, "Phone", extended=False) as phone,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
    ):
        call = one.ask("Quick?")
        asked = await phone.card("Quick?")
        await ann.answer_and_ack(asked.ID, "quick")
        first = await phone.reply_of_other(asked.ID)
        after = len(phone.received)
        await phone.answer(asked.ID, "slow")
        again = await phone.sees("AskQuestionReplyNotification", lambda m: True, after=after)
        for told in (first, again):
            assert (told.Nickname, text_of(told.AskQuestionResponse)) == ("Ann", "quick")
        assert (await call.text()).endswith("quick")
        # Nothing of LineUp's own was ever sent to it.
        own = {"RequestState", "Ack", "ServerInfo", "Text", "Agents", "Devices"}
        assert not own & {m.Cmd for m in phone.received}


@pytest.mark.requirement("B75")
async def test_validity_is_asked_by_request_and_answered_for_open_ones_only(
    shared: Shared, token: str
) -> None:
    async with (
        device(shared.http, token, "Phone", extended=False) as phone,
        frozen_bridge(shared.grpc, token) as bridge,
    ):
        calls = [bridge.ask(f"q-{number}", f"Valid {number}?") for number in (1, 2)]
        for number in (1, 2):
            await phone.card(f"Valid {number}?")
        await phone.answer("q-1", "answered")
        ask = websocket_pb2.WebsocketMessage(Cmd="CheckMessageValidity")
        ask.CheckMessageValidityRequest.request_ids.extend(["q-1", "q-2", "q-3"])
        await phone.send(ask)
        told = await phone.sees("CheckMessageValidity", lambda m: True)
        assert dict(told.CheckMessageValidityResponse.validity) == {
            "q-1": False,
            "q-2": True,
            "q-3": False,
        }
        await phone.answer("q-2", "too")
        assert [text_of(await call) for call in calls] == ["answered", "too"]


async def test_a_call_that_a_stopping_relay_breaks_is_not_hung_up(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with (
            device(server.http, token, "Ann") as before,
            frozen_bridge(server.grpc, token) as bridge,
        ):
            call = bridge.ask("q-1", "Still open?")
            await before.kept_card("Still open?")
            await server.terminate()
            with pytest.raises(grpc.aio.AioRpcError):
                await call
        await server.start()
        async with device(server.http, token, "Ann") as after:
            assert (await after.kept_card("Still open?")).ID == "q-1"

"""Tools in JSON envelopes, beyond what the transcripts show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire._gen.lineup.v1 import tool_pb2
from lineup_srv.wire.envelope import messages as m
from tests.contract.definitions import toolset
from tests.transports.talk import agent, app
from tests.transports.test_tools import PNG, calculator, offering, update

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.talk import Talk

CALL = m.ToolCall(name="calculator", action="add", call_id="call-1", arguments={"a": 1, "b": 2})
DONE = m.ToolResult(name="calculator", action="add", call_id="call-1", result={"message": "3"})


async def offers(house: House, client_id: str = "") -> Talk:
    """An app with a calculator."""
    phone = await app(house, client_id=client_id)
    assert (await phone.tell(m.ToolList(tools=(toolset(),)), envelope_id="offer")) == m.Ack(
        ref="offer", accepted=True
    )
    return phone


async def next_of(talk: Talk, kind: type[m.Payload]) -> Any:
    while not isinstance(payload := await talk.hear(), kind):
        pass
    return payload


async def test_a_call_that_is_sent_again_while_it_runs_has_one_result(house: House) -> None:
    phone, helper = await offers(house), await agent(house)
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    helper.say(CALL)
    await helper.news()
    phone.say(DONE)

    result = await next_of(helper, m.ToolResult)
    rest = [payload for payload in await helper.news() if isinstance(payload, m.ToolResult)]

    assert (result.result, rest) == ({"message": "3"}, [])
    assert not [payload for payload in await phone.news() if isinstance(payload, m.ToolCall)]


@pytest.mark.requirement("design:calls:ends-shown-to-all")
async def test_an_app_hears_of_the_calls_that_it_was_given_only(house: House) -> None:
    phone, onlooker, helper = await offers(house), await app(house, "Desk"), await agent(house)
    page = await house.log_in("Page", device="page")
    await onlooker.news()
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    phone.say(DONE)
    await next_of(helper, m.ToolResult)

    assert [m.Cmd for m in await house.news(page) if m.Cmd.startswith("Tool")] == ["ToolCallUpdate"]
    assert await onlooker.news() == []


async def test_an_agent_waits_for_so_many_calls(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone, helper = await offers(house), await agent(house)
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    monkeypatch.setattr(limits, "OPEN_CALLS_PER_AGENT", 1)

    refused = await helper.tell(
        m.ToolCall(name="calculator", action="add", call_id="call-2", arguments={"a": 1, "b": 2})
    )

    assert isinstance(refused, m.ToolResult)
    assert (refused.call_id, refused.code, refused.failed) == (
        "call-2",
        ErrorCode.RATE_LIMITED,
        True,
    )


async def test_an_agent_that_comes_back_gets_its_result(house: House) -> None:
    phone, helper = await offers(house), await agent(house)
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    helper.wire.vanish()
    await helper.wire.over()
    phone.say(DONE)
    await phone.hears(m.Ack)

    back = await agent(house, client_id=helper.client_id)

    assert await back.tell(CALL) == m.ToolResult(
        name="calculator", action="add", call_id="call-1", result={"message": "3"}, by="Phone"
    )


async def test_a_result_of_the_page_comes_with_its_picture_and_a_message(house: House) -> None:
    page, helper = await offering(house, "Phone", calculator()), await agent(house)
    helper.say(CALL)
    assert (await page.hear()).Cmd == "ToolCall"
    picture = {"type": 2, "image": {"type": "image", "data": PNG, "mime_type": "image/png"}}
    phase = tool_pb2.CALL_PHASE_SUCCEEDED
    page.say(update("call-1", phase, result_json='{"sum":3}', contents=[picture]))

    result = await next_of(helper, m.ToolResult)

    assert result.result == {"sum": 3, "message": "Done."}
    assert result.contents[0].mime_type == "image/png"
    assert result.contents[0].data


async def test_a_picture_of_an_app_reaches_the_agent(house: House) -> None:
    phone, helper = await offers(house), await agent(house)
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    picture = m.Content(type=m.ContentType.IMAGE, data=b"\x89PNG", mime_type="image/png")
    large = m.Content(
        type=m.ContentType.IMAGE, data=bytes(limits.LINKED_BYTES + 1), mime_type="image/png"
    )
    phone.say(
        m.ToolResult(
            name="calculator",
            action="add",
            call_id="call-1",
            result={"message": "3"},
            contents=(picture, large),
        )
    )

    result = await next_of(helper, m.ToolResult)

    assert result.contents[0] == picture
    assert result.contents[1].uri.startswith("files/")


async def test_an_app_that_is_no_provider_any_more_is_told_so_in_the_result(house: House) -> None:
    helper = await agent(house)

    result = await helper.tell(CALL)

    assert isinstance(result, m.ToolResult)
    assert (result.code, result.failed) == (ErrorCode.UNKNOWN_TOOL, True)
    assert result.result["message"]


@pytest.mark.parametrize("phase", [m.Phase.TAKEN, m.Phase.SUCCEEDED, m.Phase.EXPIRED])
async def test_some_phases_are_the_relays_to_tell(house: House, phase: m.Phase) -> None:
    phone = await app(house)

    ack = await phone.tell(m.ToolReceipt(call_id="call-1", phase=phase), envelope_id="it")

    assert isinstance(ack, m.Ack)
    assert (ack.accepted, ack.code) == (False, ErrorCode.INVALID_ARGUMENT)


async def test_an_expired_call_says_so(house: House) -> None:
    phone, helper = await offers(house), await agent(house)
    helper.say(
        m.ToolCall(
            name="calculator",
            action="add",
            call_id="call-1",
            arguments={"a": 1, "b": 2},
            timeout_ms=4_000,
        )
    )
    await next_of(phone, m.ToolCall)
    phone.say(m.ToolReceipt(call_id="call-1", phase=m.Phase.STARTED))
    await phone.news()
    house.clock.advance(4)

    result = await next_of(helper, m.ToolResult)

    assert (result.code, result.failed) == (ErrorCode.EXPIRED, True)
    assert "deadline" in result.result["message"]
    assert json.dumps(result.result)


async def test_an_app_that_comes_back_under_its_id_gets_its_call_again(house: House) -> None:
    phone, helper = await offers(house, "an-id-of-its-own"), await agent(house)
    helper.say(CALL)
    await next_of(phone, m.ToolCall)
    phone.say(m.ToolReceipt(call_id="call-1", phase=m.Phase.STARTED))
    await phone.news()
    phone.wire.vanish()
    await phone.wire.over()

    back = await offers(house, "an-id-of-its-own")
    assert (await next_of(back, m.ToolCall)).call_id == "call-1"
    back.say(DONE)

    assert (await next_of(helper, m.ToolResult)).result == {"message": "3"}


async def test_an_app_that_is_here_twice_keeps_its_newer_connection(house: House) -> None:
    older = await offers(house, "an-id-of-its-own")
    await offers(house, "an-id-of-its-own")

    assert await older.wire.closed() == 4001

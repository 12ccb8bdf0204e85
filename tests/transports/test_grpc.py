"""The tokens of calls and streams of RelayService."""

from __future__ import annotations

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from tests.transports.bridges import Bridge, refused

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

"""The frozen service of older bridges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc
import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2
from tests.domain.playbook import TIMEOUT, replies
from tests.service.memory import PATIENCE
from tests.service.stage import ROOM
from tests.transports.bridges import refused
from tests.transports.house import VERSION, House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


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

"""What is no call, and calls that are refused: statuses, and errors in the protocol's form."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, error_pb2, relay_pb2
from tests.transports.connect.relays import (
    ASSIST,
    OLD_ASSIST,
    RELAY,
    TOKEN,
    post,
    raw,
    request,
)

if TYPE_CHECKING:
    from tests.transports.connect.relays import Answer, Ports

PROTO: Final = {"Content-Type": "application/proto"}
JSON: Final = {"Content-Type": "application/json"}
BEARER: Final = {"Authorization": f"Bearer {TOKEN}"}
INFO: Final = agent_assist_pb2.McpClientInfoRequest(UserToken=TOKEN).SerializeToString()
TAKE: Final = f"{RELAY}/TakeMessages"
SEND_INFO: Final = f"{ASSIST}/SendMcpClientInfo"


def failure(answer: Answer) -> tuple[int, str, str]:
    """The HTTP status, Connect's code, and ours from the detail."""
    assert answer.headers["content-type"] == "application/json"
    told = json.loads(answer.body)
    assert told["message"]
    if "details" not in told:
        return answer.status, told["code"], ""
    [detail] = told["details"]
    assert detail["type"] == "lineup.v1.ErrorDetail"
    assert "=" not in detail["value"]
    read = error_pb2.ErrorDetail.FromString(base64.b64decode(detail["value"] + "=="))
    assert told["message"] == f"{read.field}: {read.message}".removeprefix(": ")
    assert read.next_step
    return answer.status, told["code"], error_pb2.ErrorCode.Name(read.code)


@pytest.mark.parametrize("service", [ASSIST, OLD_ASSIST])
@pytest.mark.parametrize("token", ["", "short"])
async def test_a_message_without_a_right_token_is_unauthenticated(
    ports: Ports, service: str, token: str
) -> None:
    asked = agent_assist_pb2.AskQuestionRequest(ID="q", UserToken=token).SerializeToString()

    answer = await post(ports.http, f"{service}/AskQuestion", asked, PROTO)

    assert failure(answer) == (401, "unauthenticated", "ERROR_CODE_UNAUTHENTICATED")


@pytest.mark.parametrize("header", [None, "Bearer short", "Bearer ", f"Basic {TOKEN}", TOKEN])
async def test_relay_service_wants_the_token_in_the_header(
    ports: Ports, header: str | None
) -> None:
    headers = {**PROTO, "Authorization": header} if header is not None else PROTO

    answer = await post(ports.http, TAKE, b"", headers)

    assert failure(answer) == (401, "unauthenticated", "ERROR_CODE_UNAUTHENTICATED")


async def test_a_wrong_token_is_refused_before_the_body_is_read(ports: Ports) -> None:
    head = request(f"{RELAY}/OpenRequest", b"", {**PROTO, "Content-Length": "1000000"})

    async with raw(ports.http, head) as reader:
        assert (await reader.readline()).startswith(b"HTTP/1.1 401 ")


async def test_refusals_of_the_relay_have_their_status_and_code(ports: Ports) -> None:
    headers = {**PROTO, **BEARER}
    unknown = relay_pb2.AwaitRequestRequest(request_id="nobody-opened-it").SerializeToString()

    assert failure(await post(ports.http, TAKE, b"", headers)) == (
        400,
        "invalid_argument",
        "ERROR_CODE_INVALID_ARGUMENT",
    )
    assert failure(await post(ports.http, f"{RELAY}/AwaitRequest", unknown, headers)) == (
        404,
        "not_found",
        "ERROR_CODE_UNKNOWN_REQUEST",
    )


@pytest.mark.parametrize("body", [b"\xff", b"\x0a\x05shor"])
async def test_a_broken_binary_message_is_invalid(ports: Ports, body: bytes) -> None:
    answer = await post(ports.http, SEND_INFO, body, PROTO)

    assert failure(answer) == (400, "invalid_argument", "ERROR_CODE_INVALID_ARGUMENT")


@pytest.mark.parametrize(
    "body",
    [b"", b"no", b"3", b'["ID"]', b'{"ID": 1}', b'{"ID": "\xff"}', 2000 * b"[", b'{"Request": 3}'],
    ids=repr,
)
async def test_a_broken_json_message_is_invalid_and_not_repeated(ports: Ports, body: bytes) -> None:
    answer = await post(ports.http, SEND_INFO, body, JSON)

    assert failure(answer) == (400, "invalid_argument", "ERROR_CODE_INVALID_ARGUMENT")
    assert json.loads(answer.body)["message"] == "the body is no McpClientInfoRequest"


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded",
        "application/grpc",
        "application/grpc-web+proto",
        "application/connect+proto",
        "proto",
    ],
)
async def test_a_type_that_is_not_of_a_unary_call_is_415(ports: Ports, content_type: str) -> None:
    answer = await post(ports.http, SEND_INFO, INFO, {"Content-Type": content_type})

    assert answer.status == 415
    assert answer.headers["accept-post"] == "application/proto, application/json"


@pytest.mark.parametrize("content_type", ["application/proto", "application/json", "text/plain"])
async def test_a_type_that_is_not_of_a_stream_is_415(ports: Ports, content_type: str) -> None:
    answer = await post(ports.http, f"{RELAY}/Attach", b"", {"Content-Type": content_type})

    assert answer.status == 415
    assert answer.headers["accept-post"] == "application/connect+proto, application/connect+json"


async def test_the_types_parameters_and_case_do_not_matter(ports: Ports) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}

    answer = await post(ports.http, SEND_INFO, f'{{"UserToken": "{TOKEN}"}}'.encode(), headers)

    assert (answer.status, json.loads(answer.body)) == (200, {"Success": True})
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS"])
async def test_any_method_but_post_is_405(ports: Ports, method: str) -> None:
    answer = await post(ports.http, SEND_INFO, b"", PROTO, method=method)

    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_an_unknown_method_of_a_service_is_404(ports: Ports) -> None:
    for service in (ASSIST, OLD_ASSIST, RELAY):
        assert (await post(ports.http, f"{service}/Nothing", b"", PROTO)).status == 404


async def test_pages_of_other_origins_and_unknown_hosts_are_kept_out(ports: Ports) -> None:
    foreign = {**PROTO, "Origin": "https://example.org"}
    own = {**PROTO, "Host": f"127.0.0.1:{ports.http}", "Origin": f"http://127.0.0.1:{ports.http}"}

    assert (await post(ports.http, SEND_INFO, INFO, foreign)).status == 403
    assert (await post(ports.http, SEND_INFO, INFO, {**PROTO, "Host": "evil.org"})).status == 421
    assert (await post(ports.http, SEND_INFO, INFO, own)).status == 200


@pytest.mark.parametrize(
    "header",
    [
        {"Connect-Protocol-Version": "2"},
        {"Connect-Timeout-Ms": "-1"},
        {"Connect-Timeout-Ms": "+10"},
        {"Connect-Timeout-Ms": "1_0"},
        {"Connect-Timeout-Ms": "soon"},
        {"Connect-Timeout-Ms": "12345678901"},
    ],
    ids=repr,
)
async def test_headers_of_the_protocol_are_checked(ports: Ports, header: dict[str, str]) -> None:
    answer = await post(ports.http, SEND_INFO, INFO, {**PROTO, **header})

    assert failure(answer) == (400, "invalid_argument", "")


async def test_answers_are_not_kept_and_not_sniffed(ports: Ports) -> None:
    answer = await post(ports.http, SEND_INFO, INFO, PROTO)

    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.requirement("B32")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.test", **JSON}, 403),
        ({"Origin": "null", **JSON}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({}, 415),
        (JSON, 401),
    ],
)
async def test_being_on_this_machine_is_no_authorisation(
    ports: Ports, headers: dict[str, str], status: int
) -> None:
    """No page may post without our own origin, and nobody without a token."""
    assert (await post(ports.http, TAKE, b"{}", headers)).status == status

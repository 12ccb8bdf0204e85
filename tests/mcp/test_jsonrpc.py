"""Lines that are no messages are answered as JSON-RPC wants; surrogates never break a line."""

from __future__ import annotations

import json

import pytest

from lineup_mcp.jsonrpc import INVALID_REQUEST, PARSE_ERROR, Malformed, encode, parse


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"\xff\xfe", PARSE_ERROR, None),
        (b"{", PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}', PARSE_ERROR, None),
        (b"[" * 100_000, PARSE_ERROR, None),
        (b"1" * 10_000, PARSE_ERROR, None),
        (b"[]", INVALID_REQUEST, None),
        (b"null", INVALID_REQUEST, None),
        (b"{}", INVALID_REQUEST, None),
        (b'{"id":7,"method":"x"}', INVALID_REQUEST, 7),
        (b'{"jsonrpc":"2.0","id":"a"}', INVALID_REQUEST, "a"),
        (b'{"jsonrpc":"2.0","id":3,"method":5}', INVALID_REQUEST, 3),
        (b'{"jsonrpc":"2.0","id":true,"method":"x"}', INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":4,"method":"x","params":[1]}', INVALID_REQUEST, 4),
    ],
)
def test_a_malformed_line_gets_its_error(
    line: bytes, code: int, request_id: str | int | None
) -> None:
    parsed = parse(line)
    assert isinstance(parsed, Malformed)
    answer = parsed.answer()
    assert answer["id"] == request_id
    assert answer["error"]["code"] == code  # type: ignore[index] # JSON


def test_lone_surrogates_are_replaced_both_ways() -> None:
    line = rb'{"jsonrpc":"2.0","method":"x","params":{"\ud800k":["\ud83d\ude00", "a\udfffb"]}}'
    parsed = parse(line)
    assert parsed == {
        "jsonrpc": "2.0",
        "method": "x",
        "params": {"\ufffdk": ["😀", "a\ufffdb"]},
    }
    written = encode({"jsonrpc": "2.0", "id": 1, "result": {"text": "x\udc80y 😀"}})
    assert json.loads(written)["result"]["text"] == "x\ufffdy 😀"


def test_a_message_is_one_line() -> None:
    line = encode({"jsonrpc": "2.0", "id": 1, "result": {"text": "a\nb\u2028c"}})
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")

"""Host and Origin: which browsers and names may reach the relay at all (design, Security)."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.transports.auth import Border, GuardedApp
from tests.transports.sockets import Wire, scope_of

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

BORDER = Border(allowed_hosts=("lineup.example",), allowed_origins=("https://other.example",))
MACHINE = socket.gethostname().lower()
LOOPBACK = "127.0.0.1:22080"


@pytest.mark.requirement("B33")
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:22080",
        "192.168.1.20:22080",
        "[::1]",
        "[::1]:22080",
        "[fe80::1]:1",
        "localhost",
        "LocalHost:22080",
        MACHINE,
        f"{MACHINE.upper()}:22080",
        "lineup.example",
        "LineUp.Example:443",
    ],
)
def test_a_host_of_ours_is_let_in(host: str) -> None:
    assert BORDER.host_allowed(host)


@pytest.mark.requirement("B33")
@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.test",
        "evil.test:22080",
        "localhost.evil.test",
        "lineup.example.evil.test",
        "notlineup.example",
        "evil.test@localhost",
        "localhost/",
        "localhost?x",
        "localhost#x",
        "localhost:22080:22080",
        "localhost:port",
        "localhost:99999",
        "localhost ",
        "local\thost",
        "127.0.0.1.evil.test",
        "127.1",
        "0x7f000001",
        "2130706433",
        "::1",
        "[::1",
        "[evil.test]",
        "[]",
        "*",
        "lineup。example",
        "localhos\u0131",
    ],
)
def test_another_host_is_not(host: str) -> None:
    assert not BORDER.host_allowed(host)


@given(st.text(max_size=40))
def test_any_host_is_let_in_or_not(host: str) -> None:
    assert BORDER.host_allowed(host) in (True, False)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, LOOPBACK),
        ("http://127.0.0.1:22080", LOOPBACK),
        ("HTTP://LOCALHOST:22080", "localhost:22080"),
        ("http://localhost", "localhost"),
        ("http://localhost:80", "localhost"),
        ("http://localhost", "localhost:80"),
        ("http://[::1]:22080", "[::1]:22080"),
        # Behind a proxy that ends TLS the browser's port is the default one.
        ("https://lineup.example", "lineup.example"),
        ("https://lineup.example", "lineup.example:22080"),
        ("https://other.example", LOOPBACK),
        ("https://OTHER.example", LOOPBACK),
    ],
)
def test_an_origin_of_ours_is_let_in(origin: str | None, host: str) -> None:
    assert BORDER.origin_allowed(origin, host, "http")
    assert BORDER.origin_allowed(origin, host, "ws")


@pytest.mark.requirement("B31")
@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("null", LOOPBACK),
        ("", LOOPBACK),
        ("http://evil.test", LOOPBACK),
        ("http://evil.test:22080", LOOPBACK),
        ("http://127.0.0.1:3000", LOOPBACK),
        ("http://localhost:22080", LOOPBACK),
        ("http://127.0.0.1.evil.test:22080", LOOPBACK),
        ("https://other.example:8443", LOOPBACK),
        ("http://other.example", LOOPBACK),
        ("file://", LOOPBACK),
        ("chrome-extension://127.0.0.1", LOOPBACK),
        ("127.0.0.1:22080", LOOPBACK),
        ("http://[::1", LOOPBACK),
        ("http://127.0.0.1:port", LOOPBACK),
        ("http://evil.test@127.0.0.1:22080", LOOPBACK),
        ("http://127.0.0.1:22080/path", LOOPBACK),
        ("http://", ""),
        ("http://", LOOPBACK),
    ],
)
def test_another_origin_is_not(origin: str, host: str) -> None:
    assert not BORDER.origin_allowed(origin, host, "ws")


@pytest.mark.parametrize("scheme", ["wss", "https"])
def test_ports_are_compared_by_the_schemes_defaults(scheme: str) -> None:
    assert BORDER.origin_allowed("https://lineup.example:443", "lineup.example", scheme)
    assert not BORDER.origin_allowed("http://lineup.example:443", "lineup.example:8443", scheme)


class Inside:
    """The application behind the border; counts who gets there."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)


async def passes(*headers: tuple[str, str], kind: str = "websocket") -> Wire:
    """A request at the border; its wire's scope is among `inside` if it was let in."""
    inside = Inside()
    wire = Wire(scope_of(kind=kind, headers=headers))
    await GuardedApp(inside, BORDER)(wire.scope, wire.receive, wire.send)
    assert len(inside.scopes) == (not wire.sent)
    return wire


@pytest.mark.parametrize("kind", ["websocket", "http"])
async def test_a_request_with_a_host_of_ours_gets_in(kind: str) -> None:
    assert (await passes(("host", LOOPBACK), kind=kind)).sent == []
    own = ("origin", f"http://{LOOPBACK}")
    assert (await passes(("host", LOOPBACK), own, kind=kind)).sent == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 421),
        ([("host", "evil.test")], 421),
        ([("host", LOOPBACK), ("host", LOOPBACK)], 421),
        ([("host", "evil.test"), ("origin", "http://evil.test")], 421),
        ([("host", LOOPBACK), ("origin", "http://evil.test")], 403),
        ([("host", LOOPBACK), ("origin", "null")], 403),
        ([("host", LOOPBACK)] + [("origin", f"http://{LOOPBACK}")] * 2, 403),
    ],
)
@pytest.mark.parametrize("kind", ["websocket", "http"])
async def test_another_request_is_refused_before_anything_else(
    headers: list[tuple[str, str]], status: int, kind: str
) -> None:
    wire = await passes(*headers, kind=kind)

    start, body = wire.sent
    prefix = "websocket.http.response" if kind == "websocket" else "http.response"
    assert (start["type"], start["status"]) == (f"{prefix}.start", status)
    assert body["type"] == f"{prefix}.body"
    # It says what to change.
    assert (b"allowed_hosts" if status == 421 else b"allowed_origins") in body["body"]


async def test_what_is_no_request_passes() -> None:
    assert (await passes(kind="lifespan")).sent == []

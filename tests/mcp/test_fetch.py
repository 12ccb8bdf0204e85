"""Pictures from the web: what is fetched, and what no address may lead to."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
import trustme

from lineup_mcp.tools import fetch as module
from lineup_mcp.tools.fetch import fetch
from lineup_mcp.tools.reading import ArgumentError
from lineup_srv.contract import limits
from tests.mcp.test_pictures import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

PNG = drawn("PNG")


class Site(BaseHTTPRequestHandler):
    """Answers by the path."""

    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers.get("Host")))
        where = self.path.partition("?")[0]
        if where.startswith("/to/"):
            self._answer(302, b"", {"Location": self.path.removeprefix("/to/")})
        elif where == "/round":
            self._answer(307, b"", {"Location": "/round"})
        elif where == "/large":
            self._answer(200, b"x" * 5_000)
        elif where == "/gone":
            self._answer(404, b"")
        else:
            self._answer(200, PNG)

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def site(context: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """A site on this machine: its port, and what it was asked."""
    asked: list[tuple[str, str]] = []
    handler = type("Handler", (Site,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def resolving(monkeypatch: pytest.MonkeyPatch, addresses: Sequence[str]) -> None:
    """Every name has these addresses."""

    def found(_host: str, port: int, **_more: object) -> list[Any]:
        return [
            (
                socket.AF_INET6 if ":" in address else socket.AF_INET,
                socket.SOCK_STREAM,
                0,
                "",
                (address, port),
            )
            for address in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def refusal(url: str, *, private: bool = False) -> str:
    with pytest.raises(ArgumentError) as caught:
        fetch(url, private=private)
    assert caught.value.field == "url"
    return caught.value.problem


def test_a_picture_is_fetched_where_private_addresses_are_allowed() -> None:
    with site() as (port, asked):
        assert fetch(f"http://localhost:{port}/a.png?x=1&y#there", private=True) == PNG
    assert asked == [("/a.png?x=1&y", f"localhost:{port}")]


def test_redirects_are_followed_to_an_end() -> None:
    with site() as (port, asked):
        there = f"http://127.0.0.1:{port}/to/http://localhost:{port}/to//a.png"
        assert fetch(there, private=True) == PNG
        assert [path for path, _ in asked][-1] == "/a.png"
        assert refusal(f"http://127.0.0.1:{port}/round", private=True) == (
            "leads to too many other addresses"
        )


PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%1",
    "fd00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::1",
    "2001:0:1::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_name_leads_to_a_private_address(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    resolving(monkeypatch, [address])
    assert refusal("http://pictures.example/a.png").startswith("leads to a private network")
    # One of several is enough to refuse.
    resolving(monkeypatch, ["93.184.216.34", address])
    assert refusal("https://pictures.example/a.png").startswith("leads to a private network")


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "0x7f.1", "2130706433", "localhost"])
def test_no_spelling_of_this_machine_is_fetched(host: str) -> None:
    with site() as (port, asked):
        refusal(f"http://{host}:{port}/a.png")
    assert asked == []


def test_a_redirect_is_checked_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first address is public as far as the check can tell; the second one is not."""
    with site() as (port, asked):
        seen = []

        def public(address: object) -> bool:
            seen.append(str(address))
            return len(seen) == 1

        monkeypatch.setattr(module, "_is_public", public)
        assert refusal(f"http://127.0.0.1:{port}/to/http://localhost:{port}/a.png").startswith(
            "leads to a private network"
        )
    assert len(asked) == 1


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with site() as (port, asked):
        names = iter([["127.0.0.1"], ["192.0.2.1"]])
        original = socket.getaddrinfo
        calls = []

        def once(host: str, *arguments: Any, **more: Any) -> Any:
            calls.append(host)
            return original(next(names)[0], *arguments, **more)

        monkeypatch.setattr(socket, "getaddrinfo", once)
        assert fetch(f"http://pictures.example:{port}/a.png", private=True) == PNG
    assert calls == ["pictures.example"]
    assert asked == [("/a.png", f"pictures.example:{port}")]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("file:///etc/passwd", "must be an http or https address"),
        ("ftp://example.org/a", "must be an http or https address"),
        ("http:///a", "must be an http or https address"),
        ("http://example.org:0/a", "must be an http or https address"),
        ("http://example.org:99999/a", "is no address"),
        ("http://[::1/a", "is no address"),
        ("http://me:secret@example.org/a", "must not carry a name or password"),
        ("http://example.org/a\r\nX: y", "must be written in ASCII, other characters as %XX"),
        ("http://example.org/ä", "must be written in ASCII, other characters as %XX"),
    ],
)
def test_what_is_no_address_for_pictures_is_refused(url: str, problem: str) -> None:
    assert refusal(url) == problem


def test_what_does_not_answer_well_is_said_without_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "PICTURE_BYTES", 1_000)
    with site() as (port, _):
        assert refusal(f"http://127.0.0.1:{port}/large", private=True).startswith("has more than")
        assert refusal(f"http://127.0.0.1:{port}/gone", private=True) == "answers 404"
    problem = refusal(f"http://127.0.0.1:{port}/?key=secret", private=True)
    assert problem == "could not be fetched (ConnectionRefusedError)"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(limits, "FETCH_SECONDS", 0.2)
        port = silent.getsockname()[1]
        assert "TimeoutError" in refusal(f"http://127.0.0.1:{port}/", private=True)


def test_tls_is_checked_and_never_left() -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with site(context) as (port, _), site() as (plain, _):
        url = f"https://localhost:{port}"
        assert fetch(f"{url}/a.png", private=True, tls=trusting) == PNG
        assert "SSLCertVerificationError" in refusal(f"{url}/a.png", private=True)
        with pytest.raises(ArgumentError, match="leads from https to http"):
            fetch(f"{url}/to/http://localhost:{plain}/a.png", private=True, tls=trusting)

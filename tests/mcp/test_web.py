"""`--web`: the page's address, with and without a display."""

from __future__ import annotations

import io
import json
import logging
import os
import socket
import subprocess
import sys
import webbrowser
from typing import TYPE_CHECKING

import pytest

from lineup_mcp import web
from tests.mcp.fake_relay import TOKEN
from tests.mcp.harness import bridge_config
from tests.mcp.listeners import RELAY, answering, relay

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({}, f"http://127.0.0.1:1?token={TOKEN}"),
        ({"host": "0.0.0.0"}, f"http://127.0.0.1:1?token={TOKEN}"),
        ({"host": "::1"}, f"http://[::1]:1?token={TOKEN}"),
        ({"host": "relay.test", "tls": True}, f"https://relay.test:1?token={TOKEN}"),
        ({"public_url": "https://x.test/lu"}, f"https://x.test/lu/?token={TOKEN}"),
        ({"token": "a&b#c"}, "http://127.0.0.1:1?token=a%26b%23c"),
    ],
)
def test_the_address(tmp_path: Path, changes: dict[str, object], url: str) -> None:
    assert web.page_url(bridge_config(1, tmp_path, **changes)) == url


@pytest.mark.requirement("B71", "B91")
@pytest.mark.parametrize("public_url", ["", "https://relay.test/lu"])
def test_without_a_display_the_address_is_printed_and_a_code_where_phones_can_follow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, public_url: str
) -> None:
    monkeypatch.setattr(web, "_is_wsl", lambda: False)
    monkeypatch.setattr("sys.platform", "linux")
    out = io.StringIO()
    with relay() as port:
        config = bridge_config(port, tmp_path, port=port, public_url=public_url)
        assert web.open_page(config, environ={}, out=out)
    address = f"{public_url}/" if public_url else f"http://127.0.0.1:{port}"
    assert f"Open this page: {address}?token={TOKEN}" in out.getvalue()
    assert ("█" in out.getvalue()) == bool(public_url)
    assert ("Only this machine" in out.getvalue()) == (not public_url)


def test_with_a_display_the_browser_opens_and_no_token_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(web, "_is_wsl", lambda: False)

    def open_browser(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", open_browser)
    out = io.StringIO()
    with relay() as port:
        config = bridge_config(port, tmp_path, port=port)
        assert web.open_page(config, environ={"DISPLAY": ":0"}, out=out)
    assert opened == [f"http://127.0.0.1:{port}?token={TOKEN}"]
    assert TOKEN not in out.getvalue()


def test_no_relay_says_what_to_do(tmp_path: Path) -> None:
    out = io.StringIO()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert not web.open_page(bridge_config(port, tmp_path, port=port), environ={}, out=out)
    assert "lineup-srv" in out.getvalue()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a browser was opened with."""
    urls: list[str] = []

    def open_browser(url: str, _environ: object) -> bool:
        urls.append(url)
        return True

    monkeypatch.setattr(web, "_open", open_browser)
    return urls


@pytest.mark.parametrize("autostart", [False, True])
def test_another_program_on_the_port_gets_no_token(
    tmp_path: Path, opened: list[str], caplog: pytest.LogCaptureFixture, autostart: bool
) -> None:
    out = io.StringIO()
    with answering({"name": "Other"}) as port:
        config = bridge_config(port + 1, tmp_path, port=port, autostart=autostart)
        assert not web.open_page(config, environ={"DISPLAY": ":0"}, out=out)
    assert not opened
    assert f"port {port} is used by another program: free it or set another port" in out.getvalue()
    assert TOKEN not in out.getvalue()
    assert "http://" not in out.getvalue()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_program_that_says_nothing_gets_no_token(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "_ANSWER_SECONDS", 0.1)
    out = io.StringIO()
    with socket.create_server(("127.0.0.1", 0)) as server:
        config = bridge_config(1, tmp_path, port=server.getsockname()[1])
        assert not web.open_page(config, environ={}, out=out)
    assert not opened
    assert "is used by another program" in out.getvalue()


def test_another_program_on_another_machine_is_named(
    tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "is_loopback", lambda _host: False)
    out = io.StringIO()
    with answering(RELAY) as port:
        config = bridge_config(1, tmp_path, port=port, tls=True)
        assert not web.open_page(config, environ={}, out=out)
    assert not opened
    assert f"127.0.0.1:{port}: another program does, or its certificate" in out.getvalue()


@pytest.mark.parametrize("port_is_default", [False, True])
def test_a_relay_of_this_user_on_another_port_is_named_and_used_if_no_port_was_set(
    tmp_path: Path, opened: list[str], port_is_default: bool
) -> None:
    out = io.StringIO()
    with relay() as port, answering({"name": "Other"}) as other:
        told = {"pid": os.getpid(), "version": "0", "http": port, "grpc": 80}
        (tmp_path / "lock").write_text(json.dumps(told))
        config = bridge_config(
            other + 1, tmp_path, port=other, port_is_default=port_is_default, autostart=True
        )
        assert web.open_page(config, environ={}, out=out) is port_is_default
    said = f"a relay of yours already runs on 127.0.0.1:{port} (process {os.getpid()})"
    assert out.getvalue().count(said) == 1
    assert opened == ([f"http://127.0.0.1:{port}?token={TOKEN}"] if port_is_default else [])
    assert (f"set the port {port}" in out.getvalue()) is not port_is_default


@pytest.mark.parametrize("token", ["tiny!", "x" * 15])
def test_a_token_that_no_relay_here_takes_is_refused(
    tmp_path: Path, opened: list[str], token: str
) -> None:
    out = io.StringIO()
    with relay() as port:
        config = bridge_config(1, tmp_path, port=port, token=token)
        assert not web.open_page(config, environ={}, out=out)
    assert not opened
    assert "at least 16 characters" in out.getvalue()
    assert token not in out.getvalue()


@pytest.mark.parametrize(
    ("token", "host"), [("x" * 16, "127.0.0.1"), ("test-token", "127.0.0.1"), ("short", "0.0.0.0")]
)
def test_a_token_that_a_relay_may_take_is_left_to_it(
    tmp_path: Path, opened: list[str], token: str, host: str
) -> None:
    with relay() as port:
        config = bridge_config(1, tmp_path, port=port, token=token, host=host)
        assert web.open_page(config, environ={}, out=io.StringIO())
    assert opened == [f"http://127.0.0.1:{port}?token={token}"]


@pytest.mark.system
@pytest.mark.parametrize("token", [TOKEN, "short"])
def test_the_program_ends_with_1_and_prints_neither_token_nor_address(
    tmp_path: Path, token: str
) -> None:
    with answering({"name": "Other"}) as port:
        ended = subprocess.run(
            [sys.executable, "-m", "lineup_mcp", "--web", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            env={**os.environ, "LINEUP_TOKEN": token, "LINEUP_DATA_DIR": str(tmp_path)},
        )
    assert ended.returncode == 1
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert ("used by another program" if token == TOKEN else "too short") in line
    assert "token=" not in line

"""`--web`: the page's address, with and without a display."""

from __future__ import annotations

import io
import socket
import webbrowser
from typing import TYPE_CHECKING

import pytest

from lineup_mcp import web
from tests.mcp.fake_relay import TOKEN
from tests.mcp.harness import bridge_config

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
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
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
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
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

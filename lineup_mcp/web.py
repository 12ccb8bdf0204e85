"""`lineup-mcp --web`: opens the page in a browser, or says where it is when there is no display."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from lineup_mcp.autostart import Starter, listens, running_relay
from lineup_srv.settings.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from lineup_mcp.config import BridgeConfig

__all__ = ["open_page", "page_url"]

_EVERYWHERE: Final = ("0.0.0.0", "::", "")
_OPEN_SECONDS: Final = 10


def page_url(config: BridgeConfig, *, port: int = 0) -> str:
    """The page's address with the token, as this machine's browser reaches it.

    Args:
        config: where the relay is.
        port: its HTTP port if it was found to differ; 0 = as configured.
    """
    query = f"?token={quote(config.token, safe='')}"
    if config.public_url:
        return f"{config.public_url}/{query}"
    host = "127.0.0.1" if config.host in _EVERYWHERE else config.host
    host = f"[{host}]" if ":" in host else host
    scheme = "https" if config.tls else "http"
    return f"{scheme}://{host}:{port or config.port}{query}"


def open_page(config: BridgeConfig, *, environ: Mapping[str, str], out: TextIO) -> bool:
    """Start a relay if none answers, then open its page or print its address and a QR code.

    Args:
        config: where the relay is.
        environ: says whether there is a display.
        out: where to print; never stdout, which may be the MCP channel.

    Returns:
        False when no relay answers; what to do is printed then.
    """
    port = 0
    if Starter(config, environ=environ).start_now():
        found = running_relay(config.data_dir)
        port = found["http"][1] if found else 0
    if not listens(config.host, port or config.port):
        print_line(out, f"No relay answers at {config.host}:{config.port}.")
        print_line(out, "Start it with `lineup-srv` on that machine.")
        return False
    url = page_url(config, port=port)
    if _open(url, environ):
        print_line(out, f"The page is open in your browser: {url.partition('?')[0]}")
    else:
        _print(url, out)
    return True


def print_line(out: TextIO, line: str) -> None:
    """Write a line for a person."""
    out.write(line + "\n")
    out.flush()


def _print(url: str, out: TextIO) -> None:
    import segno

    print_line(out, f"Open this page: {url}")
    if is_loopback(urlsplit(url).hostname or ""):
        # A code for another device would lead that device to itself.
        print_line(out, "Only this machine reaches it, until the relay binds another address.")
        return
    try:
        segno.make(url, error="l").terminal(out=out, compact=True)
    except UnicodeEncodeError:
        # A terminal without block characters; the address is enough.
        print_line(out, "")


def _open(url: str, environ: Mapping[str, str]) -> bool:
    """Open a browser; False when there is no display to open it on."""
    if _is_wsl():
        return _open_windows(url)
    if sys.platform.startswith("linux") and not (
        environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    ):
        return False
    if environ.get("SSH_CONNECTION"):
        return False
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _is_wsl() -> bool:
    try:
        return "microsoft" in Path("/proc/version").read_text(encoding="utf-8").lower()
    except OSError:
        return False


def _open_windows(url: str) -> bool:
    """The Windows browser, from inside WSL."""
    commands = (["wslview", url], ["explorer.exe", url])
    for command in commands:
        if program := shutil.which(command[0]):
            try:
                subprocess.run(
                    [program, *command[1:]],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=_OPEN_SECONDS,
                    check=False,
                    env=dict(os.environ),
                )
            except (OSError, subprocess.TimeoutExpired):
                continue
            return True
    return False

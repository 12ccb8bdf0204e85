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

from lineup_mcp.autostart import Starter
from lineup_mcp.whereabouts import Who, address, holder_of, who_answers
from lineup_srv.contract import limits
from lineup_srv.settings.addresses import EVERYWHERE, is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.whereabouts import Holder

__all__ = ["open_page", "page_url"]

_OPEN_SECONDS: Final = 10
_ANSWER_SECONDS: Final = 5.0
"""A relay with a long log takes connections before it answers."""
_SEED_TOKEN: Final = "test-token"
"""Let in for the seed's sake, though short."""


def page_url(config: BridgeConfig, *, port: int = 0) -> str:
    """The page's address with the token, as this machine's browser reaches it.

    Args:
        config: where the relay is.
        port: its HTTP port if it was found to differ; 0 = as configured.
    """
    query = f"?token={quote(config.token, safe='')}"
    if config.public_url:
        return f"{config.public_url}/{query}"
    host = "127.0.0.1" if config.host in EVERYWHERE else config.host
    scheme = "https" if config.tls else "http"
    return f"{scheme}://{address(host, port or config.port)}{query}"


def open_page(config: BridgeConfig, *, environ: Mapping[str, str], out: TextIO) -> bool:
    """Start a relay if none answers, then open its page or print its address and a QR code.

    Args:
        config: where the relay is.
        environ: says whether there is a display.
        out: where to print; never stdout, which may be the MCP channel.

    Returns:
        False when no relay answers; what to do is printed then.
    """
    if problem := _unfit(config):
        print_line(out, problem)
        return False
    port = _find(config, environ, out)
    if not port:
        return False
    url = page_url(config, port=port)
    if _open(url, environ):
        print_line(out, f"The page is open in your browser: {url.partition('?')[0]}")
    else:
        _print(url, out)
    return True


def _unfit(config: BridgeConfig) -> str:
    """Why no relay on this machine would take the token; empty if one may.

    A relay on another machine, or one that others reach, has a list of tokens: it decides.
    """
    enough = limits.OPEN_MODE_TOKEN_CHARACTERS
    if not is_loopback(config.host) or len(config.token) >= enough or config.token == _SEED_TOKEN:
        return ""
    return (
        f"The token is too short: a relay on this machine takes a token of at least {enough} "
        "characters. Set a longer one (LINEUP_TOKEN, --token or lineup_server_token), or none: "
        "then one is made for you."
    )


def _find(config: BridgeConfig, environ: Mapping[str, str], out: TextIO) -> int:
    """The HTTP port of a relay that was asked and is one; 0 when there is none, and why is printed.

    Whoever gets the page's address gets the token, so nothing is believed unasked.
    """
    here = is_loopback(config.host)
    who = who_answers(config, within_seconds=_ANSWER_SECONDS)
    holder = holder_of(config) if here and who is not Who.RELAY else None
    if who is Who.NOBODY and holder is None:
        Starter(config, environ=environ).start_now()
        who = who_answers(config, within_seconds=_ANSWER_SECONDS)
    if who is Who.RELAY:
        return config.port
    if holder is not None and config.port_is_default:
        print_line(out, _runs_already(holder))
        return holder.http_port
    target = address(config.host, config.port)
    if who is Who.NOBODY:
        print_line(out, f"No relay answers at {target}.")
    elif here:
        print_line(
            out,
            f"port {config.port} is used by another program: free it or set another port "
            "(--port, LINEUP_PORT or lineup_server_port).",
        )
    else:
        certificate = ", or its certificate is not trusted" if config.tls else ""
        print_line(out, f"No relay answers at {target}: another program does{certificate}.")
    if holder is not None:
        print_line(out, _runs_already(holder))
        print_line(out, f"One runs per data directory: set the port {holder.http_port}, or end it.")
    elif who is Who.NOBODY:
        print_line(out, "Start it with `lineup-srv` on that machine.")
    return 0


def _runs_already(holder: Holder) -> str:
    where = address(holder.host, holder.http_port)
    return f"a relay of yours already runs on {where} (process {holder.pid})."


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

"""Answers to `initialize`, `server/discover`, `tools/list` and `ping` while the SDK is imported.

An agent program waits a second or two for a server's tools, and importing the SDK can take as long
on a busy machine. So the simplest requests are answered from plain data; everything that came in
is kept and handed to the SDK, which then knows the same conversation, and whose own answers to
what was answered are dropped. A test holds both answers against each other. Whatever is not plainly
one of these requests is left to the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from lineup_mcp import __version__
from lineup_mcp.jsonrpc import Malformed
from lineup_mcp.tools.definitions import INSTRUCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.jsonrpc import Message
    from lineup_mcp.replies import Replies, RequestKey
    from lineup_mcp.stdio import Lines
    from lineup_mcp.tools.listing import Listing

__all__ = ["HANDSHAKE_VERSIONS", "MODERN_VERSIONS", "EarlyAnswers"]

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS: Final = ("2026-07-28",)
_PREFIX: Final = "io.modelcontextprotocol/"
_CAPABILITIES: Final = {"tools": {"listChanged": True}}
_SERVER: Final = {"name": "lineup", "title": "LineUp", "version": __version__}
_MODERN: Final[Mapping[str, object]] = {
    "_meta": {f"{_PREFIX}serverInfo": _SERVER},
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}


class EarlyAnswers:
    """The conversation until the SDK is there.

    Args:
        listing: what `tools/list` says.
        experimental: capabilities to declare besides.
    """

    def __init__(
        self, listing: Listing, experimental: Mapping[str, dict[str, object]] | None = None
    ) -> None:
        self._listing = listing
        more = {"experimental": dict(experimental)} if experimental else {}
        self._capabilities: Message = {**_CAPABILITIES, **more}
        self._era: str | None = None
        self.kept: list[Message] = []
        """Every message so far, in order, for the SDK."""
        self.answered: set[RequestKey] = set()
        """Ids of the requests that have their answer."""
        self.begun = asyncio.Event()
        """The first line was dealt with, or the input has ended."""

    async def collect(self, channel: Lines, replies: Replies) -> None:
        """Answer and keep what comes in, until cancelled or until the input ends."""
        with contextlib.suppress(BrokenPipeError):
            while (item := await channel.receive()) is not None:
                if isinstance(item, Malformed):
                    await channel.send(item.answer())
                else:
                    await self._take(item, channel, replies)
                self.begun.set()
        self.begun.set()

    async def _take(self, message: Message, channel: Lines, replies: Replies) -> None:
        self.kept.append(message)
        request = message.get("id")
        if "method" not in message or not isinstance(request, str | int):
            return
        replies.opened(request, waits=message["method"] == "tools/call")
        result = self.answer(message)
        if result is None:
            return
        self.answered.add(request)
        try:
            await channel.send({"jsonrpc": "2.0", "id": request, "result": result})
        finally:
            replies.settled(request, delivered=True)

    def answer(self, message: Message) -> Message | None:
        """The result of a request, if it needs nothing but plain data. Remembers the era."""
        method, params = message.get("method"), message.get("params") or {}
        if not isinstance(params, dict):
            return None
        modern = self._is_modern(params)
        if self._era is None:
            self._era = "modern" if modern and method != "initialize" else "opening"
        if method == "initialize" and self._era == "opening" and _is_hello(params):
            self._era = "handshake"
            return self._initialized(str(params["protocolVersion"]))
        if self._era == "handshake" and not modern:
            return self._legacy(method, params)
        if self._era == "modern" and modern:
            return self._modern(method, params)
        return None

    def _legacy(self, method: object, params: Mapping[str, object]) -> Message | None:
        if method == "tools/list" and not params.get("cursor"):
            return {"tools": self._listing.show()}
        return {} if method == "ping" else None

    def _modern(self, method: object, params: Mapping[str, object]) -> Message | None:
        if method == "tools/list" and not params.get("cursor"):
            return {**_MODERN, "tools": self._listing.show()}
        if method == "server/discover":
            return {
                **_MODERN,
                "supportedVersions": list(MODERN_VERSIONS),
                "capabilities": self._capabilities,
                "instructions": INSTRUCTIONS,
            }
        return None

    def _initialized(self, version: str) -> Message:
        known = version in HANDSHAKE_VERSIONS
        return {
            "protocolVersion": version if known else HANDSHAKE_VERSIONS[-1],
            "capabilities": self._capabilities,
            "serverInfo": _SERVER,
            "instructions": INSTRUCTIONS,
        }

    @staticmethod
    def _is_modern(params: Mapping[str, object]) -> bool:
        """Whether a request carries a whole envelope of the 2026 era."""
        meta = params.get("_meta")
        return (
            isinstance(meta, dict)
            and meta.get(f"{_PREFIX}protocolVersion") in MODERN_VERSIONS
            and isinstance(meta.get(f"{_PREFIX}clientCapabilities"), dict)
            and _is_implementation(meta.get(f"{_PREFIX}clientInfo"))
        )


def _is_hello(params: Mapping[str, object]) -> bool:
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and _is_implementation(params.get("clientInfo"))
    )


def _is_implementation(info: object) -> bool:
    return isinstance(info, dict) and all(
        isinstance(info.get(name), str) for name in ("name", "version")
    )

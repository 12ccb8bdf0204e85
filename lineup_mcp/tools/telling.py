"""`send_message` and `show_image`: to the human, without waiting."""

from __future__ import annotations

import asyncio
import base64
import binascii
import secrets
from functools import partial
from typing import TYPE_CHECKING

from lineup_mcp import results
from lineup_mcp.absence import unreachable
from lineup_mcp.errands import MaybeHeard, ask_once
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.fetch import fetch
from lineup_mcp.tools.files import checked_picture, read_picture
from lineup_mcp.tools.reading import ArgumentError, text_of, words_of
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import agent_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from lineup_mcp.relay_client import RelayClient
    from lineup_mcp.tools.call import Call
    from lineup_mcp.tools.surroundings import Surroundings

__all__ = ["Telling"]

_SOURCES = ("path", "url", "base64")
# A third more than the bytes, and the head of a data: address.
_BASE64_CHARACTERS = limits.PICTURE_BYTES * 4 // 3 + 1_000


class Telling:
    """Texts and pictures of one bridge.

    Args:
        around: the lease, and where the agent works.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lease = around.lease

    async def send_message(self, raw: Mapping[str, object], _call: Call) -> Reply:
        """Show a text.

        Raises:
            ArgumentError: there is none.
        """
        words = words_of(raw, "message", limits.QUESTION_CHARACTERS)
        if not words:
            raise ArgumentError("message", "is missing")
        text = agent_pb2.Text(
            message_id=secrets.token_urlsafe(18),
            content=words,
            agent_id=self._lease.identity.agent_id,
        )
        return await self._tell(lambda client: client.send_text(text), "text")

    async def show_image(self, raw: Mapping[str, object], _call: Call) -> Reply:
        """Show a picture.

        Raises:
            ArgumentError: there is none, or not one that can be shown.
        """
        given = [name for name in _SOURCES if raw.get(name)]
        if len(given) != 1:
            raise ArgumentError("path", "or url or base64 must be given, one of them")
        alt = text_of(raw, "alt", limits.REASON_CHARACTERS, cut=True)
        caption = text_of(raw, "caption", limits.REASON_CHARACTERS, cut=True)
        data, mime_type = await self._picture(given[0], raw)
        image = agent_pb2.Image(
            message_id=secrets.token_urlsafe(18),
            data=data,
            mime_type=mime_type,
            alt=alt,
            caption=caption,
            agent_id=self._lease.identity.agent_id,
        )
        return await self._tell(lambda client: client.send_image(image), "picture")

    async def _picture(self, source: str, raw: Mapping[str, object]) -> tuple[bytes, str]:
        if source == "path":
            named = text_of(raw, "project_directory", limits.PATH_CHARACTERS)
            path = text_of(raw, "path", limits.PATH_CHARACTERS)
            read = partial(read_picture, path, self._around.picture_roots(named), field="path")
            return await asyncio.to_thread(read)
        if source == "url":
            url = text_of(raw, "url", limits.PATH_CHARACTERS)
            data = await asyncio.to_thread(partial(fetch, url, private=self._around.private_urls))
            return checked_picture(data, field="url")
        return checked_picture(_decoded(text_of(raw, "base64", _BASE64_CHARACTERS)), field="base64")

    async def _tell(self, rpc: Callable[[RelayClient], Awaitable[None]], what: str) -> Reply:
        try:
            await ask_once(self._lease, rpc)
        except MaybeHeard:
            return Reply(results.maybe_told(what))
        except RelayUnreachable:
            sight = await asyncio.to_thread(self._around.look)
            return Reply(unreachable(sight, question=None, report=False, was_shown=False))
        except LineUpError as error:
            return Reply(results.refused(error, question="", report=False))
        return Reply(results.told(what, self._lease.devices_online))


def _decoded(text: str) -> bytes:
    """The bytes of base64, also of a data: address.

    Raises:
        ArgumentError: it is none.
    """
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise ArgumentError("base64", "is no valid base64") from None

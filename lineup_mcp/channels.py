"""Claude Code channels: the human's words go into the running session at once.

A preview of that program. It takes unasked words only over the handshake eras, so `server/discover`
is refused and it falls back to `initialize`. It confirms nothing: what is pushed stays in the
mailbox and comes again, marked, with the session's next call or hook, which confirm it.

Its questions for permission become cards; the first answer counts there, ours or the terminal's. It
does not tell when the terminal was first: then the card stays until its time is over or the session
ends, and an answer to it does nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import TYPE_CHECKING, Final

from lineup_mcp.jsonrpc import METHOD_NOT_FOUND, Malformed
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.deciding import Deciding
    from lineup_mcp.jsonrpc import Message
    from lineup_mcp.lease import Lease
    from lineup_mcp.mailbox import Item
    from lineup_mcp.stdio import StdioChannel

__all__ = ["EXPERIMENTAL", "ChannelPort", "Pushes"]

_log = logging.getLogger(__name__)

EXPERIMENTAL: Final[Mapping[str, dict[str, object]]] = {
    "claude/channel": {},
    "claude/channel/permission": {},
}
"""What the server declares under `capabilities.experimental`."""

_PUSH: Final = "notifications/claude/channel"
_ASKED: Final = f"{_PUSH}/permission_request"
_ANSWER: Final = f"{_PUSH}/permission"
_MAIL_SECONDS: Final = 2.0


class ChannelPort:
    """The connection of a session with channels, in the place of the plain one.

    Args:
        channel: the connection.
    """

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self.ready = asyncio.Event()
        """The handshake is done: words may be pushed."""
        self.asked: asyncio.Queue[Mapping[str, object]] = asyncio.Queue(limits.OPEN_PERMISSIONS)
        """Questions for permission that nobody took up yet."""

    @property
    def unread(self) -> int:
        """Messages that came in and were not received yet."""
        return self._channel.unread

    @property
    def drained(self) -> bool:
        """Nothing waits to be written."""
        return self._channel.drained

    async def send(self, message: Message) -> None:
        """Write a message; returns when the system has taken all of it.

        Raises:
            BrokenPipeError: the other side is gone.
        """
        await self._channel.send(message)

    async def receive(self) -> Message | Malformed | None:
        """The next message that is not about channels; None at the end of the input."""
        while True:
            item = await self._channel.receive()
            if item is None or isinstance(item, Malformed) or not await self._took(item):
                return item

    async def _took(self, message: Message) -> bool:
        method = message.get("method")
        if method == "server/discover" and "id" in message:
            error = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
            with contextlib.suppress(BrokenPipeError):
                await self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return True
        if method == "notifications/initialized":
            self.ready.set()
        if method != _ASKED:
            return False
        params = message.get("params")
        if isinstance(params, dict):
            # Above it the terminal alone answers.
            with contextlib.suppress(asyncio.QueueFull):
                self.asked.put_nowait(params)
        return True


class Pushes:
    """Pushes one session's mail and answers its questions for permission.

    Args:
        port: the session's connection.
        lease: running.
        deciding: has permissions decided.
        directory: the project.
    """

    def __init__(self, port: ChannelPort, lease: Lease, deciding: Deciding, directory: str) -> None:
        self._port = port
        self._lease = lease
        self._deciding = deciding
        self._directory = directory
        self._open: set[str] = set()

    async def run(self) -> None:
        """Push and answer until cancelled, or until nobody reads any more."""
        await self._port.ready.wait()
        with contextlib.suppress(BrokenPipeError):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._push_mail())
                while True:
                    params = await self._port.asked.get()
                    request_id = params.get("request_id")
                    is_new = isinstance(request_id, str) and request_id not in self._open
                    if is_new and len(self._open) < limits.OPEN_PERMISSIONS:
                        self._open.add(str(request_id))
                        tasks.create_task(self._decide(str(request_id), params))

    async def _push_mail(self) -> None:
        mailbox = self._lease.mailbox
        while True:
            rung = mailbox.rung
            if mailbox.more_at_relay:
                await self._lease.fetch_mail(within_seconds=_MAIL_SECONDS)
            for item in mailbox.push():
                await self._send(_PUSH, await asyncio.to_thread(_pushed, item))
            await rung.wait()

    async def _decide(self, request_id: str, params: Mapping[str, object]) -> None:
        from lineup_mcp.approvals import Step, Verdict

        preview = str(params.get("input_preview", ""))
        arguments = _object(preview)
        why = [str(params.get("description", "")), "" if arguments else preview]
        step = Step(
            tool=str(params.get("tool_name", "")) or "a tool",
            input=arguments,
            directory=self._directory,
            description="\n\n".join(text for text in why if text),
        )
        try:
            decision = await self._deciding.decide(
                step, timeout_seconds=limits.PERMISSION_SECONDS, only_once=True
            )
        finally:
            self._open.discard(request_id)
        if decision.verdict is Verdict.OPEN:
            _log.info("permission %s was not decided here", request_id)
            return
        behavior = "allow" if decision.verdict is Verdict.ALLOW else "deny"
        await self._send(_ANSWER, {"request_id": request_id, "behavior": behavior})

    async def _send(self, method: str, params: Mapping[str, object]) -> None:
        await self._port.send({"jsonrpc": "2.0", "method": method, "params": dict(params)})


def _pushed(item: Item) -> Mapping[str, object]:
    """An item as the program takes it. Does file I/O."""
    from lineup_mcp.attachments import attached
    from lineup_mcp.handover import of_item

    result = attached(of_item(item), pictures=False, sounds=False)
    kind, name, _ = item.key
    return {"content": result.text, "meta": {"kind": kind, f"{kind}_id": name}}


def _object(text: str) -> Mapping[str, object]:
    """The JSON object that a preview may be; empty if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

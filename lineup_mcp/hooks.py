"""What LineUp answers to the hooks of an agent program (Claude Code's, and others of that form).

`PermissionRequest` puts the step on all devices. `UserPromptSubmit`, `PostToolUse` and `Stop` hand
over what the human wrote; at a Stop that keeps the agent going, once. `Notification` is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.approvals import Decision, Step, Verdict
from lineup_mcp.attachments import attached
from lineup_mcp.deciding import Deciding
from lineup_mcp.handover import with_mail
from lineup_mcp.hook_events import MAIL_EVENTS, allow, deny
from lineup_mcp.identity import make_identity
from lineup_mcp.lease import Lease
from lineup_mcp.mailbox import Item
from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_mcp.results import Result
from lineup_mcp.sessions import noted
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import agent_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.hook_events import HookEvent
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Hooks"]

_CLIENT: Final = "claude-code"
_ATTACH_SECONDS: Final = 1.5
"""The agent program stands still meanwhile."""
_MAIL_SECONDS: Final = 3.0
_GOODBYE_SECONDS: Final = 0.3
# Its arguments are the question; allowing it would answer with nothing.
_NEVER_ALLOWED: Final = "AskUserQuestion"


class Hooks:
    """One run of a hook.

    Args:
        config: where the relay is.
        environ: the environment.
        put: writes the output; None = nothing to say. Called once, when it is decided.
        undecided: makes the output when nobody decided about a step, from the reason.
    """

    def __init__(
        self,
        config: BridgeConfig,
        *,
        environ: Mapping[str, str],
        put: Callable[[Mapping[str, object] | None], None],
        undecided: Callable[[str], Mapping[str, object] | None],
    ) -> None:
        self._config = config
        self._environ = environ
        self._put = put
        self._undecided = undecided

    async def run(self, event: HookEvent, *, within_seconds: float) -> None:
        """Answer one event. Whatever goes wrong, the agent program is not kept from going on.

        Args:
            event: what it told.
            within_seconds: how long a human has to decide.
        """
        if event.is_idle:
            self._put(None)
            return
        try:
            if event.name == "PermissionRequest":
                self._put(await self._permission(event, within_seconds))
            elif event.name in MAIL_EVENTS:
                await self._mail(event)
            else:
                if event.name == "Notification":
                    await self._notify(event)
                self._put(None)
        except (RelayUnreachable, LineUpError):
            self._put(None)

    # ---- permission -------------------------------------------------------------

    async def _permission(
        self, event: HookEvent, within_seconds: float
    ) -> Mapping[str, object] | None:
        tool, arguments = event.text("tool_name"), event.raw.get("tool_input")
        if not tool or not isinstance(arguments, dict):
            return self._undecided("The hook's input names no tool.")
        if tool == _NEVER_ALLOWED:
            return None
        step = Step(
            tool=tool,
            input=arguments,
            directory=event.text("cwd"),
            description=str(arguments.get("description", "")),
        )
        async with self._leased(event, agent_id="") as lease:
            deciding = Deciding(lease, event.session)
            decision = await deciding.decide(step, timeout_seconds=max(int(within_seconds), 1))
        return self._answer(decision)

    def _answer(self, decision: Decision) -> Mapping[str, object] | None:
        match decision.verdict:
            case Verdict.ALLOW:
                return allow(decision.edited)
            case Verdict.DENY:
                return deny(decision.message)
            case Verdict.OPEN:
                return self._undecided(decision.message)

    # ---- mail -------------------------------------------------------------------

    async def _mail(self, event: HookEvent) -> None:
        async with self._agent(event) as (client, agent_id):
            await self._hand_over(event, client, agent_id)

    async def _hand_over(self, event: HookEvent, client: RelayClient, agent_id: str) -> None:
        taken = await client.take_messages(agent_id, within_seconds=_MAIL_SECONDS)
        items = [Item(outcome=outcome) for outcome in taken.outcomes]
        items += [Item(text=text) for text in taken.texts]
        if not items:
            self._put(None)
            return
        words = with_mail(Result("LineUp: the human you work for wrote this."), items)
        shown = await asyncio.to_thread(partial(attached, words, pictures=False, sounds=False))
        if event.name == "Stop":
            self._put({"decision": "block", "reason": shown.text})
        else:
            context = {"hookEventName": event.name, "additionalContext": shown.text}
            self._put({"hookSpecificOutput": context})
        with contextlib.suppress(RelayUnreachable, LineUpError):
            await client.ack_messages(agent_id, *_ids(taken))

    # ---- notices ----------------------------------------------------------------

    async def _notify(self, event: HookEvent) -> None:
        message = event.text("message").strip()
        if not message:
            return
        title = event.text("title").strip()
        words = f"{title}: {message}" if title else message
        async with self._agent(event) as (client, agent_id):
            await client.send_text(_text(words, agent_id))

    # ---- the relay --------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _agent(self, event: HookEvent) -> AsyncIterator[tuple[RelayClient, str]]:
        """A client and the id of the session's agent: its bridge, else this hook."""
        bridge = await asyncio.to_thread(noted, event.session)
        if bridge is None:
            async with self._leased(event, agent_id=_hook_id(event)) as lease:
                loop = asyncio.get_running_loop()
                await lease.until_attached(loop.time() + _ATTACH_SECONDS)
                yield lease.client, lease.identity.agent_id
            return
        client = RelayClient(self._config)
        try:
            yield client, bridge.agent_id
        finally:
            await client.close()

    @contextlib.asynccontextmanager
    async def _leased(self, event: HookEvent, *, agent_id: str) -> AsyncIterator[Lease]:
        """A lease of this hook's own; at its end, or when it is cancelled, its cards go."""
        identity = make_identity(
            agent_name=self._config.agent or _CLIENT,
            environ=self._environ,
            directory=Path(event.text("cwd") or "/"),
        )
        identity = replace(
            identity,
            session=event.session or identity.session,
            agent_id=agent_id or identity.agent_id,
        )
        lease = Lease(identity, lambda _port: RelayClient(self._config), _no_relay)
        failed: Exception | None = None
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(lease.run())
            try:
                yield lease
            except (RelayUnreachable, LineUpError) as error:
                # Not through the group, which would wrap it.
                failed = error
            finally:
                await lease.goodbye(within_seconds=_GOODBYE_SECONDS)
                running.cancel()
        if failed is not None:
            raise failed


async def _no_relay() -> int:
    """A hook starts none: its agent program waits."""
    return 0


def _hook_id(event: HookEvent) -> str:
    """The same for all hooks of a session, so that they are one agent."""
    return "hook-" + hashlib.sha256(event.session.encode()).hexdigest()[:32]


def _text(words: str, agent_id: str) -> agent_pb2.Text:
    return agent_pb2.Text(content=words[: limits.QUESTION_CHARACTERS], agent_id=agent_id)


def _ids(taken: relay_pb2.TakeMessagesResponse) -> tuple[list[str], list[str]]:
    requests = [outcome.request_id for outcome in taken.outcomes]
    return requests, [text.message_id for text in taken.texts]

"""The tools of devices, as an agent calls them: by a name of their own, or by lineup_call_tool."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_mcp import call_words
from lineup_mcp.calls import AppCall
from lineup_mcp.hosts import HOST_ARGUMENTS
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.tools.app_definitions import CALL_TOOL, LIST_TOOLS
from lineup_mcp.tools.app_listing import listed, not_offered
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.call_arguments import CallArguments, read_call, read_list
from lineup_mcp.tools.call_messages import call_message
from lineup_mcp.tools.definitions import argument_names
from lineup_mcp.tools.reading import ArgumentError
from lineup_mcp.tools.signs import Signs
from lineup_mcp.tools.waiting import hold
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import tool_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineup_mcp.catalog_watch import CatalogWatch
    from lineup_mcp.lease import Lease
    from lineup_mcp.results import Result
    from lineup_mcp.tools.apps import AppAction
    from lineup_mcp.tools.call import Call
    from lineup_mcp.tools.listing import Listing
    from lineup_mcp.whereabouts import Sight

__all__ = ["AppTools"]

_ASK_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class _Made:
    """A call that was made, for a later one that goes on waiting for it; `arguments` shortened."""

    call_id: str
    label: str
    arguments: str
    interactive: bool
    deadline: float


class AppTools:
    """The tools that devices offer.

    Args:
        lease: running.
        listing: what devices offer.
        catalog: keeps it up to date.
        look: tells what is where the relay should be; blocks.
    """

    def __init__(
        self, lease: Lease, listing: Listing, catalog: CatalogWatch, look: Callable[[], Sight]
    ) -> None:
        self._lease = lease
        self._listing = listing
        self._catalog = catalog
        self._look = look
        self._made: dict[str, _Made] = {}
        self._waiting: dict[str, int] = {}

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Run a tool. Every other refusal is a normal result that names the next step.

        Raises:
            KeyError: no device offers such a tool or did while this process knows of it.
            ArgumentError: an argument cannot be used; nothing was run.
        """
        if name == LIST_TOOLS:
            return Reply(await self._list(read_list(arguments)))
        if name == CALL_TOOL:
            return await self._by_name(read_call(arguments), call)
        action = self._listing.known[name]
        return await self._run(action, CallArguments(arguments=_own(arguments, action)), call)

    async def _list(self, only: str) -> Result:
        if not self._listing.fresh:
            await self._ask()
        return listed(
            self._listing,
            only=only,
            devices_online=self._lease.devices_online,
            attached=self._lease.attached,
        )

    async def _by_name(self, arguments: CallArguments, call: Call) -> Reply:
        if arguments.call_id:
            return await self._go_on(arguments.call_id, call)
        found = self._find(arguments)
        if not found:
            # It may have come this very moment.
            await self._ask()
            found = self._find(arguments)
        if len(found) == 1:
            return await self._run(found[0], arguments, call)
        if found:
            raise _ambiguous(arguments.name, found)
        if arguments.application and (others := self._find(replace(arguments, application=""))):
            told = f"has no {arguments.name}; that is in {_in(others)}"
            raise ArgumentError("application", told)
        if not self._lease.attached:
            label = f"{arguments.name} {arguments.action}".rstrip()
            sight = await asyncio.to_thread(self._look)
            return Reply(
                call_words.unreachable(sight, call_id="", label=label, arguments="", sent=False)
            )
        return Reply(not_offered(self._listing, arguments.name, arguments.action))

    def _find(self, arguments: CallArguments) -> list[AppAction]:
        """The actions that are meant: of those offered now, else of those that once were."""
        listing = self._listing
        current = [listing.known[name] for name in listing.current]
        for actions in (current, list(listing.known.values())):
            if found := [action for action in actions if arguments.means(action.key)]:
                return found
        by_name = listing.known.get(arguments.name)
        return [by_name] if by_name is not None and not arguments.action else []

    async def _run(self, action: AppAction, arguments: CallArguments, call: Call) -> Reply:
        if len(self._waiting) >= limits.OPEN_REQUESTS_PER_AGENT:
            return Reply(call_words.too_many(limits.OPEN_REQUESTS_PER_AGENT))
        try:
            message = call_message(
                action,
                arguments.arguments,
                identity=self._lease.identity,
                use_id=call.use_id,
                revision=self._catalog.revision,
            )
            await self._check(action, arguments.arguments)
        except LineUpError as error:
            refused = call_words.refused(
                error, label=action.label, arguments="", interactive=action.interactive
            )
            return Reply(refused.noting(arguments.notes))
        deadline = asyncio.get_running_loop().time() + arguments.timeout_seconds
        quoted = message.arguments_json[: limits.SHORT_QUOTE_CHARACTERS]
        made = _Made(message.call_id, action.label, quoted, action.interactive, deadline)
        self._remember(made)
        reply = await self._wait(made, message, call)
        return replace(reply, result=reply.result.noting(arguments.notes))

    async def _go_on(self, call_id: str, call: Call) -> Reply:
        made = self._made.get(call_id)
        if made is None:
            # Of a process that is gone; until the relay says when it ends, the horizon of any call.
            horizon = asyncio.get_running_loop().time() + limits.TOOL_MAX_TIMEOUT_SECONDS
            made = _Made(call_id, "", "", False, horizon)
        message = tool_pb2.ToolCall(call_id=call_id, agent_id=self._lease.identity.agent_id)
        return await self._wait(made, message, call)

    async def _wait(self, made: _Made, message: tool_pb2.ToolCall, call: Call) -> Reply:
        lease, call_id = self._lease, made.call_id
        signs = Signs(call.progress)
        waiting = AppCall(message, made.deadline, signs.hear)
        self._waiting[call_id] = self._waiting.get(call_id, 0) + 1
        lease.start(partial(waiting.follow, lease))
        try:
            beat = signs.beat if call.progress is not None else None
            told = await hold(lease, waiting, replace(call, progress=beat))
        except RelayUnreachable:
            return Reply(await self._unreachable(made, waiting))
        except LineUpError as error:
            return Reply(self._refused(error, made))
        except asyncio.CancelledError:
            if waiting.sent and self._waiting[call_id] == 1:
                lease.withdraw_call(call_id)
            raise
        finally:
            waiting.release()
            self._waiting[call_id] -= 1
            if not self._waiting[call_id]:
                del self._waiting[call_id]
        if told is None:
            return Reply(self._running(made, waiting))
        ended = call_words.ended(
            told,
            label=made.label,
            arguments=made.arguments,
            interactive=made.interactive,
        )
        return Reply(ended, call_id=call_id)

    def _refused(self, error: LineUpError, made: _Made) -> Result:
        return call_words.refused(
            error,
            label=made.label,
            arguments=made.arguments,
            interactive=made.interactive,
        )

    def _running(self, made: _Made, waiting: AppCall) -> Result:
        now = asyncio.get_running_loop().time()
        return call_words.running(
            call_id=made.call_id,
            label=made.label,
            arguments=made.arguments,
            interactive=made.interactive,
            seconds_left=max(waiting.deadline - now, 0.0),
            now_unix_ms=self._lease.relay_now_ms(),
            devices_online=self._lease.devices_online,
        )

    async def _unreachable(self, made: _Made, waiting: AppCall) -> Result:
        if waiting.known and self._lease.attached:
            # The relay is there and gave it more time since it last said how it stands.
            return self._running(made, waiting)
        return call_words.unreachable(
            await asyncio.to_thread(self._look),
            call_id=made.call_id,
            label=made.label,
            arguments=made.arguments,
            sent=waiting.sent,
        )

    async def _check(self, action: AppAction, arguments: Mapping[str, object]) -> None:
        """Refuse arguments that do not fit, before anything leaves.

        Raises:
            LineUpError: INVALID_ARGUMENT naming the path.
        """
        schema_json = self._catalog.schema_of(action.key)
        if not schema_json:
            # Known from an earlier time only: the relay checks.
            return
        # The validator is imported with the first call, off the event loop.
        await asyncio.to_thread(importlib.import_module, "lineup_srv.schemas")
        from lineup_srv.schemas import Schema

        Schema(schema_json).check(arguments, "arguments")

    async def _ask(self) -> None:
        """Ask the relay for its catalog once more, if it is there; by a task of the lease."""
        asked = asyncio.Event()
        until = asyncio.get_running_loop().time() + _ASK_SECONDS

        async def ask() -> None:
            with contextlib.suppress(RelayUnreachable, LineUpError):
                await self._lease.until_attached(until)
                await self._catalog.ask()
            asked.set()

        self._lease.start(ask)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await asked.wait()

    def _remember(self, made: _Made) -> None:
        """For a later call that goes on waiting; bounded."""
        self._made[made.call_id] = made
        while len(self._made) > 2 * limits.OPEN_REQUESTS_PER_AGENT:
            self._made.pop(next(iter(self._made)))


def _own(given: Mapping[str, object], action: AppAction) -> dict[str, object]:
    """The arguments without what the agent program added on its own."""
    added = HOST_ARGUMENTS.difference(argument_names(action.schema))
    return {name: value for name, value in given.items() if name not in added}


def _ambiguous(name: str, found: list[AppAction]) -> ArgumentError:
    """What is missing to tell several actions apart."""
    if len({action.key.application for action in found}) > 1:
        return ArgumentError("application", f"is missing: {name} is in {_in(found)}")
    told = ", ".join(action.key.action for action in found)
    return ArgumentError("action", f"is missing: {name} has {told}")


def _in(actions: list[AppAction]) -> str:
    """The applications of actions."""
    return ", ".join(sorted({f'"{action.key.application}"' for action in actions}))

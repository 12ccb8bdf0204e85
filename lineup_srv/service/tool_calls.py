"""What transports may ask about tools: the catalog, calls, and what devices say of them."""

from __future__ import annotations

import math
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.contract.json_text import check, load_object
from lineup_srv.contract.tools import ToolType
from lineup_srv.domain.acks import taken
from lineup_srv.domain.call import (
    Called,
    CallPhase,
    offered_tools,
    refs_of_result,
)
from lineup_srv.domain.call_commands import (
    AckCalls,
    Announce,
    AwaitCall,
    CallTool,
    CancelCall,
    HangUpCall,
    MatchCalls,
    UpdateCall,
)
from lineup_srv.domain.decision import CallDone, CallHeld, Refused
from lineup_srv.domain.effects import Only
from lineup_srv.domain.offers import find_tool, listed_tools
from lineup_srv.service.bodies import MISSING, Intake, readable
from lineup_srv.service.call_arguments import ARGUMENTS, instance_of, is_secret
from lineup_srv.service.call_inbox import CallInbox
from lineup_srv.service.call_results import CallSaid, end_call
from lineup_srv.service.call_views import CallTold, CallWanted, CatalogView
from lineup_srv.service.ports import LogRefused, LogUnknown

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from lineup_srv.contract.ids import AgentId, CallId, ClientId, CommandId, Ref, RoomId
    from lineup_srv.contract.offers import Offer
    from lineup_srv.contract.tools import ActionDefinition
    from lineup_srv.domain.call import Call, OfferedTool, Progress
    from lineup_srv.domain.decision import Result
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.service.registry import Rooms
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["CallSaid", "CallTold", "CallWanted", "CatalogView", "ToolCalls"]

SECRET_GONE = "(The secret answer is not kept any more.)"
TRIES = 3
"""So often a call is decided again because its tool's definition changed at that moment."""


class ToolCalls:
    """Tools and calls as transports see them. Every method names its room."""

    def __init__(self, rooms: Rooms, outside: Outside) -> None:
        """Serve `rooms` through these ports."""
        self._rooms = rooms
        self._outside = outside

    # Devices -----------------------------------------------------------------------------------

    async def announce(self, room_id: RoomId, client_id: ClientId, offer: Offer, ref: Ref) -> None:
        """Take what a connected device offers, in place of what it offered before.

        The device is told by ShowRefusedTools what is not in the catalog, and why.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the room cannot be loaded; RATE_LIMITED.
        """
        runner = await self._rooms.get(room_id)
        tools = offered_tools(offer)
        announced = Announce(runner.new_command_id(), client_id, tools, offer.refused, ref)
        done = runner.submit(announced)
        runner.submit(MatchCalls(runner.new_command_id(), client_id))
        result = await done
        if isinstance(result, Refused):
            raise LineUpError(result.code, result.message)

    async def update(self, room_id: RoomId, said: CallSaid, intake: Intake) -> None:
        """Take a device's receipt, progress or result; its Ack says what became of it.

        Args:
            room_id: the room.
            said: what the device says.
            intake: the bytes behind its contents.

        Raises:
            LineUpError: INVALID_ARGUMENT, LOG_UNAVAILABLE, before anything was decided.
        """
        if said.progress is not None and not _is_finite(said.progress):
            message = "must be a finite number"
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, message, field="progress")
        runner = await self._rooms.get(room_id)
        command = UpdateCall(
            command_id=runner.new_command_id(),
            call_id=said.call_id,
            by=said.by,
            ref=said.ref,
            phase=said.phase,
            progress=said.progress,
            result=None,
            code=said.code,
            message=said.message,
            misfit="",
        )
        if said.phase in (CallPhase.SUCCEEDED, CallPhase.FAILED):
            await end_call(runner, self._outside, command, said, intake)
        elif said.phase is None and not runner.calls.progress(command):
            if said.ref:
                runner.delivery.emit_early([taken(Only(said.by.client_id), said.ref)])
        else:
            await runner.submit(command)

    # Agents ------------------------------------------------------------------------------------

    async def catalog(self, room_id: RoomId) -> CatalogView:
        """All tools of the room.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the room cannot be loaded.
        """
        runner = await self._rooms.get(room_id)
        return CatalogView(runner.room.live.catalog.revision, listed_tools(runner.room))

    @asynccontextmanager
    async def call(
        self, room_id: RoomId, wanted: CallWanted
    ) -> AsyncGenerator[AsyncIterator[CallTold]]:
        """Call an action; gives how the call stands, then all that happens, up to its end.

        Leaving the context does not end the call: the same call_id goes on waiting for it.

        Raises:
            LineUpError: UNKNOWN_TOOL, NO_APP, APP_GONE, TOOL_CHANGED, INVALID_ARGUMENT,
                ID_CONFLICT, RATE_LIMITED, TOO_LARGE, LOG_UNAVAILABLE: nothing was called.
        """
        runner = await self._rooms.get(room_id)
        holder, inbox = runner.new_command_id(), CallInbox()
        async with self._listening(runner, wanted.call_id, holder, inbox) as told:
            inbox.begin(await self._open(runner, wanted, holder))
            yield told

    @asynccontextmanager
    async def await_call(
        self, room_id: RoomId, call_id: CallId, agent: AgentIdentity
    ) -> AsyncGenerator[AsyncIterator[CallTold]]:
        """Go on waiting for a call by its id; otherwise as `call`.

        Raises:
            LineUpError: UNKNOWN_REQUEST, LOG_UNAVAILABLE.
        """
        runner = await self._rooms.get(room_id)
        holder, inbox = runner.new_command_id(), CallInbox()
        async with self._listening(runner, call_id, holder, inbox) as told:
            inbox.begin(_call_of(await runner.submit(AwaitCall(holder, call_id, agent))))
            yield told

    async def cancel(
        self, room_id: RoomId, agent_id: AgentId, call_id: CallId, reason: ErrorCode
    ) -> CallTold:
        """Withdraw a call for the agent that called; how it stands after that.

        Raises:
            LineUpError: UNKNOWN_REQUEST, LOG_UNAVAILABLE.
        """
        runner = await self._rooms.get(room_id)
        command = CancelCall(runner.new_command_id(), agent_id, call_id, reason)
        return await self._told(runner, _call_of(await runner.submit(command)), None)

    async def received(
        self, room_id: RoomId, agent_id: AgentId, call_ids: Sequence[CallId]
    ) -> None:
        """Note that the agent program has the ends of these calls; durable when it returns.

        Raises:
            LineUpError: LOG_UNAVAILABLE, RATE_LIMITED.
        """
        runner = await self._rooms.get(room_id)
        result = await runner.submit(AckCalls(runner.new_command_id(), agent_id, tuple(call_ids)))
        if isinstance(result, Refused):
            raise LineUpError(result.code, result.message)

    @asynccontextmanager
    async def _listening(
        self, runner: RoomRunner, call_id: CallId, holder: CommandId, inbox: CallInbox
    ) -> AsyncGenerator[AsyncIterator[CallTold]]:
        """Hear of the call that `holder` opens, from before it is decided."""
        runner.calls.inboxes[holder] = inbox
        try:
            async with aclosing(self._tell(runner, inbox)) as told:
                yield told
        finally:
            del runner.calls.inboxes[holder]
            runner.submit(HangUpCall(runner.new_command_id(), call_id, holder))

    async def _tell(self, runner: RoomRunner, inbox: CallInbox) -> AsyncGenerator[CallTold]:
        ended = False
        while not ended:
            told = await inbox.next()
            ended = not told.call.live
            yield await self._told(runner, told.call, told.progress)

    async def _told(self, runner: RoomRunner, call: Call, progress: Progress | None) -> CallTold:
        """The call with all that its end carries; what was lost is said in words."""
        result, secret = call.result, ""
        if result is None:
            return CallTold(call, progress, {}, "")
        bodies = await self._outside.bodies.gather(runner.room_id, refs_of_result(result))
        message = call.message
        if result.json is not None and bodies.get(result.json.sha256) == MISSING:
            result, message = replace(result, json=None), MISSING.decode()
        if result.secret_id:
            try:
                secret = await self._outside.secrets.read(runner.room_id, result.secret_id) or ""
            except LogRefused as error:
                raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
            message = message or ("" if secret else SECRET_GONE)
        result = replace(result, contents=readable(result.contents, bodies))
        return CallTold(replace(call, result=result, message=message), progress, bodies, secret)

    async def _open(self, runner: RoomRunner, wanted: CallWanted, holder: CommandId) -> Call:
        arguments = load_object(wanted.arguments_json, ARGUMENTS, most_bytes=limits.ARGUMENTS_BYTES)
        check(arguments, ARGUMENTS, limits.JSON_DEPTH)
        intake = Intake()
        text = intake.text(wanted.arguments_json, mime="application/json")
        try:
            await self._outside.bodies.keep(runner.room_id, intake)
        except (LogRefused, LogUnknown) as error:
            raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
        result: Result | None = None
        for _ in range(TRIES):
            action, tool_type = await self._action(runner, wanted)
            one = tool_type is ToolType.ACTION
            called = Called(
                tool=wanted.tool,
                action=action.name if one else wanted.action,
                arguments=text,
                instance_id=instance_of(arguments),
                secret=is_secret(arguments, action),
            )
            schema_json = action.input_schema_json
            command = CallTool(
                command_id=holder,
                call_id=wanted.call_id,
                called=called,
                agent=wanted.agent,
                agent_name=wanted.agent_name,
                schema_json=schema_json,
                misfit=self._outside.schemas.misfit(schema_json, arguments, ARGUMENTS),
                timeout_ms=wanted.timeout_ms,
            )
            result = await runner.submit(command)
            if not (isinstance(result, Refused) and result.code is ErrorCode.TOOL_CHANGED):
                break
        return _call_of(result)

    async def _action(
        self, runner: RoomRunner, wanted: CallWanted
    ) -> tuple[ActionDefinition, ToolType]:
        """What is called: as it was when this call_id was called first, or as it is now."""
        known = runner.room.logged.calls.find(wanted.call_id)
        if known is not None:
            return known.action, known.tool_type
        definition = (await self._tool(runner, wanted)).definition
        action = definition.operation(wanted.action)
        if action is None:
            raise _error(ErrorCode.UNKNOWN_TOOL)
        return action, definition.type

    async def _tool(self, runner: RoomRunner, wanted: CallWanted) -> OfferedTool:
        """The tool; one that the caller may have seen in another catalog has time to come back.

        So it is after a start: bridges know their tools from the disk, and call them before the
        devices that offer them have returned.
        """
        clock, calls = self._outside.clock, runner.calls
        seconds = limits.CALL_APP_SECONDS
        until = clock.unix_ms() + min(seconds * 1000, wanted.timeout_ms)
        timer = clock.call_at(until, calls.wake)
        try:
            while True:
                changed = calls.catalog_signal
                tool = find_tool(runner.room, wanted.tool)
                if tool is not None:
                    return tool
                if wanted.catalog_revision in (0, runner.room.live.catalog.revision):
                    raise _error(ErrorCode.UNKNOWN_TOOL)
                if clock.unix_ms() >= until:
                    raise _error(ErrorCode.NO_APP)
                await changed.wait()
        finally:
            timer.cancel()


def _is_finite(progress: Progress) -> bool:
    return math.isfinite(progress.progress) and math.isfinite(progress.total)


def _call_of(result: Result | None) -> Call:
    if isinstance(result, CallHeld | CallDone):
        return result.call
    assert isinstance(result, Refused), f"unexpected {type(result).__name__}"
    raise LineUpError(result.code, result.message)


def _error(code: ErrorCode) -> LineUpError:
    return LineUpError(code, ERRORS[code].meaning)

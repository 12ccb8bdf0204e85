"""The tool calls of an agent that speaks in JSON envelopes (wire §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CallId
from lineup_srv.transports.mapping.envelope_tools import (
    catalog_payload,
    told_payload,
    unmade_call,
    wanted_from,
)
from lineup_srv.transports.mapping.envelopes import contents_for

if TYPE_CHECKING:
    import asyncio

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.service.tool_calls import CallTold
    from lineup_srv.transports.envelope_line import EnvelopeLine
    from lineup_srv.wire.envelope import messages as m

__all__ = ["EnvelopeCalls"]


class EnvelopeCalls:
    """Each call is followed by a task of its own, until its result is written.

    Whatever becomes of a call, its agent gets one `tool.result`. A call that is sent again is
    followed anew and runs nothing.
    """

    def __init__(self, line: EnvelopeLine, room_id: RoomId, group: asyncio.TaskGroup) -> None:
        """Tell on `line`; tasks run in `group`."""
        self._line = line
        self._room_id = room_id
        self._group = group
        self._followed: dict[str, asyncio.Task[None]] = {}
        self._revision = 0

    async def list_tools(self, envelope_id: str) -> None:
        """Answer the question what there is."""
        view = await self._line.parts.relay.tools.catalog(self._room_id)
        self._revision = view.revision
        self._line.write(catalog_payload(view, envelope_id))

    def call(
        self, payload: m.ToolCall | m.MiniAppToolCall, agent: AgentIdentity, name: str
    ) -> None:
        """Call an action, or go on waiting for the call with this id."""
        before = self._followed.pop(payload.call_id, None)
        if before is not None:
            before.cancel()
        elif len(self._followed) >= limits.OPEN_CALLS_PER_AGENT:
            message = f"an agent waits for at most {limits.OPEN_CALLS_PER_AGENT} calls"
            error = LineUpError(ErrorCode.RATE_LIMITED, message, field="payload.call_id")
            self._line.write(unmade_call(payload, error))
            return
        self._followed[payload.call_id] = self._group.create_task(
            self._follow(payload, agent, name)
        )

    async def cancel(self, payload: m.ToolCancel, agent: AgentIdentity) -> None:
        """Withdraw a call; who follows it hears of its end.

        Raises:
            LineUpError: there is no such call.
        """
        tools, call_id = self._line.parts.relay.tools, CallId(payload.call_id)
        await tools.cancel(self._room_id, agent.agent_id, call_id, ErrorCode.CANCELLED)

    def end(self) -> None:
        """Nobody is told any more; the calls go on."""
        for task in self._followed.values():
            task.cancel()

    async def _follow(
        self, payload: m.ToolCall | m.MiniAppToolCall, agent: AgentIdentity, name: str
    ) -> None:
        tools = self._line.parts.relay.tools
        wanted = wanted_from(payload, agent, name, self._revision)
        try:
            async with tools.call(self._room_id, wanted) as updates:
                async for told in updates:
                    if not await self._written(told):
                        return
            await tools.received(self._room_id, agent.agent_id, [wanted.call_id])
        except LineUpError as error:
            self._line.write(unmade_call(payload, error))
        self._followed.pop(payload.call_id, None)

    async def _written(self, told: CallTold) -> bool:
        result, parts = told.call.result, self._line.parts
        contents = contents_for(
            () if result is None else result.contents,
            told.bodies,
            parts.devices.links_of(self._room_id),
        )
        payload = told_payload(told, contents)
        if payload is None:
            return True
        self._line.write(payload)
        return await self._line.connection.flushed()

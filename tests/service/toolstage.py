"""A stage with tools: devices that announce, and agents that call, as transports do it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CallId, Ref
from lineup_srv.contract.offers import Offer, Refusal
from lineup_srv.domain.call import CallPhase, Progress
from lineup_srv.domain.call_effects import ShowCall
from lineup_srv.service.bodies import Intake
from lineup_srv.service.call_results import CallSaid
from lineup_srv.service.call_views import CallWanted
from tests.domain.playbook import ADA, PHONE
from tests.domain.toolbook import CALL_MS, CANVAS, CHOICE, LIGHT, MAIL, key, of_type_action
from tests.service.memory import PATIENCE
from tests.service.stage import ROOM, Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lineup_srv.contract.tools import ToolDefinition
    from lineup_srv.domain.call import OfferedTool
    from lineup_srv.domain.contents import Content
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.service.call_views import CallTold

REF: Final = "ref-service-00000"
DONE: Final = '{"message":"done"}'
LONG: Final = '{"text":"' + "x" * 5_000 + '"}'
ASK: Final = of_type_action(
    "input",
    schema='{"type":"object","properties":{"secret":{"type":"boolean"}}}',
)


async def offers(
    stage: Stage, who: Author, *tools: OfferedTool, ref: str = "", refused: tuple[Refusal, ...] = ()
) -> None:
    """A device that is here announces."""
    definitions: tuple[ToolDefinition, ...] = tuple(tool.definition for tool in tools)
    offer = Offer(tools=definitions, refused=refused)
    await stage.relay.tools.announce(ROOM, who.client_id, offer, Ref(ref))
    await stage.settled()


def wanted(
    call_id: str,
    tool: str,
    action: str = "",
    *,
    arguments: str = "{}",
    by: AgentIdentity = ADA,
    timeout_ms: int = CALL_MS,
    revision: int = 0,
) -> CallWanted:
    return CallWanted(
        call_id=CallId(call_id),
        tool=key(tool),
        action=action,
        arguments_json=arguments,
        agent=by,
        agent_name="Ada",
        timeout_ms=timeout_ms,
        catalog_revision=revision,
    )


class Caller:
    """An agent's stream of one call; `next` gives what it hears."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._open = AsyncExitStack()
        self._told: AsyncIterator[CallTold] | None = None

    async def call(self, want: CallWanted) -> Caller:
        async with asyncio.timeout(PATIENCE):
            stream = self._stage.relay.tools.call(ROOM, want)
            self._told = await self._open.enter_async_context(stream)
        return self

    async def go_on(self, call_id: str, by: AgentIdentity = ADA) -> Caller:
        async with asyncio.timeout(PATIENCE):
            stream = self._stage.relay.tools.await_call(ROOM, CallId(call_id), by)
            self._told = await self._open.enter_async_context(stream)
        return self

    async def next(self) -> CallTold:
        assert self._told is not None
        async with asyncio.timeout(PATIENCE):
            return await anext(self._told)

    async def rest(self) -> list[CallTold]:
        """All that is still to come, to the end of the stream."""
        assert self._told is not None
        async with asyncio.timeout(PATIENCE):
            return [told async for told in self._told]

    async def hang_up(self) -> None:
        await self._open.aclose()
        await self._stage.settled()


async def said(
    stage: Stage,
    call_id: str,
    phase: CallPhase | None,
    *,
    by: Author = PHONE,
    ref: str = "",
    result: str = "",
    contents: tuple[Content, ...] = (),
    progress: float | None = None,
    code: ErrorCode = ErrorCode.UNSPECIFIED,
    message: str = "",
    intake: Intake | None = None,
) -> None:
    """What a device says of a call."""
    told = CallSaid(
        call_id=CallId(call_id),
        by=by,
        ref=Ref(ref),
        phase=phase,
        progress=None if progress is None else Progress(progress, 10, ""),
        result_json=result,
        contents=contents,
        code=code,
        message=message,
    )
    async with asyncio.timeout(PATIENCE):
        await stage.relay.tools.update(ROOM, told, intake or Intake())
    await stage.settled()


def shown(stage: Stage, who: Author = PHONE) -> list[str]:
    """The calls that a device was given."""
    return [m.call.call_id for m in stage.told(who) if isinstance(m, ShowCall)]


async def here(stage: Stage, *tools: OfferedTool) -> None:
    """The phone is here and offers these tools."""
    await stage.join()
    await offers(stage, PHONE, *(tools or (MAIL, LIGHT, CHOICE, CANVAS, ASK)))
    stage.devices.sent.clear()


async def refused(stage: Stage, **changes: Any) -> LineUpError:
    """A call that is not made; `changes` of one that is."""
    with pytest.raises(LineUpError) as caught:
        await Caller(stage).call(replace(wanted("call", "mail", "send"), **changes))
    return caught.value

"""`ask_question` and `work_report`: from arguments to a card, and from its end to a result."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from lineup_mcp import results
from lineup_mcp.absence import unreachable
from lineup_mcp.endings import ended, has_answer
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.requests import question_request, report_request
from lineup_mcp.tools.arguments import read_ask, read_report
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.files import read_pictures
from lineup_mcp.tools.waiting import hold
from lineup_mcp.waits import Wait
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import request_pb2

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lineup_mcp.identity import Identity
    from lineup_mcp.tools.arguments import Common
    from lineup_mcp.tools.call import Call
    from lineup_mcp.tools.surroundings import Surroundings
    from lineup_srv.wire._gen.lineup.v1 import content_pb2, relay_pb2

__all__ = ["Asking"]


class _Make(Protocol):
    """Makes the message that opens a card."""

    def __call__(
        self,
        pictures: Sequence[content_pb2.McpResultContent],
        *,
        request_id: str,
        directory: str,
        timeout_seconds: int,
        identity: Identity,
    ) -> relay_pb2.OpenRequestRequest: ...


@dataclass(frozen=True, slots=True)
class _Card:
    """What a call shows or waits for; `wait` lets a later call go on with it. `bytes`: of its
    pictures. `foreign`: another process asked.
    """

    question: str
    report: bool
    common: Common
    wait: Wait
    bytes: int
    foreign: bool = False


class Asking:
    """`ask_question` and `work_report` of one bridge.

    Args:
        around: the lease, and where the agent works.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lease = around.lease
        self._timeouts_in_a_row = 0
        self._asked: dict[str, _Card] = {}

    async def ask(self, raw: Mapping[str, object], call: Call) -> Reply:
        """Ask, or go on waiting for an earlier question.

        Raises:
            ArgumentError: an argument cannot be used; nothing was shown.
        """
        arguments = read_ask(raw)
        if arguments.question_id:
            return await self._go_on(arguments.question_id, arguments.common, call)
        question = "; ".join(one.question for one in arguments.questions)
        make = partial(question_request, arguments)
        return await self._open(make, arguments.common, call, question=question, report=False)

    async def report(self, raw: Mapping[str, object], call: Call) -> Reply:
        """Report.

        Raises:
            ArgumentError: an argument cannot be used; nothing was shown.
        """
        arguments = read_report(raw)
        return await self._open(
            partial(report_request, arguments),
            arguments.common,
            call,
            question=arguments.summary,
            report=True,
            held=arguments.wait,
        )

    async def _open(
        self,
        make: _Make,
        common: Common,
        call: Call,
        *,
        question: str,
        report: bool,
        held: bool = True,
    ) -> Reply:
        """Show a card, and wait for its end if it is to be `held`."""
        if self._lease.waiting_count >= limits.OPEN_REQUESTS_PER_AGENT:
            # A flood.
            return Reply(results.too_many(limits.OPEN_REQUESTS_PER_AGENT))
        request_id = secrets.token_urlsafe(18)
        directory = self._around.project(common.project_directory)
        pictures = await self._pictures(common)

        def opening(seconds: int) -> relay_pb2.OpenRequestRequest:
            return make(
                pictures,
                request_id=request_id,
                directory=directory,
                timeout_seconds=seconds,
                identity=self._lease.identity,
            )

        deadline = asyncio.get_running_loop().time() + common.timeout_seconds
        wait = Wait(request_id, opening, deadline, held=held)
        size = sum(picture.ByteSize() for picture in pictures)
        return await self._wait(_Card(question, report, common, wait, size), call)

    async def _go_on(self, question_id: str, common: Common, call: Call) -> Reply:
        """Wait again for a card that is open, or hand over its end."""
        first = self._asked.get(question_id)
        if first is not None:
            # The relay knows the id, or opens the same card again.
            wait = Wait(question_id, first.wait.opening, first.wait.deadline)
            own = common if common.abort else first.common
            card = replace(first, common=own, wait=wait)
        else:
            # The relay says when it ends; until it does, the horizon of any request.
            horizon = asyncio.get_running_loop().time() + limits.DEADLINE_HORIZON_SECONDS
            card = _Card("", False, common, Wait(question_id, None, horizon), 0, foreign=True)
        kept = self._lease.mailbox.find(question_id)
        if kept is not None:
            return self._ended(kept, card)
        return await self._wait(card, call)

    async def _wait(self, card: _Card, call: Call) -> Reply:
        lease, wait = self._lease, card.wait
        self._remember(wait.request_id, card)
        lease.begin(wait)
        try:
            if not wait.held:
                return await self._shown(card)
            outcome = await hold(lease, wait, call)
        except RelayUnreachable:
            return await self._unreachable(card)
        except LineUpError as error:
            refused = results.refused(error, question=card.question, report=card.report)
            return Reply(refused.noting(card.common.notes))
        except asyncio.CancelledError:
            lease.withdraw(wait)
            raise
        finally:
            lease.end(wait)
        return self._still_open(card) if outcome is None else self._ended(outcome, card)

    async def _unreachable(self, card: _Card) -> Reply:
        try:
            sight = await asyncio.to_thread(self._around.look)
        except asyncio.CancelledError:
            self._lease.withdraw(card.wait)
            raise
        gone = unreachable(
            sight, question=card.question, report=card.report, was_shown=card.wait.sent
        )
        return Reply(gone.noting(card.common.notes))

    async def _shown(self, card: _Card) -> Reply:
        """A report that nobody waits for: until the relay has it."""
        wait = card.wait
        await wait.opened.wait()
        if wait.outcome.done():
            return self._ended(wait.outcome.result(), card)
        return Reply(
            results.reported(
                request_id=wait.request_id,
                summary=card.question,
                devices_online=self._lease.devices_online,
            ).noting(card.common.notes)
        )

    def _ended(self, outcome: relay_pb2.Outcome, card: _Card) -> Reply:
        self._asked.pop(outcome.alias or outcome.request_id, None)
        if has_answer(outcome):
            self._timeouts_in_a_row = 0
        elif outcome.state == request_pb2.REQUEST_STATE_EXPIRED:
            self._timeouts_in_a_row += 1
        result = ended(
            outcome,
            question=card.question,
            abort=card.common.abort,
            timeouts_in_a_row=self._timeouts_in_a_row,
            timeout_seconds=card.common.timeout_seconds,
        )
        return Reply(result.noting(_notes(card, outcome)), outcome)

    def _still_open(self, card: _Card) -> Reply:
        wait, latest = card.wait, card.wait.latest
        now = asyncio.get_running_loop().time()
        return Reply(
            results.still_open(
                request_id=wait.request_id,
                question=latest.question if latest and latest.question else card.question,
                report=latest.report if latest else card.report,
                seconds_left=wait.seconds_left(now),
                now_unix_ms=self._lease.relay_now_ms(),
                devices_online=self._lease.devices_online,
            ).noting(_notes(card, latest))
        )

    def _remember(self, request_id: str, card: _Card) -> None:
        """For a later call that goes on waiting; bounded. Without it, the relay has to know."""
        asked = self._asked
        asked[request_id] = card
        while len(asked) > 2 * limits.OPEN_REQUESTS_PER_AGENT or _too_large(asked.values()):
            asked.pop(next(iter(asked)))

    async def _pictures(self, common: Common) -> Sequence[content_pb2.McpResultContent]:
        """The pictures to show with a card.

        Raises:
            ArgumentError: one cannot be shown.
        """
        if not common.images:
            return ()
        allowed = self._around.picture_roots(common.project_directory)
        return await asyncio.to_thread(read_pictures, common.images, allowed)


def _notes(card: _Card, outcome: relay_pb2.Outcome | None) -> Sequence[str]:
    """Remarks on the arguments, and whose question it is."""
    if not card.foreign:
        return card.common.notes
    where = f", in {outcome.project_directory}" if outcome and outcome.project_directory else ""
    asked = f"this was asked by another agent, or by an earlier process of yours{where}."
    return (*card.common.notes, asked)


def _too_large(cards: Collection[_Card]) -> bool:
    """Whether the pictures of several cards are more than is remembered."""
    return len(cards) > 1 and sum(one.bytes for one in cards) > limits.RESUMABLE_PICTURES_BYTES

"""Has a human decide about a step: by a standing permission, else by a card on all devices."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import TYPE_CHECKING

from lineup_mcp import standing
from lineup_mcp.approvals import Decision, Verdict, decision_of
from lineup_mcp.errands import ask_once
from lineup_mcp.phrases import local_time
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.requests import approval_request
from lineup_mcp.tools.call import Call
from lineup_mcp.tools.waiting import hold
from lineup_mcp.waits import Wait
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import agent_pb2

if TYPE_CHECKING:
    from lineup_mcp.approvals import Step
    from lineup_mcp.lease import Lease
    from lineup_mcp.standing import Standing
    from lineup_mcp.tools.waiting import Progress
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Deciding"]


class Deciding:
    """The permissions of one session.

    Args:
        lease: running.
        session: the agent program's session id; empty: of this process.
    """

    def __init__(self, lease: Lease, session: str) -> None:
        self._lease = lease
        self._session = session or lease.identity.agent_id

    async def decide(
        self,
        step: Step,
        *,
        timeout_seconds: int,
        use_id: str = "",
        only_once: bool = False,
        progress: Progress | None = None,
    ) -> Decision:
        """Have it decided. A cancel withdraws the card.

        Args:
            step: what is to be done.
            timeout_seconds: how long a human has.
            use_id: the agent program's own id of the call: the same card when it asks again.
            only_once: what is known of it, or the answer that can be given, is too little to change
                it or to allow it for the session.
            progress: gives signs of life.
        """
        try:
            if not only_once and (found := await self._standing(step)) is not None:
                return found
            card = self._card(step, timeout_seconds, use_id, only_once)
            decision = decision_of(await self._ask(card, progress))
        except RelayUnreachable as error:
            return Decision(Verdict.OPEN, f"relay_unreachable: {error}.")
        except LineUpError as error:
            return Decision(Verdict.OPEN, f"{error.code.value}: {error.message}.")
        if decision.for_session:
            await asyncio.to_thread(
                standing.give, self._session, step.tool, step.scope, decision.by
            )
        return decision

    async def _ask(self, wait: Wait, progress: Progress | None) -> relay_pb2.Outcome:
        """Show the card and wait for its end.

        Raises:
            RelayUnreachable: the relay was away when the time was over.
            LineUpError: the relay refuses.
        """
        lease = self._lease
        call = Call(
            slice_seconds=None, heartbeat_seconds=limits.HEARTBEAT_SECONDS, progress=progress
        )
        lease.begin(wait)
        try:
            outcome = await hold(lease, wait, call)
        except asyncio.CancelledError:
            lease.withdraw(wait)
            raise
        finally:
            lease.end(wait)
        if outcome is None:
            msg = "the wait ended without an outcome"
            raise RelayUnreachable(msg)
        # A decision is not mail: what it was about is over when it comes again.
        lease.mailbox.hand_over(outcome)
        lease.delivered()
        return outcome

    def _card(self, step: Step, timeout_seconds: int, use_id: str, only_once: bool) -> Wait:
        request_id = self._request_id(use_id)

        def opening(seconds: int) -> relay_pb2.OpenRequestRequest:
            return approval_request(
                step.question(),
                step.shown(only_once=only_once),
                request_id=request_id,
                timeout_seconds=seconds,
                identity=self._lease.identity,
            )

        return Wait(request_id, opening, asyncio.get_running_loop().time() + timeout_seconds)

    async def _standing(self, step: Step) -> Decision | None:
        """The standing permission, once the human can see that it is used."""
        found = await asyncio.to_thread(standing.find, self._session, step.tool, step.scope)
        if found is None:
            return None
        text = agent_pb2.Text(
            message_id=secrets.token_urlsafe(18),
            content=_use_of(found),
            agent_id=self._lease.identity.agent_id,
        )
        await ask_once(self._lease, lambda client: client.send_text(text))
        return Decision(Verdict.ALLOW, f"Allowed for this session by {found.by}.", by=found.by)

    def _request_id(self, use_id: str) -> str:
        if not use_id:
            return secrets.token_urlsafe(18)
        return hashlib.sha256(f"{self._session} {use_id}".encode()).hexdigest()[
            : limits.REF_MAX_CHARACTERS
        ]


def _use_of(found: Standing) -> str:
    scope = found.scope[: limits.QUOTED_CHARACTERS]
    indented = "\n".join(f"    {line}" for line in scope.splitlines())
    return (
        f"Done by a standing permission of {found.by} ({local_time(found.given_unix_ms)}), "
        f"{found.tool}:\n\n{indented}\n\n"
        f"To take it back: `lineup-mcp permissions revoke {found.id}`"
    )

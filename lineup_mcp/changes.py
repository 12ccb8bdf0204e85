"""What the relay has to be told of: cancels, the waiting list, confirmations. Each until it is
heard, in an order that never lets a later one overtake an earlier one.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from lineup_mcp.mailbox import Mailbox
    from lineup_mcp.relay_client import RelayClient
    from lineup_mcp.waits import Waits

__all__ = ["Changes"]

_log = logging.getLogger(__name__)


class Changes:
    """The changes of one agent that the relay may not know yet.

    Args:
        agent_id: whose.
        waits: the calls that wait.
        mailbox: knows what has left and is unconfirmed.
    """

    def __init__(self, agent_id: str, waits: Waits, mailbox: Mailbox) -> None:
        self._agent_id = agent_id
        self._waits = waits
        self._mailbox = mailbox
        self._cancels: dict[str, None] = {}
        self._call_cancels: dict[str, None] = {}
        self._calls_received: dict[str, None] = {}
        self._list_changed = False
        self._wake = asyncio.Event()

    def cancelled(self, request_id: str) -> None:
        """The host cancelled the call of a request that the relay may have shown."""
        self._cancels[request_id] = None
        self._wake.set()

    def call_cancelled(self, call_id: str) -> None:
        """The host cancelled a call of a tool that a device may have."""
        self._call_cancels[call_id] = None
        self._wake.set()

    def call_received(self, call_id: str) -> None:
        """The end of a call of a tool has left with a result."""
        self._calls_received[call_id] = None
        while len(self._calls_received) > limits.UNCONFIRMED_CALLS:
            self._calls_received.pop(next(iter(self._calls_received)))
        self._wake.set()

    def list_changed(self) -> None:
        """A call began or ceased to wait."""
        self._list_changed = True
        self._wake.set()

    def list_sent(self) -> None:
        """An Attach carries the list."""
        self._list_changed = False

    def press(self) -> None:
        """Something may be unsent: after an Attach, after a result has left."""
        self._wake.set()

    async def wait(self) -> None:
        """Until something may be unsent."""
        await self._wake.wait()
        self._wake.clear()

    async def send(self, client: RelayClient) -> None:
        """Send what is unsent.

        Raises:
            RelayUnreachable: the rest stays unsent.
            LineUpError: the relay refuses.
        """
        while self._cancels:
            request_id = next(iter(self._cancels))
            try:
                await client.cancel_request(self._agent_id, request_id)
            except LineUpError as error:
                _log.debug("cancel of %s refused: %s", request_id, error.code.value)
            self._cancels.pop(request_id, None)
        while self._call_cancels:
            call_id = next(iter(self._call_cancels))
            try:
                await client.cancel_call(self._agent_id, call_id)
            except LineUpError as error:
                _log.debug("cancel of call %s refused: %s", call_id, error.code.value)
            self._call_cancels.pop(call_id, None)
        if call_ids := list(self._calls_received):
            await client.ack_calls(self._agent_id, call_ids)
            for call_id in call_ids:
                self._calls_received.pop(call_id, None)
        # Confirmed first: an answer that nobody waits for and that is not received is mail.
        requests, texts = self._mailbox.unconfirmed()
        if requests or texts:
            await client.ack_messages(self._agent_id, requests, texts)
            self._mailbox.confirmed(requests, texts)
        if self._list_changed:
            self._list_changed = False
            await client.set_waiting(self._agent_id, self._waits.ids())

"""The tools that need no device to offer them, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_mcp.deciding import Deciding
from lineup_mcp.hosts import session_id
from lineup_mcp.tools.asking import Asking
from lineup_mcp.tools.call import Call, Reply
from lineup_mcp.tools.definitions import (
    ASK_QUESTION,
    CHECK_MESSAGES,
    PERMISSION_PROMPT,
    SEND_MESSAGE,
    SHOW_IMAGE,
    WORK_REPORT,
)
from lineup_mcp.tools.messages import Messages
from lineup_mcp.tools.permission import Permission
from lineup_mcp.tools.telling import Telling

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from lineup_mcp.tools.surroundings import Surroundings

    Tool = Callable[[Mapping[str, object], Call], Awaitable[Reply]]

__all__ = ["BuiltinTools", "Call", "Reply"]


class BuiltinTools:
    """The built-in tools of one bridge.

    Args:
        around: the lease, and where the agent works.
    """

    def __init__(self, around: Surroundings) -> None:
        asking, telling = Asking(around), Telling(around)
        deciding = Deciding(around.lease, session_id(around.environ))
        permission = Permission(deciding, around.project())
        self._tools: dict[str, Tool] = {
            ASK_QUESTION: asking.ask,
            WORK_REPORT: asking.report,
            SEND_MESSAGE: telling.send_message,
            SHOW_IMAGE: telling.show_image,
            CHECK_MESSAGES: Messages(around).check,
            PERMISSION_PROMPT: permission.prompt,
        }

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Run a tool. Every other refusal is a normal result that names the next step.

        Raises:
            KeyError: there is no such tool.
            ArgumentError: an argument cannot be used; nothing was shown.
        """
        return await self._tools[name](arguments, call)

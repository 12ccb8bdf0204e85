"""The tools that need no device to offer them, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_mcp.deciding import Deciding
from lineup_mcp.hosts import session_id
from lineup_mcp.identity import project_directory
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
    from pathlib import Path

    from lineup_mcp.lease import Lease
    from lineup_mcp.whereabouts import Sight

    Tool = Callable[[Mapping[str, object], Call], Awaitable[Reply]]

__all__ = ["BuiltinTools", "Call", "Reply"]


class BuiltinTools:
    """The built-in tools of one bridge.

    Args:
        lease: running.
        look: tells what is where the relay should be; blocks.
        environ: the environment, for the project directory.
        working_directory: likewise.
        private_urls: pictures may be fetched from private networks.
    """

    def __init__(
        self,
        lease: Lease,
        look: Callable[[], Sight],
        *,
        environ: Mapping[str, str],
        working_directory: Path,
        private_urls: bool,
    ) -> None:
        asking = Asking(lease, look, environ=environ, working_directory=working_directory)
        telling = Telling(
            lease,
            look,
            environ=environ,
            working_directory=working_directory,
            private_urls=private_urls,
        )
        directory = project_directory("", environ=environ, working_directory=working_directory)
        permission = Permission(Deciding(lease, session_id(environ)), directory)
        self._tools: dict[str, Tool] = {
            ASK_QUESTION: asking.ask,
            WORK_REPORT: asking.report,
            SEND_MESSAGE: telling.send_message,
            SHOW_IMAGE: telling.show_image,
            CHECK_MESSAGES: Messages(lease, look).check,
            PERMISSION_PROMPT: permission.prompt,
        }

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Run a tool. Every other refusal is a normal result that names the next step.

        Raises:
            KeyError: there is no such tool.
            ArgumentError: an argument cannot be used; nothing was shown.
        """
        return await self._tools[name](arguments, call)

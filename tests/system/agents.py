"""Agents: the MCP SDK's client on stdio, with a real bridge process at the other end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

from tests.system.processes import PATIENCE_SECONDS, Pid, own_home, program

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from mcp.client.client import ConnectMode
    from mcp_types import CallToolResult

__all__ = ["Agent", "Call", "agent"]

# The SDK keeps the process to itself: the shell leaves its number behind and becomes the bridge.
_LEAVE_NUMBER = 'echo $$ > "$0" && exec "$@"'


class Call:
    """A tool call that is under way.

    Args:
        task: makes the call.
        done: gets its result.
    """

    def __init__(self, task: asyncio.Task[None], done: asyncio.Future[CallToolResult]) -> None:
        self._task = task
        self._done = done

    @property
    def running(self) -> bool:
        """It has no result yet."""
        return not self._done.done()

    async def result(self) -> CallToolResult:
        """Its result.

        Raises:
            MCPError: the bridge is gone.
        """
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await asyncio.shield(self._done)

    async def text(self) -> str:
        """The text of its result, which is no error."""
        result = await self.result()
        assert not result.is_error
        return "\n".join(block.text for block in result.content if block.type == "text")

    async def cancel(self) -> None:
        """The agent program gives up: the SDK sends notifications/cancelled."""
        self._task.cancel()
        await asyncio.wait([self._task])


class Agent:
    """An agent program with its bridge.

    Args:
        client: connected.
        process: the bridge.
        tasks: own the calls.
    """

    def __init__(self, client: Client, process: Pid, tasks: asyncio.TaskGroup) -> None:
        self.client = client
        self.process = process
        self._tasks = tasks
        self._calls: list[asyncio.Task[None]] = []

    def call(self, tool: str, **arguments: object) -> Call:
        """Begin a tool call."""
        done: asyncio.Future[CallToolResult] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                done.set_result(await self.client.call_tool(tool, arguments))
            except MCPError as error:
                done.set_exception(error)
                done.exception()  # nobody has to ask for it

        task = self._tasks.create_task(run())
        self._calls.append(task)
        return Call(task, done)

    def ask(self, question: str, **arguments: object) -> Call:
        """Begin to ask a question."""
        return self.call("ask_question", question=question, **arguments)

    def report(self, summary: str, **arguments: object) -> Call:
        """Begin to report."""
        return self.call("work_report", summary=summary, **arguments)

    def give_up(self) -> None:
        """Cancel what is still under way."""
        for task in self._calls:
            task.cancel()

    async def kill(self) -> None:
        """SIGKILL the bridge; returns when it is gone."""
        self.process.send(signal.SIGKILL)
        await self.process.gone()


@asynccontextmanager
async def agent(
    http: int,
    grpc: int,
    token: str,
    home: Path,
    *,
    name: str = "claude-code",
    mode: ConnectMode = "legacy",
    session: str = "",
    limits: Mapping[str, int] | None = None,
    arguments: tuple[str, ...] = ("--no-autostart",),
) -> AsyncIterator[Agent]:
    """An agent program whose bridge has answered; both are gone at the end.

    Args:
        http: the relay's HTTP port.
        grpc: its gRPC port.
        token: the room's.
        home: of the bridge; its project directory is below.
        name: what the program calls itself; claude-code waits in one slice.
        mode: which protocol era it opens with.
        session: the program's own session id; empty if it gives none.
        limits: other limits, by name.
        arguments: of the bridge.
    """
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    number = home / "pid"
    number.unlink(missing_ok=True)
    environ = {**own_home(home), "LINEUP_TOKEN": token}
    if session:
        environ["CLAUDE_CODE_SESSION_ID"] = session
    parameters = StdioServerParameters(
        command="/bin/sh",
        args=[
            *("-c", _LEAVE_NUMBER, str(number)),
            *program("lineup_mcp", limits or {}),
            *("--port", str(http), "--grpc-port", str(grpc)),
            *arguments,
        ],
        env=environ,
        cwd=project,
    )
    with (home / "bridge.log").open("a") as log:
        me = Implementation(name=name, version="1")
        client = Client(stdio_client(parameters, errlog=log), mode=mode, client_info=me)
        async with client, asyncio.TaskGroup() as tasks:
            process = Pid(int(number.read_text()))
            one = Agent(client, process, tasks)
            try:
                yield one
            finally:
                # A stopped process would not hear that its input ended.
                process.send(signal.SIGCONT)
                one.give_up()
                process.close()

"""An agent that knows nothing but MCP: it asks one question over lineup-mcp and reports its work.

    python examples/demo_agent.py          against the relay that is configured
    python examples/demo_agent.py --run    opens the page first; starts a relay if none answers

Answer on any device that has the page open. Ctrl-C ends it at any time.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, Implementation

BRIDGE = [sys.executable, "-m", "lineup_mcp"]
PROJECT = Path(__file__).resolve().parent.parent
MINIAPPS = PROJECT / "examples" / "miniapps"
QUESTION = {
    "question": "**Hello from the demo agent.** Which way shall I take?",
    "options": [
        {"label": "The short one", "description": "Done today, less tidy."},
        {"label": "The tidy one", "description": "Takes until tomorrow."},
        {"label": "Neither", "description": "Stop here."},
    ],
    "project_directory": str(PROJECT),
    "timeout": 3600,
    "agent_name": "Demo agent",
}


def main() -> int:
    """Run the demo; 0 unless nothing could be asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", action="store_true", help="open the page before asking")
    arguments = parser.parse_args()
    try:
        if arguments.run and not open_page():
            return 1
        return asyncio.run(converse())
    except KeyboardInterrupt:
        say("\nStopped. A relay that was started keeps running for your other agents.")
        return 0


def open_page() -> bool:
    """Let the bridge open or print the page's address; a relay that it starts has MiniApps."""
    environ = {"LINEUP_MINIAPPS": str(MINIAPPS)} | os.environ
    command = [*BRIDGE, "--web"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, env=environ, check=False)
    return done.returncode == 0


async def converse() -> int:
    """Ask, print the answer, report, print what comes back."""
    bridge = StdioServerParameters(command=BRIDGE[0], args=BRIDGE[1:], env=dict(os.environ))
    me = Implementation(name="demo-agent", version="1")
    async with Client(bridge, client_info=me) as client:
        say("Asking on your devices. Answer on the page …")
        answer = await wait_for_human(client, "ask_question", QUESTION)
        say(f"\n{text_of(answer)}\n")
        if text_of(answer).startswith("relay_unreachable"):
            return 1
        say("Reporting. Confirm or reply on the page …")
        report = {
            "summary": f"The demo agent is done. It was told:\n\n> {last_line(answer)}",
            "project_directory": str(PROJECT),
            "timeout": 3600,
            "agent_name": "Demo agent",
        }
        say(f"\n{text_of(await wait_for_human(client, 'work_report', report))}")
    return 0


async def wait_for_human(client: Client, tool: str, arguments: dict[str, object]) -> CallToolResult:
    """Call a tool, and go on waiting for as long as its result says so."""
    result = await client.call_tool(tool, arguments)
    while (question_id := still_open(text_of(result))) is not None:
        result = await client.call_tool("ask_question", {"question_id": question_id})
    return result


def still_open(text: str) -> str | None:
    """The id to go on waiting with, if the result is no end."""
    if not text.startswith("Not answered yet"):
        return None
    return text.partition('question_id="')[2].partition('"')[0]


def text_of(result: CallToolResult) -> str:
    """All text of a result; pictures are counted."""
    texts = [block.text for block in result.content if block.type == "text"]
    others = len(result.content) - len(texts)
    return "\n".join([*texts, *([f"(and {others} attachments)"] if others else [])])


def last_line(result: CallToolResult) -> str:
    """The end of the answer, to quote it."""
    return text_of(result).splitlines()[-1]


def say(line: str) -> None:
    """Tell the person at the terminal."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())

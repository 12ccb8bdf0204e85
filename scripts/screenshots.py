"""Renew the pictures in docs/images from a real relay and the real page.

`python scripts/screenshots.py`; needs the page built and Chromium (see `make test`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
from playwright.async_api import async_playwright

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2 as assist
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, relay_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser, Page

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
TOKEN = "screenshot-token-0123456789"
CHROMIUM = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
PC = {"viewport": {"width": 1280, "height": 800}}

AGENTS = [
    relay_pb2.AgentIdentity(
        agent_id="agent-shop",
        client="claude-code",
        machine="laptop",
        directory="/home/me/shop-api",
    ),
    relay_pb2.AgentIdentity(
        agent_id="agent-weather",
        client="hermes",
        machine="laptop",
        directory="/home/me/weather-etl",
    ),
]
EARLIER = assist.McpAskQuestionRequest(
    ProjectDirectory="/home/me/shop-api",
    Question="Should refunds older than 90 days still be editable?",
    AgentName="Claude Code",
    McpClientName="claude-code",
    agent_id="agent-shop",
    machine="laptop",
)
QUESTION = assist.McpAskQuestionRequest(
    ProjectDirectory="/home/me/shop-api",
    AgentName="Claude Code",
    McpClientName="claude-code",
    agent_id="agent-shop",
    machine="laptop",
    Questions=[
        assist.Question(  # type: ignore[list-item]
            question="Adding the `status` index locks `orders` for about 40 s. How should I run "
            "it?\n\n14 M rows, Postgres 13. Writes fail while it is locked.",
            custom=True,
            options=[
                assist.Option(
                    label="Build it concurrently",
                    description="No lock, 6 minutes, needs a migration file.",
                ),
                assist.Option(
                    label="Tonight at 03:00", description="One 40 s lock while traffic is lowest."
                ),
                assist.Option(
                    label="Skip the index", description="Keep the slow query and open an issue."
                ),
            ],
        )
    ],
)
REPORT = assist.McpWorkReportRequest(
    ProjectDirectory="/home/me/weather-etl",
    Summary="Imported **31 of 31** station files.\n\n- 412,806 rows in 38 s\n- All 64 tests pass",
    AgentName="Hermes",
    McpClientName="hermes",
    agent_id="agent-weather",
    machine="laptop",
)


@contextlib.asynccontextmanager
async def relay(data_dir: Path) -> AsyncIterator[dict[str, str]]:
    """A relay of its own; gives the line it prints."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "lineup_srv",
        *("--port", "0", "--data-dir", str(data_dir), "--log-level", "warning"),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        yield json.loads(await process.stdout.readline())
    finally:
        process.terminate()
        await process.wait()


async def opened(browser: Browser, address: str, **look: object) -> Page:
    """The page, logged in."""
    context = await browser.new_context(**look)  # type: ignore[arg-type]
    page = await context.new_page()
    await page.goto(f"http://{address}/?token={TOKEN}")
    return page


async def shoot(data_dir: Path) -> None:
    """Take all pictures."""
    metadata = (("authorization", f"Bearer {TOKEN}"),)
    async with (
        relay(data_dir) as at,
        async_playwright() as playwright,
        grpc.aio.insecure_channel(at["grpc"]) as channel,
    ):
        stub = relay_pb2_grpc.RelayServiceStub(channel)

        async def call(request: relay_pb2.OpenRequestRequest) -> None:
            await stub.OpenRequest(request, metadata=metadata)  # type: ignore[misc]

        async def ask(request_id: str, request: assist.McpAskQuestionRequest) -> None:
            question = assist.AskQuestionRequest(ID=request_id, Request=request)
            await call(relay_pb2.OpenRequestRequest(question=question, wait_ms=5_000))

        leases = [
            stub.Attach(relay_pb2.AttachRequest(agent=agent), metadata=metadata) for agent in AGENTS
        ]
        for lease in leases:
            await lease.read()  # type: ignore[attr-defined]
        browser = await playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=list(CHROMIUM)
        )
        pc = await opened(browser, at["http"], locale="en-GB", **PC)
        phone = await opened(browser, at["http"], locale="en-GB", has_touch=True, **PHONE)
        dark = await opened(browser, at["http"], locale="zh-CN", color_scheme="dark", **PC)
        pages = {"pc": pc, "phone": phone, "dark-zh": dark}
        async with asyncio.TaskGroup() as group:
            group.create_task(ask("screenshot-earlier-1", EARLIER))
            box = pc.locator("#dock").get_by_role("textbox").first
            await box.fill("Read-only after 90 days. Show a hint with the date.")
            await box.press("Control+Enter")
        received = relay_pb2.AckMessagesRequest(
            agent_id="agent-shop", request_ids=["screenshot-earlier-1"]
        )
        await stub.AckMessages(received, metadata=metadata)  # type: ignore[misc]
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(ask("screenshot-question-1", QUESTION))
            report = assist.WorkReportRequest(ID="screenshot-report-1", Request=REPORT)
            reporting = group.create_task(
                call(relay_pb2.OpenRequestRequest(report=report, wait_ms=5_000))
            )
            for name, page in pages.items():
                await page.get_by_text("Build it concurrently").wait_for()
                await page.wait_for_timeout(800)
                await page.screenshot(path=IMAGES / f"{name}.png")
            await phone.goto(f"http://{at['http']}/#/history?q=rows")
            await phone.locator(".hit").nth(1).wait_for()
            await phone.screenshot(path=IMAGES / "history.png")
            asking.cancel()
            reporting.cancel()
        await browser.close()


def main() -> None:
    """Renew the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(shoot(Path(folder)))


if __name__ == "__main__":
    main()

"""Calls that end at the same time: each result carries its own answer and no other call's."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from lineup_mcp.attachments import attached
from lineup_srv.wire._gen.lineup.v1 import content_pb2
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    import pytest

    from lineup_mcp.results import Result
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2


class SlowRelay(FakeRelay):
    """Gives its mail out only when the bridge says that it waits for nothing any more."""

    async def TakeMessages(self, request: relay_pb2.TakeMessagesRequest, context: Any) -> Any:
        await self.until(lambda: len(self.outcomes) == 2 and not self.waiting)
        return await super().TakeMessages(request, context)


class LateListRelay(FakeRelay):
    """Hears what the bridge waits for only after it gave its mail out."""

    def __init__(self) -> None:
        super().__init__()
        self.gave = asyncio.Event()

    async def SetWaiting(self, request: relay_pb2.SetWaitingRequest, context: Any) -> Any:
        await self.gave.wait()
        return await super().SetWaiting(request, context)

    async def TakeMessages(self, request: relay_pb2.TakeMessagesRequest, context: Any) -> Any:
        mail = await super().TakeMessages(request, context)
        self.gave.set()
        return mail


class StuckRelay(FakeRelay):
    """Never gives its mail out the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.taking = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def TakeMessages(self, request: relay_pb2.TakeMessagesRequest, context: Any) -> Any:
        if self.taking.is_set():
            return await super().TakeMessages(request, context)
        self.taking.set()
        try:
            return await asyncio.Event().wait()
        finally:
            self.cancelled.set()


async def test_an_answer_that_is_about_to_leave_leaves_with_no_other_result(
    tmp_path: Path,
) -> None:
    relay = SlowRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            calls = []
            for number in (1, 2):
                question = {"question": f"Number {number}?"}
                calls.append(tasks.create_task(client.call_tool("ask_question", question)))
                await relay.asked(number)
            for number, request_id in enumerate(list(relay.opened), start=1):
                relay.answer(request_id, f"answer {number}", replied_unix_ms=number)
        texts = [text_of(await call) for call in calls]
        await relay.until(lambda: len(set(relay.acknowledged)) == 2)
    assert texts[0].endswith("Answer:\nanswer 1")
    assert texts[1].endswith("Answer:\nanswer 2")


async def test_an_answer_that_a_call_waits_for_is_no_mail_though_the_relay_takes_it_for_that(
    tmp_path: Path,
) -> None:
    relay = LateListRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            calls = []
            for number in (1, 2):
                question = {"question": f"Number {number}?"}
                calls.append(tasks.create_task(client.call_tool("ask_question", question)))
                await relay.asked(number)
            first, second = list(relay.opened)
            # As if a list made before the second call had come after it.
            relay.waiting.discard(second)
            relay.answer(second, "answer 2", replied_unix_ms=2)
            relay.answer(first, "answer 1", replied_unix_ms=1)
        texts = [text_of(await call) for call in calls]
    assert texts[0].endswith("Answer:\nanswer 1")
    assert texts[1].endswith("Answer:\nanswer 2")


async def test_an_answer_whose_call_is_cancelled_while_its_picture_is_fitted_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting, go_on = threading.Event(), threading.Event()

    def slowly(result: Result, **how: bool) -> Result:
        fitting.set()
        go_on.wait(10)
        return attached(result, **how)

    monkeypatch.setattr("lineup_mcp.attachments.attached", slowly)
    image = content_pb2.ImageContent(type="image", data="aGVsbG8=", mime_type="image/png")
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", {"question": "Which?"}))
            contents = [content_pb2.McpResultContent(type=2, image=image)]
            relay.answer(await relay.asked(), "", contents=contents)
            await asyncio.to_thread(fitting.wait, 10)
            call.cancel()
        monkeypatch.setattr("lineup_mcp.attachments.attached", attached)
        text = text_of(await client.call_tool("check_messages", {"wait": 10}))
        go_on.set()
    assert "Question: Which?" in text
    assert "Attachment 1: picture (png) that cannot be shown here" in text
    assert "may have reached you" not in text


async def test_an_answer_whose_call_is_cancelled_at_the_last_moment_comes_with_the_next(
    tmp_path: Path,
) -> None:
    relay = StuckRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", {"question": "Which?"}))
            relay.answer(await relay.asked(), "the left one")
            await relay.taking.wait()
            call.cancel()
        await relay.cancelled.wait()
        text = text_of(await client.call_tool("ask_question", {}))
    assert "the left one" in text
    assert "may have reached you" not in text

"""Conversations about what is handed over with a later call: once, and only when it has left."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import mcp_types as types
import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2, request_pb2
from tests.mcp.fake_relay import CLOCK, FakeRelay, file, picture, serving, words
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.test_pictures import drawn

if TYPE_CHECKING:
    from typing import Any

ASK = {"question": "Go on?"}


@pytest.mark.requirement("B04")
async def test_the_answer_to_a_cancelled_call_comes_with_the_next_one_once(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", {"question": "Which?"}))
            cancelled = await relay.asked()
            call.cancel()
        await relay.until(lambda: relay.named("CancelRequest"))
        cancel = relay.named("CancelRequest")[0]
        assert cancel.request_id == cancelled
        assert cancel.reason == error_pb2.ERROR_CODE_CANCELLED

        relay.end(
            cancelled,
            request_pb2.REQUEST_STATE_CANCELLED,
            late=True,
            replied_unix_ms=CLOCK + 9_000,
            nickname="Bob",
            contents=words("the left one"),
        )
        texts = []
        for number in (2, 3):
            async with asyncio.TaskGroup() as tasks:
                again = tasks.create_task(client.call_tool("ask_question", ASK))
                relay.answer(await relay.asked(number), "fine")
                texts.append(text_of(await again))
            await relay.until(lambda: cancelled in relay.acknowledged)
    assert "Also waiting for you from the human" in texts[0]
    assert "Answered by Bob at 2027-01-15" in texts[0]
    assert "(late, after the call had ended)" in texts[0]
    assert "Question: Which?" in texts[0]
    assert "the left one" in texts[0]
    assert "the left one" not in texts[1]


async def test_a_late_cancel_of_a_finished_call_is_ignored(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            relay.answer(await relay.asked())
            await call
        for request_id in range(6):
            await client.session.send_notification(_cancelled(request_id))
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            relay.answer(await relay.asked(2), "still alive")
            assert "still alive" in text_of(await call)
    assert not relay.named("CancelRequest")


def _cancelled(request_id: int) -> types.CancelledNotification:
    return types.CancelledNotification(
        params=types.CancelledNotificationParams(request_id=request_id)
    )


async def test_texts_of_the_human_come_with_any_call_even_a_refused_one(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.write("use the other branch", "text-1")
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await relay.until(lambda: relay.streams)
        result = await client.call_tool("ask_question", {"options": ["a"]})
        text = text_of(result)
        assert text.startswith("invalid_argument: question is missing")
        assert "Message from Ann at 2027-01-15" in text
        assert text.endswith("use the other branch")
        await relay.until(lambda: "text-1" in relay.acknowledged)
        assert "other branch" not in text_of(await client.call_tool("ask_question", {}))


async def test_what_is_attached_to_texts_comes_with_them_each_with_its_number(
    tmp_path: Path,
) -> None:
    relay = FakeRelay()
    small, large = drawn("PNG"), drawn("PNG", (1600, 1200))
    relay.write("the login page", "text-1", [picture(small)])
    relay.write("", "text-2", [picture(large), file("build.log", b"it failed"), picture(small)])
    relay.write("the archive", "text-3", [file("../a b.zip", b"PK\xff")])
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await relay.until(lambda: relay.streams)
        result = await client.call_tool("check_messages", {})
        await relay.until(lambda: len(relay.acknowledged) == 3)
    first, second, third, ends = re.split(
        r"Message from Ann at .*:\n|(?=\nAttachment 1:)", (text_of(result))
    )[1:]
    assert first == "the login page\n[With attachment 1, see below.]\n"
    assert second == (
        "[Attached file build.log:]\nit failed\n[With attachments 2 to 3, see below.]\n"
    )
    saved = re.fullmatch(r"the archive\n\n\[Attached file a b.zip: saved as (\S+)\]", third)
    assert saved is not None
    assert await asyncio.to_thread(Path(saved[1]).read_bytes) == b"PK\xff"
    assert re.fullmatch(
        r"\nAttachment 1: picture \(PNG, 4×3 pixels\)"
        r"\nAttachment 2: picture \(JPEG, 1568×1176 pixels\), reduced; the original is saved as \S+"
        r"\nAttachment 3: picture \(PNG, 4×3 pixels\)",
        ends,
    )
    shown = [block for block in result.content if block.type == "image"]
    assert [block.mime_type for block in shown] == ["image/png", "image/jpeg", "image/png"]
    assert result.structured_content is None


async def test_the_mailbox_is_not_asked_when_the_relay_says_it_is_empty(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        for number in (1, 2, 3):
            async with asyncio.TaskGroup() as tasks:
                call = tasks.create_task(client.call_tool("ask_question", ASK))
                relay.answer(await relay.asked(number))
                await call
    assert len(relay.named("TakeMessages")) == 1


async def test_an_acknowledgement_is_repeated_after_the_next_attach(tmp_path: Path) -> None:
    relay = FakeRelay()
    lost = asyncio.Event()
    original = relay.AckMessages

    async def lose(request: relay_pb2.AckMessagesRequest, context: Any) -> Any:
        if not lost.is_set():
            lost.set()
            relay.drop_streams()
            await context.abort(grpc.StatusCode.UNAVAILABLE, "lost")
        return await original(request, context)

    relay.AckMessages = lose  # type: ignore[method-assign] # to fail once
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            request_id = await relay.asked()
            relay.answer(request_id)
            await call
        await relay.until(lambda: relay.acknowledged == [request_id])
    assert lost.is_set()


async def test_what_was_taken_twice_is_handed_over_once(tmp_path: Path) -> None:
    """The relay hands out again what was not acknowledged; the bridge knows what has left."""
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            request_id = await relay.asked()
            relay.answer(request_id, "only once")
            await call
        await relay.until(lambda: request_id in relay.acknowledged)
        relay.acknowledged.clear()
        relay.waiting.clear()
        relay._count()
        second = await client.call_tool("ask_question", {})
        await relay.until(lambda: request_id in relay.acknowledged)
    assert "only once" not in text_of(second)


async def test_marks_of_another_session_and_of_a_redelivery(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.outcomes["old"] = relay._outcome(
        "old",
        request_pb2.REQUEST_STATE_ANSWERED,
        question="Asked yesterday?",
        replied_unix_ms=CLOCK,
        redelivered=True,
        other_session=True,
        contents=words("certainly"),
    )
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await relay.until(lambda: relay.streams)
        text = text_of(await client.call_tool("ask_question", {}))
    assert "[asked by another session of this agent; may have reached you before]" in text
    assert "Question: Asked yesterday?" in text
    assert text.endswith("certainly")


async def test_a_report_that_nobody_waits_for_returns_at_once(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("work_report", {"summary": "all done", "wait": False})
        request_id = await relay.asked()
        await relay.until(lambda: relay.named("SetWaiting"))
        assert request_id not in relay.waiting
        text = text_of(result)
        assert text.startswith("The report is shown on 2 devices; nobody waits for it.")
        assert request_id in text
        relay.answer(request_id, "thanks")
        await relay.until(lambda: True)
        later = text_of(await client.call_tool("ask_question", {"question_id": request_id}))
    assert "Reply:\nthanks" in later


async def test_a_refusal_of_the_relay_is_a_normal_result(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.refusal = (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        error_pb2.ErrorDetail(code=error_pb2.ERROR_CODE_RATE_LIMITED, message="too many cards"),
    )
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("ask_question", ASK)
    assert result.is_error is False
    assert text_of(result).startswith("rate_limited: too many cards")


async def test_a_wrong_token_is_a_clear_result(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, token="another-token-than-that")
        async with bridged(config) as client:
            result = await client.call_tool("ask_question", ASK)
    text = text_of(result)
    assert text.startswith("unauthenticated:")
    assert "another-token" not in text


@pytest.mark.requirement("B20")
async def test_abort_makes_silence_an_error(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(
            client.call_tool("ask_question", {"question": "Delete it?", "on_timeout": "abort"})
        )
        request_id = await relay.asked()
        asked = relay.opened[request_id].question.Request
        assert asked.on_timeout == request_pb2.ON_TIMEOUT_ABORT
        relay.end(request_id, request_pb2.REQUEST_STATE_EXPIRED)
        result = await call
    assert result.is_error is True
    assert text_of(result).splitlines()[:2] == ["approved: false", "timed out"]


@pytest.mark.requirement("B17")
async def test_a_timeout_out_of_bounds_is_clamped_and_said(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", {"question": "?", "timeout": 1}))
        request_id = await relay.asked()
        assert relay.opened[request_id].question.Request.Timeout == 60
        relay.answer(request_id)
        assert "Note: timeout 1 s was raised to the least, 60 s." in text_of(await call)

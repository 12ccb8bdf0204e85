"""Twenty rooms in one relay, all busy: nothing of one is ever seen in another."""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
from tests.guarantees.asking import asker
from tests.guarantees.pages import read_on
from tests.system.devices import device

if TYPE_CHECKING:
    from tests.guarantees.asking import Asker
    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

ROOMS: Final = 20
DEVICES: Final = 5
QUESTIONS: Final = 5
MARK: Final = re.compile(rb"room-\d+-")


class Room:
    """The devices and the agent of one token; everything they say carries the room's mark."""

    def __init__(self, number: int, devices: list[Device], agent: Asker) -> None:
        self.mark = mark_of(number)
        self.devices = devices
        self._agent = agent

    async def live(self) -> None:
        """Ask, answer, write and chat, each device in its turn."""
        for number in range(QUESTIONS):
            question = f"{self.mark}question {number}?"
            by = self.devices[number % DEVICES]
            call = self._agent.begin(question)
            asked = await by.card(question)
            await by.answer(asked.ID, f"{self.mark}answer {number}")
            assert (await call).contents[0].text.text == f"{self.mark}answer {number}"
            text = websocket_pb2.WebsocketMessage(Cmd="Text")
            text.text.content = f"{self.mark}text {number}"
            await self.devices[0].send(text)

    async def others_online(self, one: Device) -> set[str]:
        """Whom a device is told as online."""
        seen = len(one.received)
        await one.send(websocket_pb2.WebsocketMessage(Cmd="GetOnlineUsers"))
        told = await one.sees("GetOnlineUsers", lambda m: True, after=seen)
        users = told.GetOnlineUsersResponse
        assert users.total_count == len(users.online_users)
        return {user.nickname for user in users.online_users}


def mark_of(number: int) -> str:
    """What stands in everything that is said in a room."""
    return f"room-{number}-"


@pytest.mark.requirement("design:guarantees:rooms-are-separate")
async def test_nobody_sees_counts_or_reads_anything_of_another_token(shared: Shared) -> None:
    async with AsyncExitStack() as stack:

        async def enter(number: int) -> Room:
            token = secrets.token_hex(16)
            mark = mark_of(number)
            agent = await stack.enter_async_context(asker(shared.grpc, token, f"{mark}agent"))
            devices = [
                await stack.enter_async_context(
                    device(shared.http, token, f"{mark}device-{n}", extended=n != 1)
                )
                for n in range(DEVICES)
            ]
            return Room(number, devices, agent)

        rooms = [await enter(number) for number in range(ROOMS)]
        async with asyncio.TaskGroup() as tasks:
            for room in rooms:
                tasks.create_task(room.live())
        for room in rooms:
            names = {one.name for one in room.devices}
            for one in room.devices:
                assert await room.others_online(one) == names - {one.name}
                assert await one.pending() == []
            log = await read_on(room.devices[0])
            assert len([m for m in log if m.Cmd == "AskQuestion"]) == QUESTIONS
            assert len([m for m in log if m.Cmd == "Text" and m.text.content]) >= QUESTIONS
            marks = {m for one in room.devices for f in one.frames for m in MARK.findall(f)}
            assert marks == {room.mark.encode()}

"""A device that was away reads on in the log until it knows what the others know."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, agent_pb2, relay_pb2
from tests.guarantees.asking import asker
from tests.guarantees.pages import page_after, read_on
from tests.system.devices import device
from tests.system.processes import own_home, relay

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
    from tests.guarantees.asking import Asker
    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

MISSED = 230
PAGE = 200


async def say(agent: Asker, content: str) -> int:
    """Show a text on every device; returns its log number."""
    request = relay_pb2.SendTextRequest(
        text=agent_pb2.Text(agent_id=agent.agent_id, content=content)
    )
    return (await agent.stub.SendText(request, metadata=agent.metadata)).seq


def logged(one: Device) -> list[websocket_pb2.WebsocketMessage]:
    """What a device has heard of the log so far, in the log's order."""
    return sorted((m for m in one.received if m.seq), key=lambda m: m.seq)


@pytest.mark.requirement("B48", "design:log:resync-by-number")
async def test_a_device_that_missed_more_than_a_page_reads_on_to_the_state_of_the_others(
    shared: Shared, token: str
) -> None:
    async with asker(shared.grpc, token, "one") as agent, device(shared.http, token, "Bob") as bob:
        async with device(shared.http, token, "Ann") as ann:
            await say(agent, "before")
            known = await read_on(ann)
            seq = known[-1].seq
        last = [await say(agent, f"missed {number}") for number in range(MISSED)][-1]
        await bob.sees("Text", lambda m: m.seq == last)
        async with device(shared.http, token, "Ann") as ann:
            first = await page_after(ann, seq)
            assert (len(first.messages), first.more, first.reset) == (PAGE, True, False)
            missed = await read_on(ann, seq)
            assert [m.seq for m in missed] == list(range(seq + 1, last + 1))
            assert known + missed == await read_on(bob) == await read_on(bob, limit=7)
            heard = {m.seq: m.text.content for m in logged(bob) if m.Cmd == "Text"}
            assert {m.seq: m.text.content for m in missed} == {
                number: heard[number] for number in range(seq + 1, last + 1)
            }


async def test_a_number_below_the_floor_is_told_so_and_the_whole_state_follows(
    token: str, tmp_path: Path
) -> None:
    home = own_home(tmp_path / "relay-home")
    config = tmp_path / "relay-home" / "config" / "lineup" / "lineup-mcp.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[srv]\nkeep_days = 0\nkeep_bytes = 1\n")
    assert str(config).startswith(home["XDG_CONFIG_HOME"])
    compacting = {
        "FACT_SETTLED_SECONDS": 0,
        "ENDED_KEPT_SECONDS": 0,
        "lineup_srv.app.chores.SWEEP_SECONDS": 1,
    }
    async with (
        relay(tmp_path / "relay", token=token, limits=compacting) as server,
        asker(server.grpc, token, "one") as agent,
        device(server.http, token, "Bob") as bob,
    ):
        opened = relay_pb2.OpenRequestRequest(
            question=agent_assist_pb2.AskQuestionRequest(
                ID="open",
                Request=agent_assist_pb2.McpAskQuestionRequest(
                    Question="Still open?", agent_id=agent.agent_id
                ),
            )
        )
        await agent.stub.OpenRequest(opened, metadata=agent.metadata)
        last = [await say(agent, f"old {number}") for number in range(MISSED)][-1]
        page = await page_after(bob, 0)
        # Every sweep is asked for its result, until one has come by.
        while page.floor_seq <= last // 2:
            page = await page_after(bob, 0, limit=1)
        async with device(server.http, token, "Ann") as ann:
            await ann.card("Still open?")
            page = await page_after(ann, 1)
            assert page.reset
            assert page.floor_seq > 2
            assert page.last_seq == last
            # From here on it reads as everybody does.
            rest = [*page.messages]
            if page.more:
                rest += await read_on(ann, page.messages[-1].seq)
            assert rest == await read_on(bob)
            assert await ann.pending() == ["open"]


async def test_another_log_is_noticed_by_its_id_and_its_lower_numbers(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with asker(server.grpc, token, "one") as agent:
            last = [await say(agent, f"lost {number}") for number in range(5)][-1]
            async with device(server.http, token, "Ann") as ann:
                info = (await ann.sees("ServerInfo", lambda m: True)).server_info
                assert info.last_seq == last
        await server.kill()
        shutil.rmtree(server.data_dir)
        await server.start()
        async with asker(server.grpc, token, "two") as agent:
            assert await say(agent, "new") == 1
            async with device(server.http, token, "Ann") as ann:
                new = (await ann.sees("ServerInfo", lambda m: True)).server_info
                assert new.log_id != info.log_id
                assert new.last_seq == 1
                page = await page_after(ann, last)
                assert page.reset
                assert [m.text.content for m in page.messages] == ["new"]

"""A relay on fakes with its real transports: devices come over ASGI, without a network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.ids import RoomId
from lineup_srv.miniapps import MiniAppFolders
from lineup_srv.service.pairing import Pairings
from lineup_srv.service.relay import Relay
from lineup_srv.transports.auth import Border
from lineup_srv.transports.devices import Devices
from lineup_srv.transports.files import FileLinks, Files
from lineup_srv.transports.http import build_http_app
from lineup_srv.transports.mapping.messages import RelayFacts
from lineup_srv.transports.metrics import PrometheusMetrics
from lineup_srv.transports.operation import Operation
from lineup_srv.transports.websocket import WebSocketParts
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.service.fakes import DictTokens, OwnTasks
from tests.service.stage import ROOM, Stage
from tests.transports.sockets import HOST, Wire, login, scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lineup_srv.service.ports import Tokens

VERSION: Final = "9.9.9"
FACTS: Final = RelayFacts(version=VERSION, log_id="log")
OTHER_ROOM: Final = RoomId("other-room")
TOKENS: Final = {"token": ROOM, "token-of-another": OTHER_ROOM}
BASE_URL: Final = "http://192.168.1.5:22080/"
WELCOME: Final = ("UserLogin", "ServerInfo")


class House(Stage):
    """One relay; `connect` and `log_in` bring devices."""

    def __init__(self, *, tokens: Tokens | None = None, miniapps: Sequence[Path] = ()) -> None:
        super().__init__()
        self.metrics = PrometheusMetrics()
        self.links = FileLinks(b"key of this house")
        self.connections = Devices(FACTS, self.clock, self.links)
        self.outside = replace(self.outside, devices=self.connections)
        tokens = tokens or DictTokens(TOKENS)
        self.relay = Relay(self.outside, tokens)
        self.sending = OwnTasks()
        self.parts = WebSocketParts(
            relay=self.relay,
            devices=self.connections,
            facts=FACTS,
            clock=self.clock,
            ids=self.ids,
            tasks=self.sending,
            metrics=self.metrics,
            pairings=Pairings(tokens, self.clock, self.ids),
            base_url=BASE_URL,
            trusted=frozenset({"127.0.0.1"}),
        )
        self.app = build_http_app(
            self.parts,
            Border(allowed_hosts=(), allowed_origins=()),
            Files(self.blobs, self.links),
            Operation(self.relay, self.log.healthy, self.metrics, VERSION),
            MiniAppFolders(miniapps),
        )
        self.wires: list[Wire] = []
        self._pings = 0

    def connect(
        self,
        *,
        address: str = "127.0.0.1",
        headers: Iterable[tuple[str, str]] = (("host", HOST),),
    ) -> Wire:
        """A connection that has said nothing yet."""
        wire = Wire(scope_of(address=address, headers=headers))
        self.wires.append(wire)
        wire.open(self.app)
        return wire

    async def accepted(self, *, address: str = "127.0.0.1") -> Wire:
        """A connection after its upgrade."""
        wire = self.connect(address=address)
        assert await wire.event() == {"type": "websocket.accept"}
        return wire

    async def log_in(
        self, nickname: str = "", *, extended: bool = True, token: str = "token", device: str = ""
    ) -> Wire:
        """A device that is logged in; what it was told at that is heard."""
        wire = await self.accepted()
        wire.say(login(nickname, extended=extended, token=token, device=device))
        if extended:
            await wire.hear_all(*WELCOME)
        else:
            await wire.hear_all("UserLogin")
        await self.settled()
        return wire

    async def room(self, *names: str, extended: bool = True) -> list[Wire]:
        """Devices that are logged in and have heard of each other."""
        wires = [await self.log_in(name, extended=extended, device=name) for name in names]
        for wire in wires:
            await self.news(wire)
        return wires

    async def tell(self, wire: Wire, message: WebsocketMessage) -> WebsocketMessage:
        """Say something and hear what comes next."""
        wire.say(message)
        return await wire.hear()

    async def news(self, wire: Wire) -> list[WebsocketMessage]:
        """All that it was told and that was not heard yet, when everything has come to rest.

        Without the lists of agents, which come after a while of their own.
        """
        heard = await self._until_now(wire)
        await self.settled()
        heard += await self._until_now(wire)
        return [message for message in heard if message.Cmd != "Agents"]

    async def _until_now(self, wire: Wire) -> list[WebsocketMessage]:
        self._pings += 1
        ref = f"ping-{self._pings:012}"
        wire.say(WebsocketMessage(Cmd="Ping", ref=ref))
        heard = []
        while (message := await wire.hear()).ack.ref != ref:
            heard.append(message)
        return heard

    async def commands(self, wire: Wire) -> list[str]:
        """As `news`, the commands only."""
        return [message.Cmd for message in await self.news(wire)]

    async def close(self) -> None:
        """End every connection and check that nothing is left of them."""
        for wire in self.wires:
            wire.vanish()
        for wire in self.wires:
            await wire.over()
        await self.sending.idle()
        assert not self.parts.waiting, "a login is still counted"
        devices = self.connections
        left = [*devices._connections, *devices._tabs, *devices._tab_of]
        assert left == [], "a device is left"
        await self.check_nothing_is_left()

"""JSON clients of a house: what they say and hear as envelopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lineup_srv.wire.envelope import Envelope, encode, parse
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.sockets import Wire

P = TypeVar("P", bound=m.Payload)
HELLO = "msg-hello"


class Talk:
    """One JSON connection; ids of what it says are counted unless given."""

    def __init__(self, house: House, wire: Wire) -> None:
        self.house = house
        self.wire = wire
        self.client_id = ""
        self._count = 0

    def say(self, payload: m.Payload, *, envelope_id: str = "") -> str:
        """Send a message; its id."""
        self._count += 1
        said = envelope_id or f"msg-{self._count}"
        self.wire.say_text(encode(Envelope(said, payload)))
        return said

    async def hear(self) -> m.Payload:
        """The next message of the relay."""
        event = await self.wire.event()
        assert event["type"] == "websocket.send", event
        return parse(event["text"]).payload

    async def hears(self, kind: type[P]) -> P:
        """The next message, which is of this kind."""
        payload = await self.hear()
        assert isinstance(payload, kind), payload
        return payload

    async def tell(self, payload: m.Payload, *, envelope_id: str = "") -> m.Payload:
        """Say something and hear what comes next."""
        self.say(payload, envelope_id=envelope_id)
        return await self.hear()

    async def news(self) -> list[m.Payload]:
        """All that it was told and that was not heard yet, when everything has come to rest."""
        heard = await self._until_now()
        await self.house.settled()
        return heard + await self._until_now()

    async def _until_now(self) -> list[m.Payload]:
        ping = self.say(m.Ping())
        heard = []
        while (payload := await self.hear()) != m.Pong(ref=ping):
            heard.append(payload)
        return heard


async def connect(house: House) -> Talk:
    """A connection that has said nothing yet."""
    return Talk(house, await house.accepted())


async def app(
    house: House,
    name: str = "Phone",
    *,
    requests: bool = True,
    token: str = "token",
    client_id: str = "",
) -> Talk:
    """An app that is logged in."""
    features = ("requests",) if requests else ()
    hello = m.Hello(
        name=name,
        token=token,
        platform="test",
        version="1",
        features=features,
        client_id=client_id,
    )
    talk = await _joined(house, hello)
    assert await talk.hears(m.ToolList) == m.ToolList()  # it is asked what it offers
    return talk


async def agent(
    house: House, name: str = "Helper", *, client_id: str = "", token: str = "token"
) -> Talk:
    """An agent that is attached."""
    hello = m.Hello(name=name, token=token, agent="Hermes", client_id=client_id)
    return await _joined(house, hello)


async def _joined(house: House, hello: m.Hello) -> Talk:
    talk = await connect(house)
    answer = await talk.tell(hello, envelope_id=HELLO)
    assert isinstance(answer, m.Hello), answer
    assert (answer.name, answer.ref) == ("LineUp", HELLO)
    talk.client_id = answer.client_id
    await house.settled()
    return talk

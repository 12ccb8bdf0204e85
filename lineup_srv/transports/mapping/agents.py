"""Agents, their texts and pictures → LineUp's own messages (wire §4, 103, 104, 108)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.transports.mapping.texts import said_to_wire
from lineup_srv.wire._gen.lineup.v1 import agent_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.domain.effects import AgentLine, ShowAgents, ShowPictureShown, ShowSaid
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["agents_message", "picture_message", "said_message"]


def agents_message(shown: ShowAgents) -> ws.WebsocketMessage:
    """Who the agents are."""
    return ws.WebsocketMessage(Cmd=Cmd.AGENTS.value, agents=[_agent(line) for line in shown.agents])


def _agent(line: AgentLine) -> agent_pb2.Agent:
    identity = line.identity
    return agent_pb2.Agent(
        agent_id=identity.agent_id,
        client=identity.client,
        name=line.name,
        project_directory=identity.directory,
        machine=identity.machine,
        attached=line.attached,
        waiting=[
            agent_pb2.AgentWaiting(request_id=request_id, since_unix_ms=since)
            for request_id, since in line.waiting
        ],
        model=line.model,
        machine_name=identity.machine_name,
        last_call_unix_ms=line.last_call_unix_ms,
        left_unix_ms=line.left_unix_ms,
        messages_waiting=line.messages_waiting,
    )


def said_message(
    shown: ShowSaid, bodies: Mapping[str, bytes], links: Links | None
) -> ws.WebsocketMessage:
    """What an agent wrote; large contents go as links where there are links."""
    text = said_to_wire(shown.said, bodies, links)
    return ws.WebsocketMessage(Cmd=Cmd.TEXT.value, text=text, seq=shown.seq)


def picture_message(
    shown: ShowPictureShown, bodies: Mapping[str, bytes], links: Links | None
) -> ws.WebsocketMessage:
    """A picture that an agent shows; a large one goes as a link where there are links."""
    fact = shown.shown
    picture = fact.picture
    image = agent_pb2.Image(
        message_id=fact.text_id,
        url=picture.url,
        alt=picture.alt,
        caption=picture.caption,
        agent_id=fact.agent.agent_id,
    )
    if picture.ref is not None:
        image.mime_type = picture.ref.mime
        if links is not None and picture.ref.size > limits.LINKED_BYTES:
            image.url = links(picture.ref)
        else:
            image.data = bodies[picture.ref.sha256]
    return ws.WebsocketMessage(Cmd=Cmd.IMAGE.value, image=image, seq=shown.seq)

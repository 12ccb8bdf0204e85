"""The mailbox: no store of its own but a view of what an agent has not received (design §4.3).

It holds every answered, declined or late request that is not received and that nobody waits for,
and every undelivered text.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.ids import AgentId
from lineup_srv.domain.decision import Draft, Mail, MailedRequest, MailedText
from lineup_srv.domain.facts import HandedOver, Received, TextHandedOver, TextReceived

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.domain.commands import AckMessages, TakeMessages
    from lineup_srv.domain.contents import Content
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.domain.state import AgentPresence, KeptText, Room

__all__ = ["ack_messages", "mail_count", "mail_for", "take_messages"]


def mail_for(room: Room, agent: AgentPresence) -> Mail:
    """What waits for this agent, oldest first, each with its marks."""
    requests = []
    for request_id in room.logged.mail_ids:
        request = room.logged.requests[request_id]
        owner = request.agent
        if not _may_take(room, agent, owner, request.asked.project_directory):
            continue
        if not room.live.waiters(request_id):
            requests.append(
                MailedRequest(
                    request=request,
                    redelivered=bool(request.handed_to),
                    other_session=not _is_own(agent, owner),
                )
            )
    return Mail(requests=tuple(requests), texts=tuple(_texts_for(room, agent)))


def _texts_for(room: Room, agent: AgentPresence) -> Iterator[MailedText]:
    owners = _owners_gone(room)
    for text in room.logged.texts.values():
        owner = owners.get(text.agent_id)
        if text.agent_id in ("", agent.identity.agent_id):
            own = True
        elif owner is not None and _may_take(room, agent, owner, owner.directory):
            own = _is_own(agent, owner)
        else:
            continue
        yield MailedText(text, redelivered=_had_text(agent, text), other_session=not own)


def mail_count(room: Room, agent: AgentPresence) -> int:
    """How many items wait for this agent."""
    mail = mail_for(room, agent)
    return len(mail.requests) + len(mail.texts)


def take_messages(room: Room, command: TakeMessages, draft: Draft) -> None:
    """Hand over what waits, as much as goes at once; logged, so that a second time is marked."""
    agent = room.live.agents.get(command.agent_id)
    mail = Mail((), ()) if agent is None else _at_once(mail_for(room, agent))
    for item in mail.requests:
        draft.log(
            HandedOver(
                *draft.stamp(),
                request_id=item.request.request_id,
                agent_id=command.agent_id,
                taken=True,
                redelivered=item.redelivered,
            )
        )
    for mailed in mail.texts:
        draft.log(
            TextHandedOver(
                *draft.stamp(),
                text_id=mailed.text.text_id,
                agent_id=command.agent_id,
            )
        )
    draft.result = mail


def _at_once(mail: Mail) -> Mail:
    """Its first items, `limits.MAIL_BYTES` together; the others wait until these are received."""
    sizes = [
        _size(item.request.reply.contents if item.request.reply else ()) for item in mail.requests
    ]
    sizes += [_size(item.text.contents) for item in mail.texts]
    count = max(sum(total <= limits.MAIL_BYTES for total in accumulate(sizes)), 1)
    rest = max(count - len(mail.requests), 0)
    return Mail(mail.requests[:count], mail.texts[:rest])


def _size(contents: tuple[Content, ...]) -> int:
    return sum(content.ref.size for content in contents)


def ack_messages(room: Room, command: AckMessages, draft: Draft) -> None:
    """Mark as received what was handed to this agent; anything else is left alone."""
    found = (room.logged.find(request_id) for request_id in command.request_ids)
    for request_id in dict.fromkeys(request.request_id for request in found if request):
        request = room.logged.requests[request_id]
        if request.waits_in_mailbox and command.agent_id in request.handed_to:
            draft.log(Received(*draft.stamp(), request_id=request_id))
    for text_id in dict.fromkeys(command.text_ids):
        text = room.logged.texts.get(text_id)
        if text is not None and command.agent_id in text.handed_to:
            draft.log(TextReceived(*draft.stamp(), text_id=text.text_id))


def _had_text(agent: AgentPresence, text: KeptText) -> bool:
    """Whether it may have reached this agent's program; a text to all counts for each by itself."""
    if not text.agent_id:
        return agent.identity.agent_id in text.handed_to
    return bool(text.handed_to)


def _is_own(agent: AgentPresence, owner: AgentIdentity) -> bool:
    return owner.agent_id == agent.identity.agent_id or owner.same_session(agent.identity)


def _may_take(room: Room, agent: AgentPresence, owner: AgentIdentity, directory: str) -> bool:
    """Own items always; those of an agent that is gone by session, else by project."""
    if owner.agent_id == agent.identity.agent_id:
        return True
    if owner.agent_id in room.live.agents:
        return False
    if owner.same_session(agent.identity):
        return True
    return owner.session_unknown(agent.identity) and directory in agent.directories


def _owners_gone(room: Room) -> dict[AgentId, AgentIdentity]:
    """Who the agents were that are gone and that texts wait for: as last seen, or as they asked."""
    gone = {text.agent_id for text in room.logged.texts.values()} - room.live.agents.keys()
    seen = {i: left.identity for i, (left, _) in room.live.gone.items() if i in gone}
    if gone <= {AgentId(""), *seen}:
        return seen
    asked = (request.agent for request in room.logged.requests.values())
    return {agent.agent_id: agent for agent in asked if agent.agent_id in gone} | seen

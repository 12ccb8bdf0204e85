"""Effects for devices → the messages of JSON envelopes (wire §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate
from lineup_srv.domain.contents import ContentKind
from lineup_srv.domain.effects import (
    ShowAgents,
    ShowPictureShown,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowSignal,
    ShowState,
    ShowText,
)
from lineup_srv.domain.signals import Chat
from lineup_srv.transports.mapping.contents import text_of
from lineup_srv.transports.mapping.envelope_tools import call_payload, update_payload
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineup_srv.domain.contents import Content
    from lineup_srv.domain.effects import AgentLine, Message, SendAck
    from lineup_srv.domain.request import Approval, Question, Reply
    from lineup_srv.service.ports import OutcomeTold
    from lineup_srv.service.relay import MailTold, TextTold
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["ack_payload", "attached_agents", "contents_for", "mail_payloads", "payloads_for"]


def payloads_for(  # noqa: C901 - one case for each kind
    message: Message, bodies: Mapping[str, bytes], links: Links, clock_unix_ms: int
) -> list[m.Payload]:
    """What an app is told of one effect; nothing of what the envelopes have no type for.

    Args:
        message: the effect.
        bodies: the bytes behind its references.
        links: makes links to large contents.
        clock_unix_ms: the relay's clock.
    """
    match message:
        case ShowRequest():
            return [_request(message, bodies, links)]
        case ShowReply():
            return [_answered(message, bodies)]
        case ShowState():
            return [_state(message)]
        case ShowText():
            return [_text(message, bodies, links)]
        case ShowSaid():
            return [_said(message, bodies, links)]
        case ShowPictureShown():
            return [_picture(message, bodies, links)]
        case ShowAgents():
            return [_hello(line) for line in attached_agents(message)]
        case ShowSignal(signal=Chat() as chat):
            return [_chat(message, chat)]
        case ShowCall():
            return [call_payload(message, bodies, clock_unix_ms)]
        case ShowCallUpdate():
            # That the agent has the end is no phase of a call, and receipts tell phases; and apps
            # hear of the calls that they were given only.
            is_told = not (message.call.received or message.with_call)
            return [update_payload(message)] if is_told else []
        case _:
            return []


def attached_agents(shown: ShowAgents) -> list[AgentLine]:
    """The agents that apps get a hello of, in its order."""
    return [line for line in shown.agents if line.attached]


def ack_payload(ack: SendAck, envelope_id: str) -> m.Ack:
    """An Ack of the message with this id."""
    return m.Ack(ref=envelope_id, accepted=ack.accepted, code=ack.code, message=ack.message)


def mail_payloads(mail: MailTold, links: Links) -> list[m.Text]:
    """What was waiting in an agent's mailbox; large contents go as links."""
    outcomes = (_outcome(told, links) for told in mail.outcomes)
    return [*outcomes, *(_mailed(told, links) for told in mail.texts)]


def _hello(line: AgentLine) -> m.Hello:
    identity = line.identity
    program = identity.client or identity.agent_id
    return m.Hello(name=line.name or program, agent=program, client_id=identity.agent_id)


def _request(shown: ShowRequest, bodies: Mapping[str, bytes], links: Links) -> m.Request:
    request = shown.request
    asked = request.asked
    return m.Request(
        request_id=request.request_id,
        kind=m.Kind(asked.kind.value),
        text=text_of(asked.text, bodies),
        questions=tuple(_question(question, bodies) for question in asked.questions),
        contents=contents_for(asked.contents, bodies, links),
        approval=None if asked.approval is None else _approval(asked.approval),
        project=asked.project_directory,
        agent=request.agent_name,
        agent_id=request.agent.agent_id,
        model=request.model,
        client=request.agent.client,
        opened_unix_ms=request.opened_unix_ms,
        deadline_unix_ms=request.deadline_unix_ms,
    )


def _question(question: Question, bodies: Mapping[str, bytes]) -> m.Question:
    return m.Question(
        question=text_of(question.text, bodies),
        header=question.header,
        options=tuple(
            m.Option(label=option.label, description=option.description)
            for option in question.options
        ),
        multiple=question.multiple,
        custom=question.custom,
    )


def _approval(approval: Approval) -> m.Approval:
    return m.Approval(
        tool=approval.tool,
        command=approval.command,
        cwd=approval.cwd,
        description=approval.description,
        input_json=approval.input_json,
        can_allow_session=approval.can_allow_session,
        can_edit=approval.can_edit,
    )


def contents_for(
    contents: Iterable[Content], bodies: Mapping[str, bytes], links: Links
) -> tuple[m.Content, ...]:
    """Contents for a JSON client: large ones go as links."""
    return tuple(_content(content, bodies, links) for content in contents)


def _content(content: Content, bodies: Mapping[str, bytes], links: Links) -> m.Content:
    ref, kind = content.ref, m.ContentType(content.kind.value)
    if content.kind is ContentKind.TEXT:
        return m.Content(type=kind, text=text_of(ref, bodies))
    if ref.size > limits.LINKED_BYTES:
        return m.Content(type=kind, uri=links(ref), mime_type=ref.mime)
    return m.Content(type=kind, data=bodies[ref.sha256], mime_type=ref.mime, uri=content.uri)


def _state(shown: ShowState) -> m.RequestState:
    update = shown.update
    return m.RequestState(
        request_id=update.request_id,
        state=m.State(update.state.value),
        reason=update.reason,
        by="" if update.by is None else update.by.nickname,
        deadline_unix_ms=update.deadline_unix_ms,
        late=update.late,
        received=update.received,
        agent_gone=update.agent_gone,
        message=update.message,
        changed_unix_ms=update.changed_unix_ms,
    )


def _answered(shown: ShowReply, bodies: Mapping[str, bytes]) -> m.RequestState:
    """Protobuf devices get a message of its own for this; here it is one more state."""
    request, reply = shown.request, shown.reply
    return m.RequestState(
        request_id=request.request_id,
        state=m.State(request.state.value),
        reason=request.reason if request.late else ErrorCode.UNSPECIFIED,
        by=reply.by.nickname,
        late=request.late,
        received=request.received,
        message=request.message if request.late else "",
        changed_unix_ms=reply.at_unix_ms,
        reply=m.Said(
            message=_words(reply.contents, bodies),
            answers=_answers(reply),
            action=m.Action(reply.action.value),
        ),
    )


def _answers(reply: Reply) -> tuple[m.Answer, ...]:
    return tuple(
        m.Answer(index=answer.index, labels=answer.labels, text=answer.text)
        for answer in reply.answers
    )


def _text(shown: ShowText, bodies: Mapping[str, bytes], links: Links) -> m.Text:
    text = shown.text
    return m.Text(
        content=_words(text.contents, bodies),
        contents=_attached(text.contents, bodies, links),
        agent=text.agent_id,
        role=m.Role.HUMAN,
        sender=text.by.nickname,
        message_id=text.text_id,
        sent_unix_ms=text.at_unix_ms,
    )


def _said(shown: ShowSaid, bodies: Mapping[str, bytes], links: Links) -> m.Text:
    said = shown.said
    return m.Text(
        content=_words(said.contents, bodies),
        contents=_attached(said.contents, bodies, links),
        agent=said.agent.agent_id,
        role=m.Role.AGENT,
        sender=said.agent_name or said.agent.client,
        message_id=said.text_id,
        sent_unix_ms=said.at_unix_ms,
    )


def _picture(shown: ShowPictureShown, bodies: Mapping[str, bytes], links: Links) -> m.Image:
    fact = shown.shown
    picture = fact.picture
    ref, url, data = picture.ref, picture.url, b""
    if ref is not None and ref.size > limits.LINKED_BYTES:
        url = links(ref)
    elif ref is not None:
        data = bodies[ref.sha256]
    return m.Image(
        url=url,
        data=data,
        mime_type="" if ref is None else ref.mime,
        alt=picture.alt,
        caption=picture.caption,
        agent=fact.agent.agent_id,
        sender=fact.agent_name or fact.agent.client,
        message_id=fact.text_id,
        sent_unix_ms=fact.at_unix_ms,
    )


def _chat(shown: ShowSignal, chat: Chat) -> m.Text:
    """From device to device; it is for no agent."""
    return m.Text(
        content=chat.content,
        role=m.Role.HUMAN,
        sender=shown.sender.author.nickname,
        message_id=chat.message_id,
    )


def _mailed(told: TextTold, links: Links) -> m.Text:
    mailed = told.mailed
    text = mailed.text
    return m.Text(
        content=_words(text.contents, told.bodies),
        contents=_attached(text.contents, told.bodies, links),
        agent=text.agent_id,
        role=m.Role.HUMAN,
        sender=text.by.nickname,
        message_id=text.text_id,
        sent_unix_ms=text.at_unix_ms,
        redelivered=mailed.redelivered,
        other_session=mailed.other_session,
    )


def _outcome(told: OutcomeTold, links: Links) -> m.Text:
    """The answer to a question that was asked elsewhere in this agent's name."""
    request, reply = told.request, told.request.reply
    assert reply is not None  # only such requests wait in a mailbox
    said = _words(reply.contents, told.bodies) or reply.action.value
    return m.Text(
        content=f"{text_of(request.asked.text, told.bodies)}\n\n{said}",
        contents=_attached(reply.contents, told.bodies, links),
        agent=request.agent.agent_id,
        role=m.Role.HUMAN,
        sender=reply.by.nickname,
        message_id=request.request_id,
        sent_unix_ms=reply.at_unix_ms,
        redelivered=told.redelivered,
        other_session=told.other_session,
    )


def _words(contents: Iterable[Content], bodies: Mapping[str, bytes]) -> str:
    """The words among the contents, in one."""
    return "\n".join(
        text_of(content.ref, bodies) for content in contents if content.kind is ContentKind.TEXT
    )


def _attached(
    contents: Iterable[Content], bodies: Mapping[str, bytes], links: Links
) -> tuple[m.Content, ...]:
    """The contents beside the words."""
    others = (content for content in contents if content.kind is not ContentKind.TEXT)
    return contents_for(others, bodies, links)

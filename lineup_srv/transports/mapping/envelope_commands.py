"""The messages of JSON envelopes → commands (wire §5). The codec has checked every field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.ids import AgentId, Ref, RequestId, TextId
from lineup_srv.domain.commands import ReplyTo, WriteText
from lineup_srv.domain.contents import Content, ContentKind, Picture
from lineup_srv.domain.request import Answer, ReplyAction
from lineup_srv.wire.envelope.parts import ContentType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineup_srv.service.bodies import Intake
    from lineup_srv.transports.mapping.incoming import Sender
    from lineup_srv.wire.envelope import messages as m

__all__ = ["contents_from", "picture_from", "reply_command", "text_command", "text_contents"]

_UNKNOWN = "application/octet-stream"


def text_command(text: m.Text, sender: Sender, ref: Ref) -> WriteText:
    """An app writes to an agent, or to all."""
    return WriteText(
        command_id=sender.command_id,
        text_id=TextId(sender.command_id),
        agent_id=AgentId(text.agent),
        contents=text_contents(text, sender.intake),
        by=sender.by,
        ref=ref,
        first_ack=None,
    )


def reply_command(reply: m.Reply, sender: Sender, ref: Ref) -> ReplyTo:
    """An app answers."""
    return ReplyTo(
        command_id=sender.command_id,
        request_id=RequestId(reply.request_id),
        ref=ref,
        action=ReplyAction(reply.action.value),
        contents=tuple(_contents(reply, sender.intake)),
        answers=tuple(Answer(answer.index, answer.labels, answer.text) for answer in reply.answers),
        input_json=reply.input_json,
        by=sender.by,
        agent_id=AgentId(reply.agent_id),
        text_id=TextId(sender.command_id),
        first_ack=None,
    )


def text_contents(text: m.Text, intake: Intake) -> tuple[Content, ...]:
    """What a text says: its words, then what is attached."""
    words = [_words(text.content, intake)] if text.content.strip() else []
    return (*words, *contents_from(text.contents, intake))


def _words(text: str, intake: Intake) -> Content:
    return Content(ContentKind.TEXT, intake.text(text), "")


def picture_from(image: m.Image, intake: Intake) -> Picture:
    """A picture that an agent shows."""
    return Picture(
        ref=intake.data(image.data, mime=image.mime_type or _UNKNOWN) if image.data else None,
        url=image.url,
        alt=image.alt,
        caption=image.caption,
    )


def _contents(reply: m.Reply, intake: Intake) -> Iterator[Content]:
    """What the agent reads: answers alone are put into words, for those who read only these."""
    if reply.message.strip():
        yield _words(reply.message, intake)
    elif reply.answers and not reply.contents:
        lines = (", ".join(part for part in (*a.labels, a.text) if part) for a in reply.answers)
        yield _words("\n".join(lines), intake)
    yield from contents_from(reply.contents, intake)


def contents_from(contents: Iterable[m.Content], intake: Intake) -> Iterator[Content]:
    """Contents as they came, their bytes collected."""
    for content in contents:
        if content.type is ContentType.TEXT:
            yield _words(content.text, intake)
        else:
            # Without bytes it is a link, whatever it leads to.
            kind = ContentKind(content.type.value) if content.data else ContentKind.RESOURCE
            ref = intake.data(content.data, mime=content.mime_type or _UNKNOWN)
            yield Content(kind, ref, content.uri)

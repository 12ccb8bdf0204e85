"""JSON text → messages: one reader for each type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.fields import Fields
from lineup_srv.contract.json_text import check, is_whole, load_object
from lineup_srv.wire.envelope import messages as m
from lineup_srv.wire.envelope.contents import read_contents
from lineup_srv.wire.envelope.error import EnvelopeError
from lineup_srv.wire.envelope.tools import READ_TOOLS, read_error_code

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["parse"]

_WORDS: Final = limits.QUESTION_CHARACTERS
_REASON: Final = limits.REASON_CHARACTERS
_ID: Final = limits.ID_CHARACTERS


def parse(text: str) -> m.Envelope:
    """Read one text frame.

    Raises:
        EnvelopeError: it is no message; `ref` is its id if that could be read.
    """
    tree: dict[str, object] = {}
    malformed = True
    try:
        tree = load_object(text, "", most_bytes=limits.FRAME_BYTES)
        check(tree, "", limits.JSON_DEPTH)
        envelope_id, kind, payload = _parts(tree)
        malformed = False
        return m.Envelope(envelope_id, _reader(kind)(payload))
    except LineUpError as error:
        raise EnvelopeError(
            error.code, error.message, error.field, malformed=malformed, ref=_ref(tree)
        ) from None


def _ref(tree: dict[str, object]) -> str:
    """The id that an answer names, if it is one."""
    found = tree.get("id")
    return found if isinstance(found, str) and len(found) <= _ID and is_whole(found) else ""


def _parts(tree: dict[str, object]) -> tuple[str, str, Fields]:
    top = Fields(tree, "")
    if top.integer("v") != 1:
        raise top.wrong("v", "must be 1")
    return top.id("id"), top.text("type"), top.fields("payload")


def _reader(kind: str) -> Callable[[Fields], m.Payload]:
    read = _READ.get(kind)
    if read is None:
        raise LineUpError(ErrorCode.UNKNOWN_COMMAND, "is not known here", field="type")
    return read


def _hello(payload: Fields) -> m.Hello:
    return m.Hello(
        name=payload.text("name"),
        token=payload.text("token", limits.REASON_CHARACTERS, default=""),
        platform=payload.text("platform", default=""),
        version=payload.text("version", default=""),
        agent=payload.text("agent", default=""),
        features=payload.texts("features", limits.FEATURES_PER_CLIENT, limits.NAME_CHARACTERS),
        client_id=payload.text("client_id", _ID, default=""),
        ref=payload.text("ref", _ID, default=""),
    )


def _ping(_payload: Fields) -> m.Ping:
    return m.Ping()


def _pong(payload: Fields) -> m.Pong:
    return m.Pong(ref=payload.text("ref", _ID, default=""))


def _ack(payload: Fields) -> m.Ack:
    return m.Ack(
        ref=payload.id("ref"),
        accepted=payload.flag("accepted"),
        code=read_error_code(payload),
        message=payload.text("message", _REASON, default=""),
    )


def _error(payload: Fields) -> m.Error:
    return m.Error(
        code=payload.code("code"),
        message=payload.text("message", _REASON, default=""),
        ref=payload.text("ref", _ID, default=""),
        field=payload.text("field", _REASON, default=""),
    )


def _text(payload: Fields) -> m.Text:
    content, contents = payload.text("content", _WORDS), read_contents(payload)
    if not content.strip() and not contents:
        raise payload.wrong("content", "is empty")
    return m.Text(
        content=content,
        contents=contents,
        agent=payload.text("agent", _ID, default=""),
        role=payload.choice("role", m.Role, default=m.Role.UNSPECIFIED),
        sender=payload.text("from", default=""),
        message_id=payload.text("message_id", _ID, default=""),
        sent_unix_ms=payload.integer("sent_unix_ms", default=0),
        redelivered=payload.flag("redelivered", default=False),
        other_session=payload.flag("other_session", default=False),
    )


def _image(payload: Fields) -> m.Image:
    url, data = payload.text("url", limits.PATH_CHARACTERS, default=""), payload.data("data")
    if not url and not data:
        raise payload.wrong("url", "is missing")
    if url and data:
        raise payload.wrong("data", "has no place beside url")
    return m.Image(
        url=url,
        data=data,
        mime_type=payload.text("mime_type", default=""),
        alt=payload.text("alt", _REASON, default=""),
        caption=payload.text("caption", _REASON, default=""),
        agent=payload.text("agent", _ID, default=""),
        sender=payload.text("from", default=""),
        message_id=payload.text("message_id", _ID, default=""),
        sent_unix_ms=payload.integer("sent_unix_ms", default=0),
    )


def _request(payload: Fields) -> m.Request:
    approval = payload.has("approval")
    return m.Request(
        request_id=payload.id("request_id"),
        kind=payload.choice("kind", m.Kind),
        # A rendering holds every question with its options.
        text=payload.text("text", limits.FRAME_BYTES),
        questions=payload.each("questions", _question, limits.QUESTIONS_PER_REQUEST),
        contents=read_contents(payload),
        approval=_approval(payload.fields("approval")) if approval else None,
        project=payload.text("project", limits.PATH_CHARACTERS, default=""),
        agent=payload.text("agent", default=""),
        agent_id=payload.text("agent_id", _ID, default=""),
        model=payload.text("model", default=""),
        client=payload.text("client", default=""),
        opened_unix_ms=payload.integer("opened_unix_ms", default=0),
        deadline_unix_ms=payload.integer("deadline_unix_ms", default=0),
    )


def _question(item: Fields) -> m.Question:
    return m.Question(
        question=item.text("question", _WORDS),
        header=item.text("header", limits.HEADER_CHARACTERS, default=""),
        options=item.each("options", _option, limits.OPTIONS_PER_QUESTION),
        multiple=item.flag("multiple", default=False),
        custom=item.flag("custom", default=False),
    )


def _option(item: Fields) -> m.Option:
    return m.Option(
        label=item.text("label", limits.OPTION_CHARACTERS),
        description=item.text("description", limits.OPTION_CHARACTERS, default=""),
    )


def _approval(item: Fields) -> m.Approval:
    return m.Approval(
        tool=item.text("tool", default=""),
        command=item.text("command", _WORDS, default=""),
        cwd=item.text("cwd", limits.PATH_CHARACTERS, default=""),
        description=item.text("description", _WORDS, default=""),
        input_json=item.text("input_json", _WORDS, default=""),
        can_allow_session=item.flag("can_allow_session", default=False),
        can_edit=item.flag("can_edit", default=False),
    )


def _reply(payload: Fields) -> m.Reply:
    reply = m.Reply(
        request_id=payload.id("request_id"),
        kind=payload.choice("kind", m.Kind, default=m.Kind.QUESTION),
        message=payload.text("message", _WORDS, default=""),
        answers=_answers(payload),
        action=payload.choice("action", m.Action, default=m.Action.ANSWER),
        contents=read_contents(payload),
        agent_id=payload.text("agent_id", _ID, default=""),
        input_json=payload.text("input_json", _WORDS, default=""),
    )
    said = reply.message.strip() or reply.answers or reply.contents
    if not said and reply.action is m.Action.ANSWER and reply.kind is not m.Kind.REPORT:
        raise payload.wrong("message", "is missing: an answer says something")
    return reply


def _answers(item: Fields) -> tuple[m.Answer, ...]:
    return item.each("answers", _answer, limits.QUESTIONS_PER_REQUEST)


def _answer(item: Fields) -> m.Answer:
    index = item.integer("index")
    if not 0 <= index < limits.QUESTIONS_PER_REQUEST:
        raise item.wrong("index", f"must be from 0 to {limits.QUESTIONS_PER_REQUEST - 1}")
    return m.Answer(
        index=index,
        labels=item.texts("labels", limits.OPTIONS_PER_QUESTION, limits.OPTION_CHARACTERS),
        text=item.text("text", _WORDS, default=""),
    )


def _state(payload: Fields) -> m.RequestState:
    answered = payload.has("reply")
    return m.RequestState(
        request_id=payload.id("request_id"),
        state=payload.choice("state", m.State),
        reason=payload.code("reason", default=ErrorCode.UNSPECIFIED),
        by=payload.text("by", default=""),
        deadline_unix_ms=payload.integer("deadline_unix_ms", default=0),
        late=payload.flag("late", default=False),
        received=payload.flag("received", default=False),
        agent_gone=payload.flag("agent_gone", default=False),
        message=payload.text("message", _REASON, default=""),
        changed_unix_ms=payload.integer("changed_unix_ms", default=0),
        reply=_said(payload.fields("reply")) if answered else None,
    )


def _said(item: Fields) -> m.Said:
    return m.Said(
        # All the texts of an answer in one.
        message=item.text("message", limits.FRAME_BYTES, default=""),
        answers=_answers(item),
        action=item.choice("action", m.Action, default=m.Action.ANSWER),
    )


_READ: Final[dict[str, Callable[[Fields], m.Payload]]] = {
    m.Hello.TYPE: _hello,
    m.Ping.TYPE: _ping,
    m.Pong.TYPE: _pong,
    m.Ack.TYPE: _ack,
    m.Error.TYPE: _error,
    m.Text.TYPE: _text,
    m.Image.TYPE: _image,
    m.Request.TYPE: _request,
    m.Reply.TYPE: _reply,
    m.RequestState.TYPE: _state,
    **READ_TOOLS,
}

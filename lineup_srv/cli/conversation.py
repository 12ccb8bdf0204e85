"""A room's facts as a conversation that people, or programs, can read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from lineup_srv.cli.call_entries import call_entry, call_paragraphs, calls_of
from lineup_srv.contract import limits
from lineup_srv.domain.call_facts import CallFact
from lineup_srv.domain.facts import (
    Opened,
    PictureShown,
    RequestFact,
    RequestStep,
    TextKept,
    TextReceived,
    TextSaid,
)
from lineup_srv.domain.fold import changed_request, opened_request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineup_srv.contract.ids import CallId, RequestId
    from lineup_srv.domain.contents import Content, ContentRef
    from lineup_srv.domain.people import Author
    from lineup_srv.domain.request import Reply, Request
    from lineup_srv.logs.sqlite.offline import RoomRecord

__all__ = ["as_json", "as_markdown"]

Entry = dict[str, Any]
_LOST: Final = "(this part is not on the relay's disk)"


def as_json(rooms: Sequence[RoomRecord]) -> str:
    """The rooms as one JSON object; instants are Unix milliseconds."""
    told = [
        {"room_id": room.room_id, "names": room.names, "entries": list(_entries(room))}
        for room in rooms
    ]
    return json.dumps({"rooms": told}, ensure_ascii=False, indent=1) + "\n"


def as_markdown(rooms: Sequence[RoomRecord]) -> str:
    """The rooms as a text; times are UTC."""
    lines: list[str] = []
    for room in rooms:
        names = f" ({', '.join(room.names)})" if room.names else ""
        lines += [f"# Room {room.room_id[:8]}{names}", ""]
        for entry in _entries(room):
            lines += [*_paragraphs(entry), ""]
    return "\n".join(lines) if lines else "Nothing was asked or said.\n"


def _entries(room: RoomRecord) -> Iterator[Entry]:
    """One for each request, call, text and picture, in the order of their beginning."""
    requests = _requests(room)
    received = {line.fact.text_id for line in room.facts if isinstance(line.fact, TextReceived)}
    calls = calls_of(room)
    seen: set[RequestId | CallId] = set()
    for line in room.facts:
        match line.fact:
            case TextKept() as text:
                yield {
                    "type": "text_to_agent",
                    "at_unix_ms": text.at_unix_ms,
                    "agent_id": text.agent_id,
                    "by": _author(text.by),
                    "contents": _contents(text.contents, room.bodies),
                    "received": text.text_id in received,
                }
            case TextSaid() as said:
                yield {
                    "type": "text_of_agent",
                    "at_unix_ms": said.at_unix_ms,
                    "agent": said.agent_name or said.agent.client,
                    "agent_id": said.agent.agent_id,
                    "project_directory": said.agent.directory,
                    "contents": _contents(said.contents, room.bodies),
                }
            case PictureShown() as shown:
                yield {
                    "type": "picture",
                    "at_unix_ms": shown.at_unix_ms,
                    "agent": shown.agent_name or shown.agent.client,
                    "agent_id": shown.agent.agent_id,
                    "project_directory": shown.agent.directory,
                    "url": shown.picture.url,
                    "alt": shown.picture.alt,
                    "caption": shown.picture.caption,
                }
            case fact if isinstance(fact, CallFact):
                call = calls.get(fact.call_id)
                if call is not None and call.call_id not in seen:
                    seen.add(call.call_id)
                    yield call_entry(call, lambda ref: _text(ref, room.bodies))
            case fact if isinstance(fact, RequestFact):
                request = requests.get(fact.request_id)
                if request is not None and request.request_id not in seen:
                    seen.add(request.request_id)
                    yield _request(request, room.bodies)


def _requests(room: RoomRecord) -> dict[RequestId, Request]:
    """Every request as its facts say it stands; the room's state may have forgotten it."""
    requests: dict[RequestId, Request] = {}
    for line in room.facts:
        fact = line.fact
        if isinstance(fact, Opened):
            requests[fact.request_id] = opened_request(fact, line.seq)
        elif isinstance(fact, RequestStep) and fact.request_id in requests:
            requests[fact.request_id] = changed_request(requests[fact.request_id], fact)
    return room.logged.requests | requests


def _request(request: Request, bodies: Mapping[str, bytes]) -> Entry:
    asked = request.asked
    return {
        "type": asked.kind.value,
        "at_unix_ms": request.opened_unix_ms,
        "request_id": request.request_id,
        "agent": request.agent_name or request.agent.client,
        "agent_id": request.agent.agent_id,
        "client": request.agent.client,
        "model": request.model,
        "machine": request.agent.machine_name,
        "project_directory": asked.project_directory,
        "text": _text(asked.text, bodies),
        "questions": [
            {
                "header": question.header,
                "question": _text(question.text, bodies),
                "multiple": question.multiple,
                "options": [
                    {"label": option.label, "description": option.description}
                    for option in question.options
                ],
            }
            for question in asked.questions
        ],
        "approval": None
        if asked.approval is None
        else {"tool": asked.approval.tool, "command": asked.approval.command},
        "contents": _contents(asked.contents, bodies),
        "state": request.state.value,
        "reason": request.message or request.reason.value,
        "deadline_unix_ms": request.deadline_unix_ms,
        "late": request.late,
        "received": request.received,
        "reply": None if request.reply is None else _reply(request.reply, bodies),
    }


def _reply(reply: Reply, bodies: Mapping[str, bytes]) -> Entry:
    return {
        "at_unix_ms": reply.at_unix_ms,
        "by": _author(reply.by),
        "action": reply.action.value,
        "answers": [
            {"index": answer.index, "labels": answer.labels, "text": answer.text}
            for answer in reply.answers
        ],
        "contents": _contents(reply.contents, bodies),
    }


def _author(author: Author) -> Entry:
    return {"nickname": author.nickname, "platform": author.platform, "device": author.device_id}


def _contents(contents: Iterable[Content], bodies: Mapping[str, bytes]) -> list[Entry]:
    return [
        {"type": "text", "text": _text(content.ref, bodies)}
        if content.ref.mime.startswith("text/")
        else {
            "type": content.kind.value,
            "mime_type": content.ref.mime,
            "bytes": content.ref.size,
            "sha256": content.ref.sha256,
        }
        for content in contents
    ]


def _text(ref: ContentRef, bodies: Mapping[str, bytes]) -> str:
    if ref.inline is not None:
        return ref.inline
    data = bodies.get(ref.sha256)
    if data is None and ref.size > limits.EXPORTED_TEXT_BYTES:
        return f"(a text of {ref.size} bytes, too long for an export: read it on the page)"
    return _LOST if data is None else data.decode("utf-8", "replace")


# Markdown ------------------------------------------------------------------------------------


def _paragraphs(entry: Entry) -> list[str]:
    when = _instant(entry["at_unix_ms"])
    match entry["type"]:
        case "text_to_agent":
            whom = entry["agent_id"] or "all agents"
            return [f"## {when} · {entry['by']['nickname']} to {whom}", "", *_shown(entry)]
        case "text_of_agent":
            return [f"## {when} · {entry['agent']} wrote", "", *_shown(entry)]
        case "picture":
            words = entry["caption"] or entry["alt"] or entry["url"] or "no caption"
            return [f"## {when} · {entry['agent']} showed a picture", "", words]
        case "tool_call":
            return call_paragraphs(entry, when)
        case _:
            return _asked_paragraphs(entry, when)


def _asked_paragraphs(entry: Entry, when: str) -> list[str]:
    model = f" ({entry['model']})" if entry["model"] else ""
    lines = [
        f"## {when} · {entry['type'].capitalize()} of {entry['agent'] or 'an agent'}{model}",
        "",
        f"`{entry['project_directory']}`",
        "",
    ]
    if entry["approval"]:
        lines += [f"{entry['approval']['tool']}: `{entry['approval']['command']}`", ""]
    questions = entry["questions"] or [{"question": entry["text"], "header": "", "options": []}]
    for question in questions:
        if question["header"]:
            lines += [f"**{question['header']}**", ""]
        lines += [question["question"], ""]
        for option in question["options"]:
            words = f": {option['description']}" if option["description"] else ""
            lines.append(f"- {option['label']}{words}")
        if question["options"]:
            lines.append("")
    lines += [*_shown(entry), _ending(entry)]
    return [*lines, *_quoted_reply(entry)]


def _ending(entry: Entry) -> str:
    reply = entry["reply"]
    if reply is None:
        reason = entry["reason"] if entry["reason"] not in ("unspecified", entry["state"]) else ""
        return f"**{entry['state'].capitalize()}**" + (f": {reason}" if reason else "")
    late = " too late for the call" if entry["late"] else ""
    what = "Dismissed" if reply["action"] == "decline" else "Answered"
    by = reply["by"]
    device = f" ({by['platform']})" if by["platform"] else ""
    return f"**{what}{late}** by {by['nickname']}{device}, {_instant(reply['at_unix_ms'])}:"


def _quoted_reply(entry: Entry) -> list[str]:
    reply = entry["reply"]
    if reply is None:
        return []
    words = [
        " / ".join([*answer["labels"], *([answer["text"]] if answer["text"] else [])])
        for answer in reply["answers"]
    ]
    # The readable form of the answers is among the contents of most clients.
    text = "\n".join(_shown(reply)) or "\n".join(words)
    return ["", *(f"> {line}".rstrip() for line in text.split("\n"))] if text else []


def _shown(entry: Entry) -> list[str]:
    return [
        content["text"]
        if content["type"] == "text"
        else f"[{content['type']}: {content['mime_type']}, {content['bytes']} bytes]"
        for content in entry["contents"]
    ]


def _instant(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

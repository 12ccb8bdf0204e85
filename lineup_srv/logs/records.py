"""Facts and snapshots as they lie in the log: JSON text with `kind` and `v`.

A record that an older release wrote is upgraded as a plain dict, one version at a time, before it
becomes a fact. To change a fact: raise its version in `KINDS` and add the upgrader of the old one
to `FACT_UPGRADERS`; snapshots likewise. No storage and no decisions here.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, Final

import msgspec

from lineup_srv.contract import errors, ids, tools
from lineup_srv.domain import call, call_facts, contents, facts, people, request, state
from lineup_srv.domain.call import Call, Instance, OfferedTool
from lineup_srv.domain.call_book import CallBook
from lineup_srv.domain.request import Request
from lineup_srv.domain.state import KeptText, Logged
from lineup_srv.logs.errors import RecordUnreadable

if typing.TYPE_CHECKING:
    from lineup_srv.domain.facts import Fact

__all__ = [
    "FACT_UPGRADERS",
    "KINDS",
    "SNAPSHOT_UPGRADERS",
    "SNAPSHOT_VERSION",
    "FactCodec",
    "Kind",
    "SnapshotCodec",
    "decode_fact",
    "decode_snapshot",
    "encode_fact",
    "encode_snapshot",
    "kind_of",
]

Record = dict[str, Any]
Upgrader = Callable[[Record], Record]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of record: its name at rest, its class, its newest version."""

    name: str
    fact_class: type[Fact]
    version: int


KINDS: Final = (
    Kind("opened", facts.Opened, 1),
    Kind("joined", facts.Joined, 1),
    Kind("answered", facts.Answered, 2),
    Kind("declined", facts.Declined, 2),
    Kind("expired", facts.Expired, 1),
    Kind("cancelled", facts.Cancelled, 1),
    Kind("late_replied", facts.LateReplied, 2),
    Kind("corrected", facts.Corrected, 2),
    Kind("deadline_moved", facts.DeadlineMoved, 1),
    Kind("handed_over", facts.HandedOver, 1),
    Kind("received", facts.Received, 1),
    Kind("text_kept", facts.TextKept, 2),
    Kind("text_handed_over", facts.TextHandedOver, 1),
    Kind("text_received", facts.TextReceived, 1),
    Kind("text_said", facts.TextSaid, 1),
    Kind("picture_shown", facts.PictureShown, 1),
    Kind("tool_remembered", call_facts.ToolRemembered, 1),
    Kind("tool_forgotten", call_facts.ToolForgotten, 1),
    Kind("call_opened", call_facts.CallOpened, 1),
    Kind("call_attached", call_facts.CallAttached, 1),
    Kind("call_given", call_facts.CallGiven, 1),
    Kind("call_receipt", call_facts.CallReceipt, 1),
    Kind("call_progressed", call_facts.CallProgressed, 1),
    Kind("call_ended", call_facts.CallEnded, 1),
    Kind("call_result_kept", call_facts.CallResultKept, 1),
    Kind("call_deadline_moved", call_facts.CallDeadlineMoved, 1),
    Kind("call_received", call_facts.CallReceived, 1),
)


def _with_input(record: Record) -> Record:
    """Version 2 of a reply says whether an approval's input was edited."""
    return {**record, "reply": {**record["reply"], "input_json": ""}}


def _with_origin(record: Record) -> Record:
    """Version 1 of a kept text knew replies to unknown requests only."""
    return {**record, "unknown_request": True}


FACT_UPGRADERS: Final[Mapping[tuple[str, int], Upgrader]] = {
    ("answered", 1): _with_input,
    ("declined", 1): _with_input,
    ("late_replied", 1): _with_input,
    ("corrected", 1): _with_input,
    ("text_kept", 1): _with_origin,
}
"""(kind, version) → the same record one version later."""


def _snapshot_with_inputs(snapshot: Record) -> Record:
    """Version 2 of a snapshot has version 2 of replies."""
    requests = [
        request if request["reply"] is None else _with_input(request)
        for request in snapshot["requests"]
    ]
    return {**snapshot, "requests": requests}


def _snapshot_with_calls(snapshot: Record) -> Record:
    """Version 3 of a snapshot knows tools and their calls."""
    return {
        **snapshot,
        "calls": [],
        "ended_calls_order": [],
        "instances": [],
        "remembered_tools": [],
    }


SNAPSHOT_VERSION: Final = 3
SNAPSHOT_UPGRADERS: Final[Mapping[tuple[str, int], Upgrader]] = {
    ("snapshot", 1): _snapshot_with_inputs,
    ("snapshot", 2): _snapshot_with_calls,
}
"""("snapshot", version) → the same snapshot one version later."""
_SNAPSHOT: Final = "snapshot"


def _resolve_annotations() -> None:
    """Turn the core's annotations into types, which msgspec needs and cannot find by itself.

    The core imports what only its annotations need under TYPE_CHECKING, so the names are missing
    from its modules at run time.
    """
    modules = (errors, ids, tools, contents, people, request, call, call_facts, facts, state)
    names = {name: value for module in modules for name, value in vars(module).items()}
    for value in names.values():
        if isinstance(value, type) and is_dataclass(value):
            value.__annotations__ = typing.get_type_hints(value, localns=names)


_resolve_annotations()


class _Head(msgspec.Struct):
    kind: str
    v: int


_HEAD: Final = msgspec.json.Decoder(_Head)
_ENCODER: Final = msgspec.json.Encoder()


def _upgraded(
    text: str, head: _Head, newest: int, upgraders: Mapping[tuple[str, int], Upgrader]
) -> Record:
    """The record as this release would have written it."""
    record: Record = msgspec.json.decode(text)
    for version in range(head.v, newest):
        upgrader = upgraders.get((head.kind, version))
        if upgrader is None:
            raise RecordUnreadable(head.kind, version, "no upgrader")
        try:
            record = upgrader(record)
        except (KeyError, TypeError) as error:
            raise RecordUnreadable(head.kind, version, f"damaged: {error!r}") from error
    return record


def _head(text: str, newest: Mapping[str, int]) -> _Head:
    try:
        head = _HEAD.decode(text)
    except msgspec.DecodeError as error:
        raise RecordUnreadable("", 0, f"damaged: {error}") from error
    if head.kind not in newest:
        raise RecordUnreadable(head.kind, head.v, "unknown kind; a newer LineUp wrote it")
    if head.v > newest[head.kind]:
        raise RecordUnreadable(head.kind, head.v, "a newer LineUp wrote it")
    return head


class FactCodec:
    """Facts ↔ text. Made once; tests make their own with invented versions."""

    def __init__(
        self, kinds: tuple[Kind, ...], upgraders: Mapping[tuple[str, int], Upgrader]
    ) -> None:
        self._newest = {kind.name: kind.version for kind in kinds}
        self._names = {kind.fact_class: kind.name for kind in kinds}
        self._prefixes = {
            kind.fact_class: f'{{"kind":"{kind.name}","v":{kind.version},'.encode()
            for kind in kinds
        }
        self._classes = {kind.name: kind.fact_class for kind in kinds}
        self._decoders = {kind.name: msgspec.json.Decoder(kind.fact_class) for kind in kinds}
        self._upgraders = upgraders

    def kind_of(self, fact: Fact) -> str:
        """The name of the fact's kind."""
        return self._names[type(fact)]

    def encode(self, fact: Fact) -> str:
        """The record of the fact. Raises ValueError if a text in it is not valid Unicode."""
        # The head is put in front of the object instead of building a second one around it.
        return (self._prefixes[type(fact)] + _ENCODER.encode(fact)[1:]).decode()

    def decode(self, text: str) -> Fact:
        """The fact of a record. Raises RecordUnreadable."""
        head = _head(text, self._newest)
        try:
            if head.v == self._newest[head.kind]:
                return self._decoders[head.kind].decode(text)
            record = _upgraded(text, head, self._newest[head.kind], self._upgraders)
            return msgspec.convert(record, self._classes[head.kind])
        except msgspec.DecodeError as error:
            raise RecordUnreadable(head.kind, head.v, f"damaged: {error}") from error


class _Snapshot(msgspec.Struct):
    """A state at rest.

    Which requests are open, ended or in the mailbox follows from the requests; the order in which
    the last two came to be so does not, and `forget_old` and the mailbox go by it.
    """

    last_seq: int
    # Raw: each is decoded by its own call, so that a big room does not hold the GIL in one piece.
    requests: list[msgspec.Raw]
    aliases: dict[ids.RequestId, ids.RequestId]
    texts: list[KeptText]
    ended_order: list[ids.RequestId]
    mail_order: list[ids.RequestId]
    calls: list[msgspec.Raw]
    ended_calls_order: list[ids.CallId]
    instances: list[Instance]
    remembered_tools: list[OfferedTool]


class SnapshotCodec:
    """A room's logged state ↔ text."""

    def __init__(self, version: int, upgraders: Mapping[tuple[str, int], Upgrader]) -> None:
        self.version = version
        self._upgraders = upgraders
        self._decoder = msgspec.json.Decoder(_Snapshot)
        self._request = msgspec.json.Decoder(Request)
        self._call = msgspec.json.Decoder(Call)

    def encode(self, logged: Logged) -> str:
        """The snapshot of the state."""
        snapshot = _Snapshot(
            last_seq=logged.last_seq,
            requests=[msgspec.Raw(_ENCODER.encode(item)) for item in logged.requests.values()],
            aliases=logged.aliases,
            texts=list(logged.texts.values()),
            ended_order=list(logged.ended_ids),
            mail_order=list(logged.mail_ids),
            calls=[msgspec.Raw(_ENCODER.encode(item)) for item in logged.calls.by_id.values()],
            ended_calls_order=list(logged.calls.ended_ids),
            instances=list(logged.calls.instances.values()),
            remembered_tools=list(logged.calls.remembered.values()),
        )
        head = f'{{"kind":"{_SNAPSHOT}","v":{self.version},'.encode()
        return (head + _ENCODER.encode(snapshot)[1:]).decode()

    def decode(self, text: str) -> Logged:
        """The state of a snapshot. Raises RecordUnreadable."""
        head = _head(text, {_SNAPSHOT: self.version})
        try:
            if head.v < self.version:
                text = _ENCODER.encode(
                    _upgraded(text, head, self.version, self._upgraders)
                ).decode()
            snapshot = self._decoder.decode(text)
            requests = [self._request.decode(raw) for raw in snapshot.requests]
            calls = [self._call.decode(raw) for raw in snapshot.calls]
        except msgspec.DecodeError as error:
            raise RecordUnreadable(head.kind, head.v, f"damaged: {error}") from error
        by_id: dict[ids.RequestId, Request] = {item.request_id: item for item in requests}
        texts: dict[ids.TextId, KeptText] = {item.text_id: item for item in snapshot.texts}
        return Logged(
            last_seq=snapshot.last_seq,
            requests=by_id,
            aliases=snapshot.aliases,
            texts=texts,
            open_ids={item.request_id: None for item in requests if item.pending},
            mail_ids=dict.fromkeys(snapshot.mail_order),
            ended_ids=dict.fromkeys(snapshot.ended_order),
            calls=CallBook.restored(
                calls,
                ended_order=snapshot.ended_calls_order,
                instances=snapshot.instances,
                remembered=snapshot.remembered_tools,
            ),
        )


_FACTS: Final = FactCodec(KINDS, FACT_UPGRADERS)
_SNAPSHOTS: Final = SnapshotCodec(SNAPSHOT_VERSION, SNAPSHOT_UPGRADERS)

kind_of: Final = _FACTS.kind_of
encode_fact: Final = _FACTS.encode
decode_fact: Final = _FACTS.decode
encode_snapshot: Final = _SNAPSHOTS.encode
decode_snapshot: Final = _SNAPSHOTS.decode

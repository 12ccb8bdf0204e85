from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineup_srv.domain.call import Progress
from lineup_srv.domain.call_book import CallBook
from lineup_srv.domain.facts import (
    Answered,
    Corrected,
    Declined,
    Expired,
    Fact,
    LateReplied,
    Opened,
    Received,
    TextKept,
)
from lineup_srv.logs.errors import RecordUnreadable
from lineup_srv.logs.records import (
    KINDS,
    SNAPSHOT_VERSION,
    FactCodec,
    Kind,
    SnapshotCodec,
    decode_fact,
    decode_snapshot,
    encode_fact,
    encode_snapshot,
    kind_of,
)
from tests.logs.sample import answered, conversation, opened
from tests.logs.stores import folded, same_order

few = settings(max_examples=50)
# What is not finite is refused before it becomes a fact: JSON has no word for it.
FINITE = st.floats(allow_nan=False, allow_infinity=False)
st.register_type_strategy(Progress, st.builds(Progress, FINITE, FINITE, st.text()))
REQUEST_IDS = st.sampled_from(["a", "b", "c", "d"])


def about_few_requests(fact_class: type[Any]) -> st.SearchStrategy[Fact]:
    return st.builds(fact_class, request_id=REQUEST_IDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@few
@given(data=st.data())
def test_a_fact_of_every_kind_comes_back_equal(kind: Kind, data: st.DataObject) -> None:
    fact = data.draw(st.from_type(kind.fact_class))
    assert decode_fact(encode_fact(fact)) == fact


def test_every_fact_has_a_kind_of_its_own() -> None:
    assert {kind.fact_class for kind in KINDS} == set(get_args(Fact))
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_the_sample_conversation_has_every_kind() -> None:
    assert {type(fact) for fact in conversation()} == set(get_args(Fact))


def test_a_record_says_its_kind_version_and_time() -> None:
    record = json.loads(encode_fact(opened(7)))
    assert (record["kind"], record["v"], record["at_unix_ms"]) == ("opened", 1, 1_700_000_000_007)


def test_a_text_that_is_no_unicode_cannot_be_encoded() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        encode_fact(opened(1, request_id="\ud800"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind":"sung","v":1}', "record 'sung' version 1: unknown kind; a newer LineUp wrote it"),
        ('{"kind":"received","v":2}', "record 'received' version 2: a newer LineUp wrote it"),
        ('{"kind":"received","v":1}', "record 'received' version 1: damaged: "),
        ('{"kind":"received","v":1,"fact_id":7,"at_unix_ms":1,"request_id":"a"}', "damaged: "),
        ('{"kind":"received","v":0}', "record 'received' version 0: no upgrader"),
        ('{"kind":"answered","v":1}', "record 'answered' version 1: damaged: KeyError('reply')"),
        ('{"kind":"received"', "damaged: "),
        ("", "damaged: "),
    ],
)
def test_an_unreadable_record_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(RecordUnreadable) as caught:
        decode_fact(text)
    assert message in str(caught.value)


def test_an_old_record_is_upgraded_one_version_at_a_time() -> None:
    def rename(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "request": record["id"]}

    def rename_again(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "request_id": record["request"]}

    upgraders = {("received", 1): rename, ("received", 2): rename_again}
    codec = FactCodec((Kind("received", Received, 3),), upgraders)
    old = '{"kind":"received","v":1,"fact_id":"f:0","at_unix_ms":5,"id":"r"}'
    assert repr(codec.decode(old)) == "Received(fact_id='f:0', at_unix_ms=5, request_id='r')"
    assert json.loads(codec.encode(codec.decode(old)))["v"] == 3


@pytest.mark.parametrize("kind", ["answered", "declined", "late_replied", "corrected"])
def test_a_reply_of_version_1_has_no_edited_input(kind: str) -> None:
    [fact] = [f for f in conversation() if kind_of(f) == kind]
    record = json.loads(encode_fact(fact))
    assert record["v"] == 2
    del record["reply"]["input_json"]
    old = decode_fact(json.dumps({**record, "v": 1}))
    assert isinstance(fact, Answered | Declined | LateReplied | Corrected)
    assert old == replace(fact, reply=replace(fact.reply, input_json=""))


def test_a_text_of_version_1_was_for_a_request_that_was_not_known() -> None:
    kept = [f for f in conversation() if isinstance(f, TextKept)]
    assert [f.unknown_request for f in kept] == [True, False]
    for fact in kept:
        record = json.loads(encode_fact(fact))
        assert (record["v"], record.pop("unknown_request")) == (2, fact.unknown_request)
        old = decode_fact(json.dumps({**record, "v": 1}))
        assert old == replace(fact, unknown_request=True)


def test_a_snapshot_of_version_1_has_no_edited_inputs() -> None:
    logged = folded(conversation())
    record = json.loads(encode_snapshot(logged))
    assert record["v"] == SNAPSHOT_VERSION
    for item in record["requests"]:
        if item["reply"] is not None:
            del item["reply"]["input_json"]
    old = decode_snapshot(json.dumps({**record, "v": 1}))
    inputs = [r.reply.input_json for r in old.requests.values() if r.reply is not None]
    assert set(inputs) == {""}
    assert list(old.requests) == list(logged.requests)
    assert old.texts == logged.texts


def test_a_snapshot_of_version_2_knows_no_calls() -> None:
    logged = folded(conversation())
    record = json.loads(encode_snapshot(logged))
    for name in ("calls", "ended_calls_order", "instances", "remembered_tools"):
        assert record.pop(name)
    old = decode_snapshot(json.dumps({**record, "v": 2}))
    assert old.calls == CallBook()
    assert replace(old, calls=logged.calls) == logged


@few
@given(
    facts=st.lists(
        st.one_of(
            *(
                about_few_requests(fact_class)
                for fact_class in (Opened, Answered, Declined, Expired, LateReplied, Received)
            )
        ),
        max_size=30,
    )
)
def test_a_snapshot_is_the_state_it_was_taken_of_in_the_same_order(facts: list[Fact]) -> None:
    logged = folded(facts)
    assert same_order(decode_snapshot(encode_snapshot(logged)), logged)


def test_a_snapshot_keeps_the_sample_conversation() -> None:
    logged = folded(conversation())
    assert logged.open_ids
    assert logged.mail_ids
    assert logged.ended_ids
    assert logged.texts
    assert logged.aliases
    assert same_order(decode_snapshot(encode_snapshot(logged)), logged)


def test_a_snapshot_keeps_the_order_of_the_answers() -> None:
    logged = folded([opened(1), opened(2), answered(2), answered(1)])
    kept = decode_snapshot(encode_snapshot(logged))
    assert list(kept.mail_ids) == ["request2", "request1"]
    assert list(kept.ended_ids) == ["request2", "request1"]


def test_an_old_snapshot_is_upgraded() -> None:
    def upgrade(snapshot: dict[str, Any]) -> dict[str, Any]:
        return {**snapshot, "aliases": snapshot["joined"]}

    logged = folded(conversation())
    old = encode_snapshot(logged).replace('"aliases":{"alias2"', '"joined":{"alias2"')
    assert '"joined"' in old
    newer = SNAPSHOT_VERSION + 1
    codec = SnapshotCodec(newer, {("snapshot", SNAPSHOT_VERSION): upgrade})
    assert codec.decode(old) == logged


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind":"snapshot","v":4}', "record 'snapshot' version 4: a newer LineUp wrote it"),
        ('{"kind":"snapshot","v":3}', "record 'snapshot' version 3: damaged: "),
        ('{"kind":"snapshot","v":2}', "record 'snapshot' version 2: damaged: "),
        ('{"kind":"snapshot","v":1}', "record 'snapshot' version 1: damaged: KeyError('requests')"),
        (
            '{"kind":"snapshot","v":1,"requests":3}',
            "record 'snapshot' version 1: damaged: TypeError",
        ),
        ('{"kind":"opened","v":1}', "unknown kind"),
    ],
)
def test_an_unreadable_snapshot_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(RecordUnreadable) as caught:
        decode_snapshot(text)
    assert message in str(caught.value)

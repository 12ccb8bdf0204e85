"""Writes the facts of one append and what is derived from them, in the writer's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.domain.facts import ack_code_of, ref_of
from lineup_srv.logs.derived import begins, blobs_of, clears_deadline, deadline_set_by, subject_of
from lineup_srv.logs.records import encode_fact, kind_of
from lineup_srv.service.ports import Conflict, LoggedFact, LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.facts import Fact

__all__ = ["Append"]

_STAND: Final = """
    SELECT
        (SELECT 1 FROM rooms WHERE room_id = :room),
        (SELECT max(seq) FROM facts WHERE room_id = :room),
        (SELECT seq FROM facts WHERE room_id = :room AND fact_id = :first),
        (SELECT max(next_seq) FROM snapshots WHERE room_id = :room)
"""
_FACT: Final = "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)"
# The first Ack of a ref is the one that is repeated.
_REF: Final = "INSERT OR IGNORE INTO refs VALUES (?, ?, ?, ?, ?)"
_DEADLINE: Final = "INSERT OR REPLACE INTO deadlines VALUES (?, ?, ?)"
# A fact about a request at its end must not bring its deadline back.
_MOVE: Final = "UPDATE deadlines SET deadline_unix_ms = ? WHERE room_id = ? AND request_id = ?"
_CLEAR: Final = "DELETE FROM deadlines WHERE room_id = ? AND request_id = ?"
_NAMED: Final = "INSERT OR IGNORE INTO named_blobs VALUES (?, ?, ?)"


class Append:
    """Work for the writer. All that can be done before the transaction is done when it is made.

    Once it has run, `written` are the facts that it wrote, none if they were there already, and
    `snapshot_due_seq` is the seq at which the room's next snapshot is due; None: it has none yet.
    """

    __slots__ = (
        "_expected_seq",
        "_logged",
        "_room_id",
        "_rows",
        "_side",
        "size",
        "snapshot_due_seq",
        "written",
    )

    def __init__(
        self, room_id: RoomId, expected_seq: int, facts: Sequence[Fact], now_unix_ms: int
    ) -> None:
        """Raises LogRefused if a text in it is not valid Unicode."""
        if not facts:
            raise ValueError("an append without facts")
        self._room_id = room_id
        self._expected_seq = expected_seq
        self._logged = [
            LoggedFact(seq, fact) for seq, fact in enumerate(facts, start=expected_seq + 1)
        ]
        try:
            self._rows = [
                (
                    room_id,
                    seq,
                    fact.fact_id,
                    kind_of(fact),
                    subject_of(fact),
                    fact.at_unix_ms,
                    encode_fact(fact),
                )
                for seq, fact in enumerate(facts, start=expected_seq + 1)
            ]
        except ValueError as error:
            raise LogRefused(f"a fact cannot be written: {error}") from error
        self.size = sum(len(row[-1]) for row in self._rows)
        self.written: Sequence[LoggedFact] = ()
        self.snapshot_due_seq: int | None = None
        self._side = [
            change
            for logged in self._logged
            for change in _side_changes(room_id, logged.seq, logged.fact, now_unix_ms)
        ]

    def __call__(self, db: sqlite3.Connection) -> int:
        """Check, then write; the room's last seq.

        Raises Conflict or LogRefused before anything is written.
        """
        room, last_seq, first_seq, self.snapshot_due_seq = db.execute(
            _STAND, {"room": self._room_id, "first": self._rows[0][2]}
        ).fetchone()
        if first_seq is not None:
            self.written = ()
            return self._repeated(db)
        if room is None:
            raise LogRefused("the room does not exist")
        if (last_seq or 0) != self._expected_seq:
            raise Conflict
        db.executemany(_FACT, self._rows)
        for statement, values in self._side:
            db.execute(statement, values)
        self.written = self._logged
        return self._logged[-1].seq

    def _repeated(self, db: sqlite3.Connection) -> int:
        """The last seq of facts that are in the log already."""
        seqs = [
            db.execute(
                "SELECT seq FROM facts WHERE room_id = ? AND fact_id = ?", (self._room_id, row[2])
            ).fetchone()
            for row in self._rows
        ]
        if None in seqs:
            raise LogRefused("some of the facts are in the log already, and some are not")
        last: int = seqs[-1][0]
        return last


def _side_changes(
    room_id: RoomId, seq: int, fact: Fact, now_unix_ms: int
) -> list[tuple[str, tuple[object, ...]]]:
    """Statements for what stands beside the fact."""
    changes: list[tuple[str, tuple[object, ...]]] = []
    ref = ref_of(fact)
    if ref:
        changes.append((_REF, (room_id, ref, seq, ack_code_of(fact).value, now_unix_ms)))
    deadline_unix_ms = deadline_set_by(fact)
    if deadline_unix_ms is not None:
        changes.append(
            (_DEADLINE, (room_id, subject_of(fact), deadline_unix_ms))
            if begins(fact)
            else (_MOVE, (deadline_unix_ms, room_id, subject_of(fact)))
        )
    elif clears_deadline(fact):
        changes.append((_CLEAR, (room_id, subject_of(fact))))
    changes.extend((_NAMED, (room_id, sha256, seq)) for sha256 in blobs_of(fact))
    return changes

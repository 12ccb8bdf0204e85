"""The one thread that writes, and its group commit.

Whatever is asked for while a commit is under way goes into the next transaction together, so that
many rooms share one fsync. Each piece of work keeps its own fate: it may refuse before it writes
anything; if a statement fails, the group is undone and its work is done one by one.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from lineup_srv.contract import limits
from lineup_srv.service.ports import Conflict, LogRefused, LogUnknown

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

__all__ = ["Writer"]

logger = logging.getLogger(__name__)

T = TypeVar("T")

GROUP_JOBS: Final = 1_024
# A checkpoint copies the log file's pages (4 kB) back; done between groups, not inside a commit.
CHECKPOINT_PAGES: Final = 1_000
# Between two tries to empty the write-ahead file while somebody reads from it.
_EMPTYING_SECONDS: Final = 1.0
# SQLite's own one, should there never be a pause.
_BACKSTOP_PAGES: Final = 16_000
_PAGES_PER_JOB: Final = 6
_PAGE_BYTES: Final = 4_096
# The disk answered the commit, and the answer was no; after any other error it may be there.
_REFUSED_AT_COMMIT: Final = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_READONLY,
    }
)


@dataclass(slots=True)
class _Job(Generic[T]):
    """Work with what to tell of its end. `size` is the weight of its bytes in the queue."""

    work: Callable[[sqlite3.Connection], T]
    size: int
    future: asyncio.Future[T] | None
    committed: Callable[[T], None] | None
    result: T | None = field(default=None, init=False)
    error: Exception | None = field(default=None, init=False)


class Writer:
    """Runs work in the writing thread.

    Work is a function of the connection. It runs inside a transaction, must do all its checks
    before it writes, and may raise Conflict or LogRefused from them; it may run twice.
    """

    def __init__(self, db: sqlite3.Connection, loop: asyncio.AbstractEventLoop) -> None:
        """Start the thread. `db` is the writer's alone from now on; `close` closes it."""
        self.commits = 0
        """Transactions committed so far; for tests and metrics."""
        db.execute(f"PRAGMA wal_autocheckpoint = {_BACKSTOP_PAGES}")
        self._db = db
        self._loop = loop
        self._queue: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._jobs = 0
        self._bytes = 0
        self._closed = False
        self._pages = 0
        self._emptying = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def submit(
        self,
        work: Callable[[sqlite3.Connection], T],
        *,
        size: int,
        committed: Callable[[T], None] | None,
    ) -> asyncio.Future[T]:
        """Queue work from the event loop.

        Args:
            work: what to do; see the class.
            size: bytes it carries, for the queue's limit.
            committed: called on the loop with the result as soon as it is durable, in the order
                of the commits, whether or not anybody still awaits the future. It must not raise.

        Returns:
            A future of what `work` returns. It raises Conflict, LogRefused or LogUnknown.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        if self._closed:
            future.set_exception(LogRefused("the log is closed"))
        elif self._is_full(size):
            future.set_exception(LogRefused("the log cannot keep up: its queue is full"))
        else:
            self._jobs += 1
            self._bytes += size
            self._queue.put(_Job(work, size, future, committed))
        return future

    def _is_full(self, size: int) -> bool:
        """Whether one more piece of work is too much; alone, a large one is not."""
        too_large = self._bytes + size > limits.LOG_QUEUE_BYTES
        return self._jobs >= limits.LOG_QUEUE_JOBS or (self._jobs > 0 and too_large)

    def post(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Queue work from any thread that nobody waits for; a failure of it is logged.

        It gets a transaction of its own after the group it came with.
        """
        self._queue.put(_Job(work, 0, None, None))

    def empty_log_file(self) -> None:
        """Empty the write-ahead file as soon as nobody reads from it; else it keeps old pages.

        For work that deleted what must leave no trace; called by it, in the writing thread.
        """
        self._emptying = True

    def refuse(self) -> None:
        """Refuse new work from now on. On the loop, before `close`."""
        self._closed = True

    def close(self) -> None:
        """Finish the queue, close the file. Blocks; not on the loop's thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        open_ = True
        while open_:
            jobs, open_ = self._take()
            group = [job for job in jobs if job.future is not None]
            if group:
                self._commit_group(group)
                _log_failures(group)
                self._report(group)
            for job in jobs:
                if job.future is None:
                    self._commit_group([job])
                    _log_failures([job])
            self._pages += sum(_PAGES_PER_JOB + job.size // _PAGE_BYTES for job in jobs)
            if self._emptying or (self._pages >= CHECKPOINT_PAGES and self._queue.empty()):
                self._checkpoint()
        # The last connection to close copies the write-ahead file back and removes it.
        self._db.close()

    def _take(self) -> tuple[list[_Job[Any]], bool]:
        """Wait for work and take all there is; False: the queue was closed behind it.

        While the write-ahead file is to be emptied it does not wait for long, and may take none.
        """
        jobs: list[_Job[Any]] = []
        try:
            job = self._queue.get(timeout=_EMPTYING_SECONDS if self._emptying else None)
        except queue.Empty:
            return jobs, True
        while job is not None:
            jobs.append(job)
            if len(jobs) >= GROUP_JOBS:
                return jobs, True
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _commit_group(self, jobs: Sequence[_Job[Any]]) -> None:
        """Do the work in one transaction, or else in one each."""
        if self._try_together(jobs):
            return
        if len(jobs) > 1:
            for job in jobs:
                self._try_together([job])

    def _try_together(self, jobs: Sequence[_Job[Any]]) -> bool:
        """False: nothing was written, and doing them one by one may help."""
        db = self._db
        for job in jobs:
            job.result = job.error = None
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            # Another program holds the file, say: trying each alone would wait as often.
            _fail(jobs, LogRefused, error)
            return True
        try:
            for job in jobs:
                try:
                    job.result = job.work(db)
                except (Conflict, LogRefused) as refusal:
                    job.error = refusal
        except sqlite3.Error as error:
            self._roll_back()
            _fail(jobs, LogRefused, error)
            return False
        except Exception as error:  # a defect of one piece of work, which must not end the thread
            self._roll_back()
            for job in jobs:
                job.error = error
            return False
        try:
            db.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            # Errors of the Python module itself have no code.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            _fail(jobs, LogRefused if code in _REFUSED_AT_COMMIT else LogUnknown, error)
            return True
        self.commits += 1
        return True

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            try:
                self._db.execute("ROLLBACK")
            except sqlite3.Error:
                logger.exception("the log cannot roll back")

    def _checkpoint(self) -> None:
        self._pages = 0
        try:
            if self._emptying:
                self._empty()
            else:
                self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            # Nothing is lost by it: what is committed stays in the write-ahead file.
            logger.warning("the log's checkpoint failed: %s", error)

    def _empty(self) -> None:
        """Checkpoint and truncate; not now, if that would wait for somebody who reads."""
        db = self._db
        (patience_ms,) = db.execute("PRAGMA busy_timeout").fetchone()
        db.execute("PRAGMA busy_timeout = 0")
        try:
            (is_busy, *_) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._emptying = bool(is_busy)
        finally:
            db.execute(f"PRAGMA busy_timeout = {patience_ms}")

    def _report(self, group: list[_Job[Any]]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._tell, group)
        except RuntimeError:
            logger.warning("the event loop ended before the log was closed")

    def _tell(self, group: list[_Job[Any]]) -> None:
        """On the loop. Those who await a future go on only after all of this."""
        for job in group:
            self._jobs -= 1
            self._bytes -= job.size
            if job.future is None or job.future.done():
                continue
            if job.error is None:
                job.future.set_result(job.result)
            else:
                job.future.set_exception(job.error)
        for job in group:
            if job.error is None and job.committed is not None:
                job.committed(job.result)


def _fail(jobs: Sequence[_Job[Any]], failure: Callable[[str], Exception], cause: Exception) -> None:
    """Give each its own exception, except those that have refused by themselves."""
    for job in jobs:
        if job.error is None:
            job.error = failure(str(cause))
            job.error.__cause__ = cause


def _log_failures(jobs: Sequence[_Job[Any]]) -> None:
    """One line for a group; what the work itself raised is for those who wait for it, if any do."""
    failed = [job.error for job in jobs if job.error and (job.error.__cause__ or not job.future)]
    if failed:
        logger.warning("%d of %d writes failed: %s", len(failed), len(jobs), failed[0])

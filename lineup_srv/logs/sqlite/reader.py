"""A few threads that read, each with its own connection, so that nothing blocks the loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

from lineup_srv.logs.sqlite.schema import connect
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Readers"]

T = TypeVar("T")

READERS: Final = 2


class Readers:
    """Runs queries. A query is a function of the connection that writes nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._pool = ThreadPoolExecutor(READERS, "log-reader")
        self._closed = False

    async def run(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """What the query returns. Raises LogRefused if it cannot be read, or after `refuse`."""
        if self._closed:
            raise LogRefused("the log is closed")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._query, query)

    def _query(self, query: Callable[[sqlite3.Connection], T]) -> T:
        db: sqlite3.Connection | None = getattr(self._own, "db", None)
        try:
            if db is None:
                db = self._own.db = connect(self._path, writes=False)
                self._connections.append(db)
            return query(db)
        except sqlite3.Error as error:
            raise LogRefused(str(error)) from error

    def refuse(self) -> None:
        """Refuse new queries from now on. On the loop, before `close`."""
        self._closed = True

    def close(self) -> None:
        """Finish what was asked, close the connections. Blocks; not on the loop's thread."""
        self._pool.shutdown()
        for db in self._connections:
            db.close()

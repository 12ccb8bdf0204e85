"""The log, its blobs and its tokens in one SQLite file: `open_store` and what it gives."""

from __future__ import annotations

from lineup_srv.logs.sqlite.retention import Retention
from lineup_srv.logs.sqlite.store import SqliteStore, open_store

__all__ = ["Retention", "SqliteStore", "open_store"]

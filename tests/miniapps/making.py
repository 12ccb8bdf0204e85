"""MiniApps on disk, for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from lineup_srv.miniapps import MANIFEST
from tests.contract.definitions import toolset

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MANIFEST_OF", "make", "make_raw"]

MANIFEST_OF: Final[dict[str, Any]] = {
    "id": "hello",
    "version": "1",
    "title": "Hello",
    "entry": "index.html",
    "tools": [toolset("greeter")],
}


def make(folder: Path, **changes: Any) -> Path:
    """A MiniApp."""
    return make_raw(folder, json.dumps({**MANIFEST_OF, **changes}, indent=2).encode())


def make_raw(folder: Path, manifest: bytes) -> Path:
    """A MiniApp with this manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_bytes(manifest)
    (folder / "index.html").write_text("<!doctype html>")
    return folder

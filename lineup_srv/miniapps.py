"""MiniApps as folders: what a folder holds, and the folders of a relay; shared with the bridge."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.manifests import is_file_name, read_manifest
from lineup_srv.schemas import can_match

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lineup_srv.contract.manifests import Manifest
    from lineup_srv.contract.offers import Refusal

    _Stamp = tuple[int, int]

__all__ = ["MANIFEST", "MiniApp", "MiniAppFolders", "complaint", "read_folder"]

logger = logging.getLogger(__name__)

MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class MiniApp:
    """One MiniApp and where it lies; `folder` has no symbolic link in it."""

    folder: Path
    manifest: Manifest

    def file(self, name: str) -> Path | None:
        """A file of it; None: there is none, or it lies elsewhere, as behind a symbolic link."""
        if not is_file_name(name):
            return None
        try:
            path = (self.folder / name).resolve(strict=True)
        except (OSError, RuntimeError):
            return None
        return path if path.is_file() and path.is_relative_to(self.folder) else None


def read_folder(folder: Path) -> MiniApp:
    """Read a MiniApp.

    Raises:
        LineUpError: it is none: the folder or manifest cannot be read, or the manifest is wrong.
    """
    try:
        root = folder.resolve(strict=True)
        with (root / MANIFEST).open("rb") as file:
            data = file.read(limits.MANIFEST_BYTES + 1)
        text = data.decode()
    except OSError as error:
        message = f"{folder / MANIFEST} cannot be read: {error.strerror}"
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, message) from error
    except UnicodeDecodeError:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is not UTF-8", field=MANIFEST) from None
    app = MiniApp(root, read_manifest(text, can_match))
    if app.file(app.manifest.entry) is None:
        message = f"there is no file {app.manifest.entry} in the folder"
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, message, field="entry")
    return app


class MiniAppFolders:
    """The MiniApps of a relay: every folder with a manifest inside of these. For any thread."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """Look into `roots`, the first before the others; they need not exist."""
        self._roots = tuple(roots)
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[_Stamp, MiniApp | str]] = {}

    def read(self) -> dict[str, MiniApp]:
        """The MiniApps by id, as they are now; of two with one id the first counts.

        What cannot be used is left out and logged, once as long as that stays the same.
        """
        with self._lock:
            self._read = {folder: self._known(folder, stamp) for folder, stamp in self._folders()}
            apps: dict[str, MiniApp] = {}
            for _, app in self._read.values():
                if isinstance(app, MiniApp):
                    apps.setdefault(app.manifest.application.id, app)
            return apps

    def _folders(self) -> list[tuple[Path, _Stamp]]:
        found: list[tuple[Path, _Stamp]] = []
        for root in self._roots:
            for folder in _inside(root):
                try:
                    stat = (folder / MANIFEST).stat()
                except OSError:
                    continue  # any other folder
                found.append((folder, (stat.st_mtime_ns, stat.st_size)))
        return found[: limits.APPLICATIONS_PER_LIST]

    def _known(self, folder: Path, stamp: _Stamp) -> tuple[_Stamp, MiniApp | str]:
        """The MiniApp, or what is wrong with it: that may be mended beside the manifest."""
        before = self._read.get(folder)
        if before is not None and before[0] == stamp and isinstance(before[1], MiniApp):
            return before
        try:
            app = read_folder(folder)
        except LineUpError as error:
            told = stamp, complaint(error)
            if told != before:
                logger.warning("MiniApp %s is left out: %s", folder, told[1])
            return told
        for refusal in app.manifest.refused:
            logger.warning("MiniApp %s lacks a tool: %s", folder, complaint(refusal))
        return stamp, app


def _inside(root: Path) -> list[Path]:
    """What lies in a folder, in order; nothing, if it is none or may not be read."""
    try:
        return sorted(root.iterdir())
    except OSError:
        return []


def complaint(wrong: LineUpError | Refusal) -> str:
    """What is wrong with a MiniApp, in words for its author."""
    return f"{wrong.field}: {wrong.message}".removeprefix(": ")

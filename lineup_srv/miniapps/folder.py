"""One MiniApp: the folder, its manifest, its files."""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.json_places import Place, places
from lineup_srv.contract.manifests import entry_of, is_file_name, read_manifest
from lineup_srv.miniapps.faults import Fault, faults_in
from lineup_srv.schemas import can_match

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.contract.manifests import Manifest

__all__ = ["MANIFEST", "MiniApp", "Reading", "file_in", "lack_of", "read_manifest_of"]

MANIFEST: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class MiniApp:
    """One MiniApp and where it lies; `folder` has no symbolic link in it."""

    folder: Path
    manifest: Manifest

    def file(self, name: str) -> Path | None:
        """A file of it; None: there is none, or it lies elsewhere, as behind a symbolic link."""
        return file_in(self.folder, name)


def file_in(folder: Path, name: str) -> Path | None:
    """A file of the MiniApp in a folder, which has no symbolic link in it; see `MiniApp.file`."""
    if not is_file_name(name):
        return None
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return path if path.is_file() and path.is_relative_to(folder) else None


def lack_of(folder: Path, name: str) -> str:
    """Why `file_in` finds no such file, and what to do."""
    if not is_file_name(name):
        return (
            f"{name} is not served: names of files have letters a-z, digits, dot, - and _, "
            "and begin with no dot"
        )
    path = folder / name
    if path.is_symlink() or path.exists():
        if path.is_dir():
            return f"{name} is a folder: name a file"
        return f"{name} leads out of the folder, or nowhere: put a copy of the file in its place"
    return f"there is no file {name} in the folder: write it, or correct the name"


@dataclass(frozen=True, slots=True)
class Reading:
    """A manifest that was read.

    Attributes:
        app: the MiniApp; None: it cannot be used.
        faults: what is wrong with it, or with tools that it goes without.
        id_place: where the manifest says the id.
        entry_place: where it names the start page.
        root: the folder without symbolic links; None: there is no manifest to read in it.
        entry: the start page that a manifest names, also one that cannot be used; empty for none.
    """

    app: MiniApp | None
    faults: tuple[Fault, ...]
    id_place: Place | None = None
    entry_place: Place | None = None
    root: Path | None = None
    entry: str = ""

    def looked_at(self) -> Reading:
        """The same with a look at the start page: it comes and goes beside the manifest."""
        if self.root is None or not self.entry or file_in(self.root, self.entry) is not None:
            return self
        missing = Fault(
            file=MANIFEST,
            place=self.entry_place,
            path="entry",
            message=lack_of(self.root, self.entry),
        )
        return replace(self, app=None, faults=(missing, *self.faults), entry="")


def read_manifest_of(folder: Path) -> Reading:
    """Read a MiniApp's manifest and all that is wrong with it; `looked_at` comes next."""
    try:
        root = folder.resolve(strict=True)
        data = _bytes_of(root / MANIFEST)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "symbolic links lead in a circle"
        return _unread(f"cannot be read: {reason}")
    if len(data) > limits.MANIFEST_BYTES:
        return _unread(f"has more than {limits.MANIFEST_BYTES} bytes")
    try:
        # Some editors begin a file with a mark of their own.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        return _unread("is not UTF-8: save it in that encoding", Place.at(before, len(before)))
    errors = Faults()
    manifest = read_manifest(text, can_match, errors)
    faults = faults_in(MANIFEST, text, list(errors))
    entry = entry_of(text) if manifest is None else manifest.entry
    where = places(text, ("id", "entry")) if entry else {}
    app = None if manifest is None else MiniApp(root, manifest)
    return Reading(app, faults, where.get("id"), where.get("entry"), root, entry)


def _bytes_of(path: Path) -> bytes:
    """What a manifest holds, up to a byte more than it may.

    Raises:
        OSError: it cannot be read, or is no file: a pipe would never end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(0, "it is no file")
    with path.open("rb") as file:
        return file.read(limits.MANIFEST_BYTES + 1)


def _unread(message: str, place: Place | None = None) -> Reading:
    return Reading(None, (Fault(file=MANIFEST, place=place, message=message),))

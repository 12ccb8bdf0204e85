"""One MiniApp: the folder, its manifest, its files."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.json_places import Place, places
from lineup_srv.contract.manifests import is_file_name, read_manifest
from lineup_srv.miniapps.faults import Fault, faults_in
from lineup_srv.schemas import can_match

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.contract.manifests import Manifest

__all__ = ["MANIFEST", "MiniApp", "Reading", "read_manifest_of"]

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

    def lacks(self, name: str) -> str:
        """Why `file` has no such file, and what to do."""
        if not is_file_name(name):
            return (
                f"{name} is not served: names of files have letters a-z, digits, dot, - and _, "
                "and begin with no dot"
            )
        path = self.folder / name
        if path.is_symlink() or path.exists():
            if path.is_dir():
                return f"{name} is a folder: name a file"
            return (
                f"{name} leads out of the folder, or nowhere: put a copy of the file in its place"
            )
        return f"there is no file {name} in the folder: write it, or correct the name"


@dataclass(frozen=True, slots=True)
class Reading:
    """A manifest that was read.

    Attributes:
        app: the MiniApp; None: it cannot be used.
        faults: what is wrong with it, or with tools that it goes without.
        id_place: where the manifest says the id.
        entry_place: where it names the start page.
    """

    app: MiniApp | None
    faults: tuple[Fault, ...]
    id_place: Place | None = None
    entry_place: Place | None = None

    def looked_at(self) -> Reading:
        """The same with a look at the start page: it comes and goes beside the manifest."""
        app = self.app
        if app is None or app.file(app.manifest.entry) is not None:
            return self
        entry = Fault(
            file=MANIFEST,
            place=self.entry_place,
            path="entry",
            message=app.lacks(app.manifest.entry),
        )
        return Reading(None, (entry, *self.faults), self.id_place, self.entry_place)


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
    if manifest is None:
        return Reading(None, faults)
    where = places(text, ("id", "entry"))
    return Reading(MiniApp(root, manifest), faults, where["id"], where["entry"])


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

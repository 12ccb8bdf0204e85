"""The MiniApps of a relay: every folder with a manifest among some folders."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.miniapps.faults import Fault
from lineup_srv.miniapps.folder import MANIFEST, MiniApp, Reading, read_manifest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    _Stamp = tuple[int, int, int]

__all__ = ["TOLD", "Found", "MiniAppFolders", "Refused", "examine", "folders_in"]

logger = logging.getLogger(__name__)

TOLD: Final = 20
"""Faults of one folder that the log and the page are told; the rest is for `miniapp check`."""
_MOST: Final = limits.APPLICATIONS_PER_LIST


@dataclass(frozen=True, slots=True)
class Refused:
    """A folder that is no MiniApp, or one that goes without some of its tools.

    Attributes:
        folder: the folder.
        app_id: the MiniApp's id; empty: it cannot be used at all.
        faults: what is wrong, at least one.
        entry: the start page of one that cannot be used, where it is there; else empty.
    """

    folder: Path
    app_id: str
    faults: tuple[Fault, ...]
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The MiniApps by id, and what is wrong with folders beside them."""

    apps: dict[str, MiniApp]
    refused: tuple[Refused, ...]


class MiniAppFolders:
    """The MiniApps of a relay: all that are in these folders. For any thread."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """Look into `roots`, the first before the others; they need not exist."""
        self._roots = tuple(roots)
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[_Stamp, Reading]] = {}
        self._told: tuple[Refused, ...] = ()

    def read(self) -> Found:
        """The MiniApps as they are now; of two with one id the first counts.

        What cannot be used is left out and logged, once as long as that stays the same.
        """
        with self._lock:
            folders = [told for root in self._roots for told in folders_in(root)]
            self._read = {folder: self._known(folder, stamp) for folder, stamp in folders[:_MOST]}
            found = _together({folder: reading for folder, (_, reading) in self._read.items()})
            found = replace(found, refused=(*found.refused, *_too_many(folders)))
            for refused in found.refused:
                if refused not in self._told:
                    _log(refused)
            self._told = found.refused
            return found

    def _known(self, folder: Path, stamp: _Stamp) -> tuple[_Stamp, Reading]:
        before = self._read.get(folder)
        return before if before and before[0] == stamp else (stamp, read_manifest_of(folder))


def examine(root: Path) -> Found:
    """The MiniApps in a folder and all that is wrong with them, read afresh."""
    folders = folders_in(root)
    found = _together({folder: read_manifest_of(folder) for folder, _ in folders[:_MOST]})
    return replace(found, refused=(*found.refused, *_too_many(folders)))


def folders_in(root: Path) -> list[tuple[Path, _Stamp]]:
    """Where manifests are: in this folder and in those inside, in order, with signs of a change.

    Nowhere, if there is no such folder or it may not be read.
    """
    try:
        inside = sorted(root.iterdir())
    except OSError:
        return []
    found: list[tuple[Path, _Stamp]] = []
    for folder in (root, *inside):
        try:
            status = (folder / MANIFEST).stat()
        except OSError:
            continue  # any other folder
        found.append((folder, (status.st_mtime_ns, status.st_ctime_ns, status.st_size)))
    return found


def _together(readings: Mapping[Path, Reading]) -> Found:
    """Which MiniApps can be used beside each other, as their files are now."""
    apps: dict[str, MiniApp] = {}
    refused: list[Refused] = []
    for folder, reading in readings.items():
        now = reading.looked_at()
        app_id, faults = "", now.faults
        if now.app is not None:
            app_id = now.app.manifest.application.id
            first = apps.setdefault(app_id, now.app)
            if first.folder != now.app.folder:
                faults = (_taken(app_id, first, now), *faults)
                app_id = ""
        if faults:
            refused.append(Refused(folder, app_id, faults, "" if app_id else now.entry))
    return Found(apps, tuple(refused))


def _taken(app_id: str, first: MiniApp, other: Reading) -> Fault:
    message = f"{app_id} is the id of the MiniApp in {first.folder.name} too: choose another"
    return Fault(file=MANIFEST, place=other.id_place, path="id", message=message)


def _too_many(folders: Sequence[tuple[Path, _Stamp]]) -> list[Refused]:
    """What stands beyond the limit is told once."""
    if len(folders) <= _MOST:
        return []
    message = f"is not read, nor what comes after it: a relay has at most {_MOST} MiniApps"
    return [Refused(folders[_MOST][0], "", (Fault(file=MANIFEST, message=message),))]


def _log(refused: Refused) -> None:
    what = "goes without a tool" if refused.app_id else "is left out"
    for fault in refused.faults[:TOLD]:
        logger.warning("MiniApp %s %s: %s", refused.folder, what, fault)
    if len(refused.faults) > TOLD:
        more = len(refused.faults) - TOLD
        logger.warning(
            "MiniApp %s: %d more faults, see `lineup-mcp miniapp check`", refused.folder, more
        )

"""A MiniApp's manifest.json → what it is and offers (design: MiniApps)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.fields import Fields
from lineup_srv.contract.json_text import check, load_object
from lineup_srv.contract.offers import read_offer
from lineup_srv.contract.tools import Application

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["Manifest", "entry_of", "is_file_name", "read_manifest"]

_ID: Final = re.compile("[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_FILE: Final = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A MiniApp as its author describes it.

    Attributes:
        application: its id, version, title and good tools.
        entry: its start page, relative to its folder.
    """

    application: Application
    entry: str


def is_file_name(name: str) -> bool:
    """Whether it may name a MiniApp's file, relative to its folder: no dots at the beginning."""
    return len(name) <= limits.PATH_CHARACTERS and _FILE.fullmatch(name) is not None


def read_manifest(text: str, can_match: Callable[[str], bool], faults: Faults) -> Manifest | None:
    """Read a manifest; None: it cannot be used.

    Args:
        text: the file.
        can_match: as in `judge_schema`.
        faults: where all that is wrong is noted, with the paths; also what is wrong with the tools
            that a usable manifest goes without.
    """
    tree = faults.read(None, load_object, text, "", most_bytes=limits.MANIFEST_BYTES)
    if tree is None:
        return None
    faults.read(None, check, tree, "", limits.JSON_DEPTH)
    if any(fault.code is ErrorCode.TOO_LARGE for fault in faults):
        return None
    manifest = Fields(tree, "")
    name = faults.read("", _id, manifest)
    version = faults.read("", _words, manifest, "version")
    title = faults.read("", _words, manifest, "title")
    entry = faults.read("", _entry, manifest)
    tools = faults.read(None, manifest.array, "tools")
    is_usable = not faults
    offer = read_offer({"tools": tools}, "", can_match)
    faults.note(*offer.faults)
    application = Application(id=name, version=version, title=title, tools=offer.tools)
    return Manifest(application=application, entry=entry) if is_usable else None


def entry_of(text: str) -> str:
    """The start page that a manifest names, also one that is of no use; empty for none."""
    faults = Faults()
    tree = faults.read(None, load_object, text, "", most_bytes=limits.MANIFEST_BYTES)
    return "" if tree is None else faults.read("", _entry, Fields(tree, ""))


def _id(manifest: Fields) -> str:
    name = manifest.id("id")
    if not _ID.fullmatch(name):
        message = "must be 1 to 64 of a-z, 0-9, dot, - and _, with a letter or digit at each end"
        raise manifest.wrong("id", message)
    return name


def _words(manifest: Fields, name: str) -> str:
    words = manifest.text(name)
    if not words.strip():
        raise manifest.wrong(name, "is empty")
    return words


def _entry(manifest: Fields) -> str:
    entry = manifest.text("entry", limits.PATH_CHARACTERS)
    if not is_file_name(entry):
        message = (
            "must be a file in the folder, as index.html is: its name has letters a-z, digits, "
            "dot, - and _ and begins with no dot"
        )
        raise manifest.wrong("entry", message)
    if not entry.endswith((".html", ".htm")):
        raise manifest.wrong("entry", "must be a page: .html")
    return entry

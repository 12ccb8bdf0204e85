"""A MiniApp's manifest.json → what it is and offers (design: MiniApps)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.fields import Fields
from lineup_srv.contract.json_text import check, load_object
from lineup_srv.contract.offers import read_offer
from lineup_srv.contract.tools import Application

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.offers import Refusal

__all__ = ["Manifest", "is_file_name", "read_manifest"]

_ID: Final = re.compile("[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_FILE: Final = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A MiniApp as its author describes it.

    Attributes:
        application: its id, version, title and good tools.
        entry: its start page, relative to its folder.
        refused: its bad tools, each with the path in the manifest.
    """

    application: Application
    entry: str
    refused: tuple[Refusal, ...]


def is_file_name(name: str) -> bool:
    """Whether it may name a MiniApp's file, relative to its folder: no dots at the beginning."""
    return len(name) <= limits.PATH_CHARACTERS and _FILE.fullmatch(name) is not None


def read_manifest(text: str, can_match: Callable[[str], bool]) -> Manifest:
    """Read a manifest.

    Args:
        text: the file.
        can_match: as in `check_schema`.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    tree = load_object(text, "", most_bytes=limits.MANIFEST_BYTES)
    check(tree, "", limits.JSON_DEPTH)
    manifest = Fields(tree, "")
    name, entry = manifest.id("id"), manifest.text("entry", limits.PATH_CHARACTERS)
    if not _ID.fullmatch(name):
        message = "must be 1 to 64 of a-z, 0-9, dot, - and _, with a letter or digit at each end"
        raise manifest.wrong("id", message)
    if not is_file_name(entry):
        raise manifest.wrong("entry", "must be a file in the folder, as index.html is")
    if not entry.endswith((".html", ".htm")):
        raise manifest.wrong("entry", "must be a page: .html")
    title, version = manifest.text("title"), manifest.text("version")
    if not title.strip():
        raise manifest.wrong("title", "is empty")
    if not version.strip():
        raise manifest.wrong("version", "is empty")
    offer = read_offer({"tools": manifest.array("tools")}, "", can_match)
    return Manifest(
        application=Application(id=name, version=version, title=title, tools=offer.tools),
        entry=entry,
        refused=offer.refused,
    )

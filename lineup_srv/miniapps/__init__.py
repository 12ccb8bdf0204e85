"""MiniApps as folders: what a folder holds, and the folders of a relay; shared with the bridge."""

from __future__ import annotations

from lineup_srv.miniapps.faults import Fault, printable
from lineup_srv.miniapps.folder import MANIFEST, MiniApp, file_in, lack_of
from lineup_srv.miniapps.folders import TOLD, Found, MiniAppFolders, Refused, examine, folders_in

__all__ = [
    "MANIFEST",
    "TOLD",
    "Fault",
    "Found",
    "MiniApp",
    "MiniAppFolders",
    "Refused",
    "examine",
    "file_in",
    "folders_in",
    "lack_of",
    "printable",
]

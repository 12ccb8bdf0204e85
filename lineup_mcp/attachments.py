"""The pictures and sounds of a result, as the agent program takes them, each described in words.

Some programs drop pictures or put their base64 before the model as text; these get files. Call it
in a thread: pictures are decoded and files are written.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_mcp.answers import Media
from lineup_mcp.kept import keep
from lineup_mcp.pictures import fitted

if TYPE_CHECKING:
    from lineup_mcp.results import Result

__all__ = ["attached"]


def attached(result: Result, *, pictures: bool, sounds: bool) -> Result:
    """The result with its media fitted, and a line at its end for each of them.

    Args:
        result: with the media as they came.
        pictures: the agent program shows its model pictures.
        sounds: sounds are to be in the result besides their files.
    """
    if not result.media:
        return result
    lines, kept = [], []
    for number, media in enumerate(result.media, start=1):
        data = base64.b64decode(media.data)
        if media.mime_type.startswith("audio/"):
            line, inline = _sound(data, media, sounds)
        else:
            line, inline = _picture(data, media, pictures)
        lines.append(f"Attachment {number}: {line}")
        kept += inline
    return replace(result, text="\n".join([result.text, *lines]), media=tuple(kept))


def _picture(data: bytes, media: Media, inline: bool) -> tuple[str, list[Media]]:
    picture = fitted(data)
    if picture is None:
        kind = media.mime_type.partition("/")[2]
        return f"picture ({kind}) that cannot be shown here, {_saved(data, kind)}", []
    kind = picture.mime_type.partition("/")[2]
    size = f"{kind.upper()}, {picture.width}×{picture.height} pixels"
    if not inline:
        return f"picture ({size}), {_saved(picture.data, kind)}", []
    reduced = f", reduced; the original is {_saved(data, media.mime_type.partition('/')[2])}"
    shown = Media(base64.b64encode(picture.data).decode("ascii"), picture.mime_type)
    return f"picture ({size}){reduced if picture.reduced else ''}", [shown]


def _sound(data: bytes, media: Media, inline: bool) -> tuple[str, list[Media]]:
    kind = media.mime_type.partition("/")[2]
    line = f"sound ({kind}, {len(data) // 1024 + 1} kB), {_saved(data, kind)}"
    return line, [media] if inline else []


def _saved(data: bytes, kind: str) -> str:
    path = keep(data, f"attachment.{kind.partition('+')[0]}")
    return "which could not be saved" if path is None else f"saved as {path}"

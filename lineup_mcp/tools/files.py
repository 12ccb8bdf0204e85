"""Pictures from files: only from where the agent works, and only what is one.

What an agent is told to show may come from anybody, so links are resolved before it is decided
whether a path lies inside, the file is opened without following another link, and its bytes say
what it is. Call it in a thread.
"""

from __future__ import annotations

import base64
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.pictures import kind_of
from lineup_mcp.tools.reading import ArgumentError
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import content_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["checked_picture", "read_picture", "read_pictures", "roots"]

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_UNREADABLE: Final = "names no file that can be read"


def roots(own: str, named: str) -> tuple[Path, ...]:
    """The directories whose pictures may be shown; relative paths begin at the first one.

    Args:
        own: the project as the agent program tells it; empty if it tells none.
        named: the project as the agent names it; may be empty. One that contains the home
            directory is no project.
    """
    home = Path.home().resolve()
    projects = [
        path
        for path in (Path(name).resolve() for name in (own, named) if name and _is_absolute(name))
        if path != home and path not in home.parents
    ]
    return (*projects, Path(tempfile.gettempdir()).resolve())


def read_pictures(
    paths: Sequence[str], allowed: Sequence[Path]
) -> list[content_pb2.McpResultContent]:
    """The pictures of a card.

    Args:
        paths: as the agent gave them.
        allowed: as by `roots`.

    Raises:
        ArgumentError: one of them cannot be shown, or they are too large together.
    """
    contents = []
    size = 0
    for index, path in enumerate(paths):
        data, mime_type = read_picture(path, allowed, field=f"images[{index}]")
        size += len(data)
        if size > limits.PICTURES_BYTES:
            most = limits.PICTURES_BYTES // 1024**2
            raise ArgumentError("images", f"must have at most {most} MB in all")
        image = content_pb2.ImageContent(
            type="image", data=base64.b64encode(data).decode("ascii"), mime_type=mime_type
        )
        contents.append(content_pb2.McpResultContent(type=2, image=image))
    return contents


def read_picture(path: str, allowed: Sequence[Path], *, field: str) -> tuple[bytes, str]:
    """The bytes and the media type of one picture.

    Raises:
        ArgumentError: the file is elsewhere, cannot be read, is too large or no picture.
    """
    try:
        found = (allowed[0] / Path(path).expanduser()).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        begin = "" if _is_absolute(path) else f"; relative paths begin at {allowed[0]}"
        raise ArgumentError(field, f"{_UNREADABLE}{begin}") from None
    if not any(found.is_relative_to(root) for root in allowed):
        raise ArgumentError(
            field,
            f"must lie inside {' or '.join(map(str, allowed))}",
            next_step="copy the picture into one of these directories, and give that path.",
        )
    return checked_picture(_read(found, field), field=field)


def checked_picture(data: bytes, *, field: str) -> tuple[bytes, str]:
    """The same bytes with their media type.

    Raises:
        ArgumentError: they are too many or no picture.
    """
    if len(data) > limits.PICTURE_BYTES:
        raise ArgumentError(field, f"must have at most {limits.PICTURE_BYTES // 1024**2} MB")
    mime_type = kind_of(data)
    if mime_type is None:
        raise ArgumentError(field, "must be a PNG, JPEG, GIF or WebP")
    return data, mime_type


def _read(path: Path, field: str) -> bytes:
    try:
        # Not blocking: a pipe somebody put there would hold the thread.
        descriptor = os.open(path, _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ArgumentError(field, "must be a file")
            if path.resolve() != path:
                raise ArgumentError(field, "changed while it was read")
            return file.read(limits.PICTURE_BYTES + 1)
    except OSError:
        raise ArgumentError(field, _UNREADABLE) from None


def _is_absolute(name: str) -> bool:
    return Path(name).is_absolute()

"""Pictures as bytes: whether they are one, how large, and how they fit a result.

What a file is called or says of itself counts for nothing; its first bytes do. The library that
decodes pictures is imported when one has to be looked at. Call it in a thread.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Picture", "fitted", "kind_of"]

_LONG_SIDE: Final = limits.RESULT_PICTURE_SIDE_PIXELS
_SIDES_PIXELS: Final = (_LONG_SIDE, 1024, 640)
_QUALITIES: Final = (85, 65, 45)
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a result carries it.

    Args:
        data: its bytes.
        mime_type: by its bytes.
        width: in pixels.
        height: in pixels.
        reduced: it was larger.
    """

    data: bytes
    mime_type: str
    width: int
    height: int
    reduced: bool = False


def kind_of(data: bytes) -> str | None:
    """The media type of a PNG, JPEG, GIF or WebP; None if it is none of them."""
    for start, mime_type in _SIGNATURES:
        if data.startswith(start):
            return mime_type
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return "image/webp" if is_webp else None


def fitted(data: bytes) -> Picture | None:
    """The picture, made smaller when it is too large for a result.

    A smaller one is a JPEG without the original's metadata, turned as it is to be seen.

    Returns:
        None if it is no picture that can be read.
    """
    mime_type = kind_of(data)
    if mime_type is None:
        return None
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            width, height = image.size
            if width * height > limits.PICTURE_PIXELS:
                return None
            if max(width, height) <= _LONG_SIDE and len(data) <= limits.RESULT_PICTURE_BYTES:
                image.verify()
                return Picture(data, mime_type, width, height)
            return _reduced(image)
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError):
        # What Pillow raises for damaged data, by format.
        return None


def _reduced(image: Image) -> Picture | None:
    from PIL import ImageOps

    # Lets the JPEG decoder skip what is not needed.
    image.draft("RGB", (_LONG_SIDE, _LONG_SIDE))
    plain = _on_white(ImageOps.exif_transpose(image))
    for side in _SIDES_PIXELS:
        plain.thumbnail((side, side))
        for quality in _QUALITIES:
            written = io.BytesIO()
            plain.save(written, "JPEG", quality=quality)
            if written.tell() <= limits.RESULT_PICTURE_BYTES:
                return Picture(written.getvalue(), "image/jpeg", *plain.size, reduced=True)
    return None


def _on_white(image: Image) -> Image:
    """Without transparency, which JPEG has not."""
    from PIL import Image as Images

    if not image.has_transparency_data:
        return image.convert("RGB")
    seen = image.convert("RGBA")
    ground = Images.new("RGB", seen.size, "white")
    ground.paste(seen, mask=seen.getchannel("A"))
    return ground

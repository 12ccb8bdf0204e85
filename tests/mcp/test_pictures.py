"""Pictures and sounds of answers: once, fitted, described, and as files for who shows none."""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import pytest
from PIL import Image

from lineup_mcp import kept, pictures
from lineup_mcp.answers import Media
from lineup_mcp.attachments import attached
from lineup_mcp.results import Result
from lineup_srv.contract import limits

EXIF_ORIENTATION = 0x0112
HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"


def drawn(
    kind: str, size: tuple[int, int] = (4, 3), *, noise: bool = False, **more: object
) -> bytes:
    """A picture of that format."""
    mode = "RGBA" if kind == "PNG" else "RGB"
    image = Image.effect_noise(size, 90).convert(mode) if noise else Image.new(mode, size, "teal")
    written = io.BytesIO()
    image.save(written, kind, **more)
    return written.getvalue()


def result(data: bytes, mime_type: str) -> Result:
    return Result("Answered.", (Media(base64.b64encode(data).decode(), mime_type),))


def path_in(text: str) -> Path:
    found = re.search(r"saved as (\S+)|the original is saved as (\S+)", text)
    assert found is not None
    return Path(found[1] or found[2])


@pytest.mark.requirement("B38")
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_small_picture_of_each_kind_stays_as_it_is_and_is_described(kind: str) -> None:
    data = drawn(kind)
    # What the sender calls it counts for nothing.
    shown = attached(result(data, "image/x-unknown"), pictures=True, sounds=False)
    (media,) = shown.media
    assert media.mime_type == f"image/{kind.lower()}"
    assert base64.b64decode(media.data) == data
    assert shown.text == f"Answered.\nAttachment 1: picture ({kind}, 4×3 pixels)"


@pytest.mark.requirement("B39")
@pytest.mark.parametrize(
    ("kind", "size"), [("PNG", (1600, 1200)), ("JPEG", (4000, 3000)), ("WEBP", (1000, 1000))]
)
def test_a_large_picture_is_reduced_to_what_models_look_at(
    kind: str, size: tuple[int, int]
) -> None:
    data = drawn(kind, size, noise=True)
    assert len(data) > 500_000
    shown = attached(result(data, f"image/{kind.lower()}"), pictures=True, sounds=False)
    (media,) = shown.media
    assert media.mime_type == "image/jpeg"
    assert len(media.data) < 500_000
    assert media.data not in shown.text
    with Image.open(io.BytesIO(base64.b64decode(media.data))) as small:
        assert max(small.size) <= limits.RESULT_PICTURE_SIDE_PIXELS
        assert small.format == "JPEG"
    assert path_in(shown.text).read_bytes() == data


def test_a_reduced_picture_stands_upright_and_says_nothing_of_its_maker() -> None:
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = 6
    exif[0x010F] = "A maker"
    found = pictures.fitted(drawn("JPEG", (2000, 1000), exif=exif))
    assert found is not None
    assert (found.width, found.height) == (784, 1568)
    assert b"A maker" not in found.data


def test_transparency_becomes_white() -> None:
    written = io.BytesIO()
    Image.new("RGBA", (2000, 10), (0, 0, 0, 0)).save(written, "PNG")
    found = pictures.fitted(written.getvalue())
    assert found is not None
    with Image.open(io.BytesIO(found.data)) as small:
        assert small.getpixel((5, 2)) == (255, 255, 255)


@pytest.mark.requirement("B38")
@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (HEIC, "image/heic"),
        (b"<svg/>", "image/svg+xml"),
        (drawn("PNG")[:40], "image/png"),
        (b"\xff\xd8\xff\xe0 no picture", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBP", "image/webp"),
    ],
)
def test_what_no_model_can_see_becomes_a_file(data: bytes, mime_type: str) -> None:
    shown = attached(result(data, mime_type), pictures=True, sounds=False)
    assert shown.media == ()
    assert "that cannot be shown here, saved as" in shown.text
    assert path_in(shown.text).read_bytes() == data


def test_a_bomb_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PICTURE_PIXELS", 10)
    assert pictures.fitted(drawn("PNG")) is None


def test_a_picture_that_stays_too_large_is_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RESULT_PICTURE_BYTES", 10)
    assert pictures.fitted(drawn("PNG")) is None


def test_a_program_that_shows_no_pictures_gets_files() -> None:
    data = drawn("PNG")
    shown = attached(result(data, "image/png"), pictures=False, sounds=False)
    assert shown.media == ()
    assert shown.text.startswith("Answered.\nAttachment 1: picture (PNG, 4×3 pixels), saved as ")
    assert path_in(shown.text).read_bytes() == data
    assert path_in(shown.text).suffix == ".png"


@pytest.mark.parametrize("sounds", [False, True])
def test_a_sound_is_a_file_and_more_only_if_configured(sounds: bool) -> None:
    shown = attached(result(b"a sound", "audio/webm"), pictures=True, sounds=sounds)
    assert [media.mime_type for media in shown.media] == (["audio/webm"] if sounds else [])
    assert "Attachment 1: sound (webm, 1 kB), saved as" in shown.text
    assert path_in(shown.text).read_bytes() == b"a sound"


def test_files_are_private_few_and_young(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KEPT_FILES", 3)
    monkeypatch.setattr(limits, "KEPT_FILES_BYTES", 100)
    paths = [kept.keep(b"x" * 10, f"../{number}/ä.md") for number in range(5)]
    left = [path for path in paths if path is not None and path.exists()]
    assert len(left) == 3
    assert paths[-1] in left
    assert all(path.is_relative_to(tmp_path) for path in left)
    assert all(path.stat().st_mode & 0o077 == 0 for path in left)
    # One that is larger than all may be stays until the next comes.
    large = kept.keep(b"x" * 200, "large")
    assert large is not None
    assert list(large.parent.iterdir()) == [large]
    monkeypatch.setattr(limits, "KEPT_FILE_DAYS", -1)
    last = kept.keep(b"x", "last")
    assert last is not None
    assert list(last.parent.iterdir()) == [last]


def test_a_file_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(kept, "state_directory", lambda: tmp_path / "file")
    shown = attached(result(b"a sound", "audio/webm"), pictures=True, sounds=False)
    assert shown.text.endswith("which could not be saved")

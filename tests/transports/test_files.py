from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from lineup_srv.contract.ids import RoomId
from lineup_srv.domain.contents import ContentRef
from lineup_srv.service.ports import LogRefused
from lineup_srv.transports.files import FileLinks, Files
from tests.service.memory import MemoryBlobs

if TYPE_CHECKING:
    from httpx2 import Response

ROOM = RoomId("room/with a slash")
DATA = b"\x89PNG and so on"
SHA256 = hashlib.sha256(DATA).hexdigest()
LINKS = FileLinks(b"a key")


def ref(mime: str = "image/png", sha256: str = SHA256) -> ContentRef:
    return ContentRef(sha256, len(DATA), mime, None)


def link(mime: str = "image/png", *, key: bytes = b"a key", sha256: str = SHA256) -> str:
    return FileLinks(key).of_room(ROOM)(ref(mime, sha256))


def check_refused(answer: Response, status: int) -> None:
    """A refusal has no more rights than a file, and is not kept: the next try may find it."""
    assert answer.status_code == status
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.fixture
async def client() -> TestClient:
    blobs = MemoryBlobs()
    await blobs.put(ROOM, SHA256, DATA)
    route = Route("/files/{room_id:path}/{sha256}", Files(blobs, LINKS).__call__)
    return TestClient(Starlette(routes=[route]))


@pytest.mark.requirement("design:security:files-are-sandboxed")
async def test_a_picture_is_shown_without_script_and_without_the_pages_origin(
    client: TestClient,
) -> None:
    answer = client.get(link())
    assert (answer.status_code, answer.content) == (200, DATA)
    assert answer.headers["content-type"] == "image/png"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "content-disposition" not in answer.headers
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize("mime", ["text/html", "image/svg+xml", "application/pdf", "image/x"])
async def test_anything_else_is_saved_and_never_shown(client: TestClient, mime: str) -> None:
    answer = client.get(link(mime))
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"] == "application/octet-stream"


async def test_a_recording_is_played(client: TestClient) -> None:
    answer = client.get(link("audio/webm"))
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize(
    "wrong",
    [
        link(key=b"another key"),
        link().replace("image%2Fpng", "text%2Fhtml"),
        link().replace(SHA256, "0" * 64),
        link().replace("room", "other"),
        link().partition("?")[0],
    ],
)
async def test_a_link_that_the_relay_did_not_make_finds_nothing(
    client: TestClient, wrong: str
) -> None:
    check_refused(client.get(wrong), 404)


async def test_bytes_that_are_gone_are_said_to_be_gone(client: TestClient) -> None:
    check_refused(client.get(link(sha256="1" * 64)), 410)


async def test_a_log_that_cannot_be_read_is_a_503() -> None:
    class Broken(MemoryBlobs):
        async def get(self, room_id: RoomId, sha256: str) -> bytes | None:
            raise LogRefused("input/output error")

    route = Route("/files/{room_id:path}/{sha256}", Files(Broken(), LINKS).__call__)
    check_refused(TestClient(Starlette(routes=[route])).get(link()), 503)


def test_a_link_carries_neither_token_nor_content() -> None:
    assert set(link().partition("?")[2].replace("&", "=").split("=")[::2]) == {"type", "sig"}

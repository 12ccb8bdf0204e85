"""The page's files: only what was built, in the best form, and kept to itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from lineup_srv.transports.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = "assets/index-1a2b3c.js"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A built page, beside a file that is none of it."""
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>")
    (folder / "icon.svg").write_text("<svg/>")
    (folder / SCRIPT).write_text("plain")
    (folder / f"{SCRIPT}.br").write_bytes(b"brotli")
    (folder / f"{SCRIPT}.gz").write_bytes(b"gzip")
    (folder / "assets" / "only.css").write_text("css")
    return folder


def client_of(folder: Path) -> TestClient:
    page = Page(folder)
    routes = [Route("/", page.__call__), Route("/{path:path}", page.__call__)]
    client = TestClient(Starlette(routes=routes))
    client.headers["accept-encoding"] = "identity"
    return client


@pytest.fixture
def client(folder: Path) -> TestClient:
    return client_of(folder)


def policy(client: TestClient, path: str) -> dict[str, str]:
    header = client.get(path).headers["content-security-policy"]
    return dict(part.strip().partition(" ")[::2] for part in header.split(";"))


@pytest.mark.parametrize("path", ["/", "/index.html", f"/{SCRIPT}", "/never"])
@pytest.mark.requirement("B34", "B35")
def test_the_page_runs_no_script_but_its_own(client: TestClient, path: str) -> None:
    rules = policy(client, path)

    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert "unsafe" not in rules["script-src"]
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "object-src" not in rules  # default-src is 'none'
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    # Its address may hold a token for a moment.
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


def test_the_first_page_is_asked_for_each_time(client: TestClient) -> None:
    response = client.get("/")

    assert response.text == "<!doctype html>"
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-cache"


def test_what_has_a_hash_in_its_name_is_kept(client: TestClient) -> None:
    assert "immutable" in client.get(f"/{SCRIPT}").headers["cache-control"]
    assert client.get("/icon.svg").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "encoding", "body"),
    [
        ("identity", None, b"plain"),
        ("gzip", "gzip", b"gzip"),
        ("GZIP", "gzip", b"gzip"),
        ("br", "br", b"brotli"),
        ("gzip, deflate, br", "br", b"brotli"),
        ("br;q=0.1, gzip;q=1.0", "br", b"brotli"),
        ("br;q=0, gzip", "gzip", b"gzip"),
        ("br; q=0.000, gzip;q=0", None, b"plain"),
        ("deflate, zstd", None, b"plain"),
        ("brotli", None, b"plain"),
    ],
)
def test_a_file_goes_in_the_best_encoding_that_is_taken(
    client: TestClient, accepted: str, encoding: str | None, body: bytes
) -> None:
    with client.stream("GET", f"/{SCRIPT}", headers={"accept-encoding": accepted}) as response:
        raw = b"".join(response.iter_raw())

    assert response.headers.get("content-encoding") == encoding
    assert raw == body
    assert response.headers["content-type"].startswith("text/javascript")
    # Also on the plain one, or a cache would give that to all.
    assert response.headers["vary"] == "Accept-Encoding"


def test_a_file_without_packed_forms_goes_as_it_is(client: TestClient) -> None:
    response = client.get("/assets/only.css", headers={"accept-encoding": "br, gzip"})

    assert response.text == "css"
    assert "content-encoding" not in response.headers
    assert "vary" not in response.headers


@pytest.mark.parametrize(
    "path",
    [
        "/never",
        "/assets",
        "/assets/",
        f"/{SCRIPT}.br",
        f"/{SCRIPT}.gz",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt",
        "/..\\secret.txt",
        "/%00",
        "/index.html/",
        "/INDEX.HTML",
    ],
)
def test_only_what_was_built_can_be_asked_for(client: TestClient, path: str) -> None:
    response = client.get(path)

    assert response.status_code == 404
    assert "secret" not in response.text


def test_a_page_that_is_not_built_says_what_to_do(tmp_path: Path) -> None:
    client = client_of(tmp_path / "nothing")
    for path in ("/", "/index.html"):
        response = client.get(path)
        assert response.status_code == 503
        assert "make page" in response.text


def test_a_running_relay_serves_the_page_that_was_built_last(
    client: TestClient, folder: Path
) -> None:
    assert client.get("/").text == "<!doctype html>"
    newer = folder.with_name("draft")
    (newer / "assets").mkdir(parents=True)
    (newer / "index.html").write_text("<!doctype html><title>newer</title>")
    (newer / "assets" / "index-4d5e6f.js").write_text("newer")
    folder.rename(folder.with_name("before"))
    newer.rename(folder)

    assert "newer" in client.get("/").text
    assert client.get("/assets/index-4d5e6f.js").text == "newer"
    assert client.get(f"/{SCRIPT}").status_code == 404


def test_a_folder_that_is_replaced_while_it_is_read_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Path.rglob

    def replaced(path: Path, pattern: str) -> Iterator[Path]:
        monkeypatch.undo()
        yield next(iter(listed(path, pattern)))
        raise FileNotFoundError(path / "assets")

    monkeypatch.setattr(Path, "rglob", replaced)
    client = client_of(folder)

    assert client.get(f"/{SCRIPT}").text == "plain"


def test_a_page_is_only_read(client: TestClient) -> None:
    assert client.head("/").status_code == 200
    assert client.post("/").status_code == 405


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("http://127.0.0.1:22080", "same-origin"),
        ("http://localhost:22080", "same-origin"),
        ("http://[::1]:22080", "same-origin"),
        ("https://relay.test", "same-origin"),
        ("http://192.168.1.2:22080", None),
        ("http://relay.test", None),
    ],
)
@pytest.mark.requirement("B62")
def test_the_opener_policy_is_sent_only_where_browsers_heed_it(
    client: TestClient, origin: str, expected: str | None
) -> None:
    assert client.get(f"{origin}/").headers.get("cross-origin-opener-policy") == expected

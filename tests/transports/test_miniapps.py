"""MiniApps over HTTP: listed, served to everybody, and kept away from the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from tests.miniapps.making import MANIFEST_OF, make
from tests.transports.house import House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

BASE = "http://127.0.0.1:22080"
SANDBOXED = {
    "content-security-policy": "sandbox allow-scripts",
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
}


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[TestClient]:
    folder = make(tmp_path / "hello")
    (folder / "hello.js").write_text("1")
    (folder / "module.mjs").write_text("1")
    (folder / "data.bin").write_bytes(b"\0")
    (tmp_path / "secret.txt").write_text("secret")
    house = House(miniapps=[tmp_path])
    yield TestClient(house.app, base_url=BASE)
    await house.close()


def sandbox(answer: Any) -> dict[str, str]:
    return {name: answer.headers.get(name, "") for name in SANDBOXED}


@pytest.mark.requirement("seed004:applications")
async def test_the_list_says_what_there_is(client: TestClient) -> None:
    answer = client.get("/miniapps/")

    assert answer.json() == {"miniapps": [MANIFEST_OF]}
    assert sandbox(answer) == SANDBOXED


async def test_the_page_is_told_what_was_refused_and_why(
    client: TestClient, tmp_path: Path
) -> None:
    make(tmp_path / "broken", id="Broken")
    make(tmp_path / "partly", id="partly", tools=[{}] * 10)

    told = client.get("/miniapps/").json()

    assert [app["id"] for app in told["miniapps"]] == ["hello", "partly"]
    broken, partly = told["refused"]
    assert (broken["folder"], broken["id"], broken["more"]) == ("broken", "", 0)
    assert broken["faults"][0].startswith("manifest.json:2:3: id: must be 1 to 64")
    assert (partly["folder"], partly["id"]) == ("partly", "partly")
    assert (len(partly["faults"]), partly["more"]) == (20, 10)
    assert "refused" not in client.get("/miniapps/", headers={"origin": "null"}).json()


@pytest.mark.requirement("design:security:miniapps-are-sandboxed")
@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("index.html", "text/html"),
        ("hello.js", "text/javascript"),
        ("module.mjs", "text/javascript"),
        ("manifest.json", "application/json"),
        ("data.bin", "application/octet-stream"),
    ],
)
async def test_its_files_run_scripts_and_have_no_origin(
    client: TestClient, name: str, media_type: str
) -> None:
    answer = client.get(f"/miniapps/hello/{name}")

    assert answer.status_code == 200
    assert sandbox(answer) == SANDBOXED
    assert answer.headers["content-type"].partition(";")[0] == media_type


@pytest.mark.requirement("design:security:miniapps-are-sandboxed")
@pytest.mark.parametrize(
    "path",
    [
        "hello/none.js",
        "hello/",
        "other/index.html",
        "hello/..%2f..%2fsecret.txt",
        "hello/%2e%2e/%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "hello/.%00",
        "hello/%2fetc%2fpasswd",
    ],
)
async def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    answer = client.get(f"/miniapps/{path}")

    assert answer.status_code == 404
    assert "secret" not in answer.text
    assert sandbox(answer) == SANDBOXED


@pytest.mark.requirement("design:security:miniapps-are-sandboxed")
async def test_a_sandbox_may_read_its_files_and_nothing_else(client: TestClient) -> None:
    foreign = {"origin": "null"}

    assert client.get("/miniapps/hello/hello.js", headers=foreign).status_code == 200
    assert client.head("/miniapps/hello/hello.js", headers=foreign).status_code == 200
    assert client.get("/miniapps/", headers={"origin": "https://evil.test"}).status_code == 200
    for path in ("/", "/health", "/miniapps", "/files/a/b"):
        assert client.get(path, headers=foreign).status_code == 403
    assert client.post("/miniapps/hello/hello.js", headers=foreign).status_code == 403
    assert client.post("/pair", json={}, headers=foreign).status_code == 403
    foreign_host = {"host": "evil.test"}
    assert client.get("/miniapps/hello/hello.js", headers=foreign_host).status_code == 421

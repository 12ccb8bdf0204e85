"""TLS on both ports with a certificate of a CA of one's own (`lineup_server_tls`, `…_ca`)."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
import trustme

from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from tests.mcp.harness import bridge_config
from tests.transports.connect.relays import TOKEN, running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from lineup_mcp.config import BridgeConfig

ATTACH = relay_pb2.AttachRequest(agent=relay_pb2.AgentIdentity(agent_id="an-agent-of-the-tests"))


@dataclass(frozen=True, slots=True)
class Secured:
    """A relay with TLS, as its bridge is configured for it."""

    config: BridgeConfig
    closed: int
    """A port that nobody listens on."""


@pytest.fixture
async def secured(tmp_path: Path) -> AsyncIterator[Secured]:
    authority = trustme.CA()
    ca, pem = tmp_path / "ca.pem", tmp_path / "relay.pem"
    authority.cert_pem.write_to_path(ca)
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(pem)
    async with running(tmp_path / "data", cert=pem) as ports:
        config = bridge_config(ports.grpc, tmp_path, port=ports.http, token=TOKEN, tls=True, ca=ca)
        yield Secured(config, closed=1)


async def attached_to(config: BridgeConfig) -> str:
    """Attach; returns the address that was used."""
    client = RelayClient(config)
    try:
        async with contextlib.aclosing(client.attach(ATTACH)) as events:
            async for event in events:
                assert event.WhichOneof("event") == "attached"
                return client.target
    finally:
        await client.close()
    raise AssertionError("the stream ended")


@pytest.fixture(autouse=True)
def _far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineup_mcp.relay_client.is_loopback", lambda _host: False)


async def test_grpc_trusts_the_configured_ca(secured: Secured) -> None:
    assert await attached_to(secured.config) == f"127.0.0.1:{secured.config.grpc_port}"


async def test_connect_trusts_the_configured_ca(secured: Secured) -> None:
    config = replace(secured.config, grpc_port=secured.closed)

    assert await attached_to(config) == f"127.0.0.1:{config.port}"


@pytest.mark.parametrize("change", [{"ca": None}, {"tls": False}], ids=["no ca", "no tls"])
async def test_neither_goes_on_without_trust(
    secured: Secured, change: dict[str, bool | None]
) -> None:
    for grpc_port in (secured.config.grpc_port, secured.closed):
        config = replace(secured.config, grpc_port=grpc_port, **change)  # type: ignore[arg-type] # by name

        with pytest.raises(RelayUnreachable):
            await attached_to(config)


async def test_a_certificate_of_another_ca_is_not_trusted(secured: Secured, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)

    for grpc_port in (secured.config.grpc_port, secured.closed):
        with pytest.raises(RelayUnreachable):
            await attached_to(replace(secured.config, ca=other, grpc_port=grpc_port))

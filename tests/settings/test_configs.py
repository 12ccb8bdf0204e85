"""The records of both programs, the sample file, and `--print-config`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli
from click.testing import CliRunner

from lineup_mcp import config as bridge
from lineup_mcp.cli import main
from lineup_srv import config as relay
from lineup_srv.settings import files
from lineup_srv.settings.keys import BRIDGE_KEYS, RELAY_KEYS
from lineup_srv.settings.resolve import SettingsError, resolve

SAMPLE = Path(__file__).parents[2] / files.FILE_NAME
STRONG = "k3Jx-9fQmZ2_vB7wLs"


def _uncommented() -> str:
    return re.sub(r"^# (?=[a-z_]+ = )", "", SAMPLE.read_text(), flags=re.MULTILINE)


def test_the_sample_names_every_key_and_loads_with_all_of_them(tmp_path: Path) -> None:
    table = tomli.loads(_uncommented())
    for key in (*BRIDGE_KEYS, *RELAY_KEYS):
        section = table
        for part in key.path:
            assert part in section, key.path
            section = section[part]
    known = {key.path for key in (*BRIDGE_KEYS, *RELAY_KEYS)}
    for name, value in table.items():
        names = [(name, inner) for inner in value] if isinstance(value, dict) else [(name,)]
        assert known >= set(names)
    path = tmp_path / "all.toml"
    authority = tmp_path / "lineup.pem"
    authority.touch()
    path.write_text(_uncommented().replace("/etc/ssl/certs/lineup.pem", str(authority)))
    flags = {"config": str(path)}
    assert bridge.load(flags, environ={}, working_directory=tmp_path).agent == "hermes"
    assert relay.load(flags, environ={}, working_directory=tmp_path).port == 22080


def test_the_sample_as_it_is_changes_nothing() -> None:
    assert tomli.loads(SAMPLE.read_text()) == {"mcp": {}, "srv": {}}


def test_the_bridge_by_default(tmp_path: Path) -> None:
    config = bridge.load({}, environ={}, working_directory=tmp_path)
    assert (config.host, config.port, config.grpc_port) == ("127.0.0.1", 22080, 22081)
    assert config.port_is_default
    assert config.autostart
    assert len(config.token) >= 43
    assert bridge.load({}, environ={}, working_directory=tmp_path).token == config.token


def test_no_record_shows_a_token_when_it_is_printed(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'lineup_server_token = "{STRONG}"\n[srv]\ntokens = ["{STRONG}"]\n')
    flags = {"config": str(own)}
    for program, keys in ((bridge, BRIDGE_KEYS), (relay, RELAY_KEYS)):
        config = program.load(flags, environ={}, working_directory=tmp_path)
        found = files.find_files(str(own), environ={}, working_directory=tmp_path)
        settings = resolve(keys, flags={"token": STRONG}, environ={}, files=found)

        assert STRONG in (getattr(config, "token", ""), *getattr(config, "tokens", ()))
        assert settings.text("token") == STRONG
        for record in (config, settings, *found):
            assert STRONG not in repr(record)


def test_the_grpc_port_follows_the_http_port(tmp_path: Path) -> None:
    flags = {"port": "5000", "token": "test-token"}
    assert bridge.load(flags, environ={}, working_directory=tmp_path).grpc_port == 5001
    flags["grpc_port"] = "7"
    assert bridge.load(flags, environ={}, working_directory=tmp_path).grpc_port == 7


@pytest.mark.parametrize(
    ("flags", "ports"),
    [
        ({}, (22080, 22081)),
        ({"port": 0}, (0, 0)),
        ({"port": 0, "grpc_port": 9}, (0, 9)),
        ({"port": 8}, (8, 9)),
        ({"port": 8, "grpc_port": 0}, (8, 0)),
    ],
)
def test_the_relays_ports(tmp_path: Path, flags: dict[str, object], ports: tuple[int, int]) -> None:
    config = relay.load(flags, environ={}, working_directory=tmp_path)
    assert (config.port, config.grpc_port) == ports


def test_a_relay_on_loopback_is_open_and_knows_the_users_token(tmp_path: Path) -> None:
    config = relay.load({}, environ={}, working_directory=tmp_path)
    own = files.find_files(None, environ={}, working_directory=tmp_path)[0].table
    assert config.tokens == (own["lineup_server_token"],)
    assert config.opens_room("x" * 16)
    assert config.opens_room("test-token")
    assert not config.opens_room("x" * 15)


@pytest.mark.parametrize(
    ("flags", "environ"),
    [({"token": "short"}, {}), ({}, {"LINEUP_TOKEN": "short"}), ({"tokens": ("short",)}, {})],
)
def test_a_list_of_tokens_leaves_open_mode(
    tmp_path: Path, flags: dict[str, object], environ: dict[str, str]
) -> None:
    config = relay.load(flags, environ=environ, working_directory=tmp_path)
    assert config.tokens == ("short",)
    assert not config.opens_room("x" * 40)


@pytest.mark.parametrize("token", ["short", "test-token", "aaaaaaaaaaaaaaaaaaaaaaaa"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_a_weak_token_is_refused_beyond_loopback(tmp_path: Path, host: str, token: str) -> None:
    with pytest.raises(SettingsError, match="too weak") as error:
        relay.load({"host": host, "token": token}, environ={}, working_directory=tmp_path)
    assert token not in str(error.value).split()


def test_beyond_loopback_only_listed_tokens_count(tmp_path: Path) -> None:
    config = relay.load({}, environ={"LINEUP_HOST": "0.0.0.0"}, working_directory=tmp_path)
    assert not config.open_mode
    assert len(config.tokens) == 1


@pytest.mark.parametrize("host", ["localhost", "::1", "[::1]", "127.1.2.3"])
def test_loopback_has_many_names(tmp_path: Path, host: str) -> None:
    assert relay.load({"host": host}, environ={}, working_directory=tmp_path).open_mode


def test_a_clone_that_names_a_relay_needs_its_own_token(tmp_path: Path) -> None:
    (tmp_path / files.FILE_NAME).write_text('lineup_server_host = "evil.test"')
    with pytest.raises(SettingsError, match="LINEUP_TOKEN"):
        bridge.load({}, environ={}, working_directory=tmp_path)


def test_print_config_shows_sources_and_hides_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINEUP_PORT", "5001")
    shown = CliRunner().invoke(main, ["--print-config", "--token", STRONG, "--host", "h"])
    assert shown.exit_code == 0
    assert 'lineup_server_host = "h"  # --host' in shown.output
    assert "lineup_server_port = 5001  # LINEUP_PORT" in shown.output
    assert "lineup_server_token = <hidden, 18 characters>  # --token" in shown.output
    assert STRONG not in shown.output
    assert not files.user_config_directory().exists()


def test_print_config_says_where_the_users_token_is(tmp_path: Path) -> None:
    bridge.load({}, environ={}, working_directory=tmp_path)
    shown = bridge.describe({}, environ={}, working_directory=tmp_path)
    assert f"# read: {files.user_config_directory() / files.FILE_NAME}" in shown
    assert "hidden, 43 characters" in shown
    text = relay.describe({"tokens": (STRONG,)}, environ={}, working_directory=tmp_path)
    assert STRONG not in text


def test_a_placeholder_is_refused_at_the_start() -> None:
    refused = CliRunner().invoke(main, ["--token", "${LINEUP_TOKEN}"])
    assert refused.exit_code == 1
    assert "still a placeholder" in refused.output


def test_a_missing_certificate_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "named.toml"
    path.write_text('lineup_server_ca = "/nowhere/ca.pem"')
    with pytest.raises(SettingsError, match="there is no file"):
        bridge.load({"config": str(path)}, environ={}, working_directory=tmp_path)


def test_every_option_is_documented() -> None:
    for option in main.params:
        assert getattr(option, "help", None), option.name


def test_what_the_log_keeps_is_bounded_unless_it_says_otherwise(tmp_path: Path) -> None:
    config = relay.load({}, environ={}, working_directory=tmp_path)
    assert (config.keep_days, config.keep_bytes) == (90, 2 * 1024**3)
    path = tmp_path / "named.toml"
    path.write_text("[srv]\nkeep_days = 0\nkeep_bytes = 5_000_000_000\n")
    config = relay.load({"config": str(path)}, environ={}, working_directory=tmp_path)
    assert (config.keep_days, config.keep_bytes) == (0, 5_000_000_000)
    path.write_text("[srv]\nkeep_bytes = -1\n")
    with pytest.raises(SettingsError, match=r"keep_bytes .* must be a whole number"):
        relay.load({"config": str(path)}, environ={}, working_directory=tmp_path)

"""Who wins, as a table, and what a file of the working directory may not do."""

from __future__ import annotations

import pytest

from lineup_srv.settings.keys import BRIDGE_KEYS, RELAY_KEYS, Key, Kind
from lineup_srv.settings.resolve import SettingsError, SettingsFile, resolve

OWN = "/home/me/.config/lineup/lineup-mcp.toml"
LOCAL = "/clone/lineup-mcp.toml"


def own(**table: object) -> SettingsFile:
    return SettingsFile(OWN, table, trusted=True)


def local(**table: object) -> SettingsFile:
    return SettingsFile(LOCAL, table, trusted=False)


@pytest.mark.requirement("B19")
@pytest.mark.parametrize(
    ("flags", "environ", "files", "value", "source"),
    [
        ({}, {}, [], 22080, "default"),
        ({}, {}, [own(lineup_server_port=1)], 1, OWN),
        ({}, {}, [local(lineup_server_port=2), own(lineup_server_port=1)], 2, LOCAL),
        ({}, {"LINEUP_PORT": "3"}, [local(lineup_server_port=2)], 3, "LINEUP_PORT"),
        ({}, {"LINEUP_PORT": ""}, [own(lineup_server_port=1)], 1, OWN),
        ({"port": "4"}, {"LINEUP_PORT": "3"}, [own(lineup_server_port=1)], 4, "--port"),
        ({"port": None}, {}, [own(agentassistant_server_port="5")], 5, OWN),
        ({}, {}, [own(lineup_server_port=6, agentassistant_server_port=5)], 6, OWN),
    ],
)
def test_flags_beat_environment_beats_files_beat_defaults(
    flags: dict[str, object],
    environ: dict[str, str],
    files: list[SettingsFile],
    value: int,
    source: str,
) -> None:
    settings = resolve(BRIDGE_KEYS, flags=flags, environ=environ, files=files)
    assert (settings.number("port"), settings.source("port")) == (value, source)


@pytest.mark.parametrize("key", [key for key in BRIDGE_KEYS if key.env], ids=lambda key: key.name)
def test_every_variable_sets_its_key(key: Key) -> None:
    raw = {Kind.PORT: "7", Kind.LEVEL: "debug"}.get(key.kind, "some-text-of-16-characters")
    settings = resolve(BRIDGE_KEYS, flags={}, environ={key.env: raw}, files=[])
    assert settings.source(key.name) == key.env
    assert str(settings.values[key.name].value) == raw


@pytest.mark.parametrize(
    "named",
    [
        {"lineup_server_host": "evil.test"},
        {"lineup_server_port": 1},
        {"lineup_server_grpc_port": 1},
        {"lineup_server_tls": False},
        {"agentassistant_server_host": "evil.test"},
        {"srv": {"public_url": "https://evil.test"}},
    ],
)
def test_a_clone_that_names_a_relay_does_not_get_the_users_token(
    named: dict[str, object],
) -> None:
    files = [local(**named), own(lineup_server_token="mine")]
    settings = resolve(BRIDGE_KEYS, flags={}, environ={}, files=files)
    assert settings.text("token") == ""
    assert settings.token_withheld
    assert any("not used" in note for note in settings.notes)
    by_environment = {"LINEUP_TOKEN": "given"}
    settings = resolve(BRIDGE_KEYS, flags={}, environ=by_environment, files=files)
    assert settings.text("token") == "given"
    files = [local(**named, lineup_server_token="theirs"), own(lineup_server_token="mine")]
    settings = resolve(BRIDGE_KEYS, flags={}, environ={}, files=files)
    assert settings.text("token") == "theirs"


def test_a_clone_that_names_no_relay_leaves_the_users_token() -> None:
    files = [local(mcp={"agent": "x"}), own(lineup_server_token="mine")]
    settings = resolve(BRIDGE_KEYS, flags={}, environ={}, files=files)
    assert settings.text("token") == "mine"
    assert not settings.token_withheld


def test_paths_of_a_clone_are_ignored_and_said() -> None:
    files = [
        local(lineup_server_ca="ca.pem", srv={"data_dir": "/clone/data"}),
        own(srv={"data_dir": "/mine"}),
    ]
    settings = resolve(BRIDGE_KEYS, flags={}, environ={}, files=files)
    assert settings.text("ca") == ""
    assert settings.text("data_dir") == "/mine"
    assert len([note for note in settings.notes if "is ignored" in note]) == 2


@pytest.mark.parametrize("raw", ["${LINEUP_TOKEN}", "  ${X", "two words", "naïve-token", 5])
def test_a_token_that_is_none_is_refused_without_showing_it(raw: object) -> None:
    with pytest.raises(SettingsError) as error:
        resolve(BRIDGE_KEYS, flags={}, environ={}, files=[own(lineup_server_token=raw)])
    assert "naïve" not in str(error.value)
    assert "two words" not in str(error.value)


def test_a_placeholder_says_what_to_do() -> None:
    with pytest.raises(SettingsError, match="did not replace the variable"):
        resolve(BRIDGE_KEYS, flags={}, environ={"LINEUP_TOKEN": "${LINEUP_TOKEN}"}, files=[])


@pytest.mark.parametrize(
    ("section", "key", "raw"),
    [
        ("", "lineup_server_port", "many"),
        ("", "lineup_server_port", 65_536),
        ("", "lineup_server_port", -1),
        ("", "lineup_server_port", True),
        ("", "lineup_server_port", 2.5),
        ("", "lineup_server_host", 5),
        ("", "lineup_server_tls", "perhaps"),
        ("mcp", "wait_slice", "long"),
        ("mcp", "wait_slice", float("inf")),
        ("mcp", "wait_slice", True),
        ("mcp", "max_tools", -1),
        ("mcp", "log_level", "loud"),
        ("mcp", "tools", 5),
    ],
)
def test_a_wrong_value_names_its_key_and_file(section: str, key: str, raw: object) -> None:
    table: dict[str, object] = {section: {key: raw}} if section else {key: raw}
    with pytest.raises(SettingsError, match="must be") as error:
        resolve(BRIDGE_KEYS, flags={}, environ={}, files=[own(**table)])
    assert OWN in str(error.value)


@pytest.mark.parametrize(
    ("raw", "expected"), [("yes", True), ("0", False), (True, True), ("FALSE", False)]
)
def test_switches_are_forgiving(raw: object, expected: bool) -> None:
    settings = resolve(BRIDGE_KEYS, flags={}, environ={}, files=[own(mcp={"autostart": raw})])
    assert settings.switch("autostart") is expected


def test_lists_come_as_lists_or_with_commas() -> None:
    files = [own(srv={"allowed_hosts": ["a", "b"], "trusted_proxies": "c, d"})]
    settings = resolve(RELAY_KEYS, flags={}, environ={}, files=files)
    assert settings.texts("allowed_hosts") == ("a", "b")
    assert settings.texts("trusted_proxies") == ("c", "d")


def test_names_and_places_are_unique() -> None:
    for keys in (BRIDGE_KEYS, RELAY_KEYS):
        assert len({key.name for key in keys}) == len(keys)
        assert len({key.path for key in keys}) == len(keys)

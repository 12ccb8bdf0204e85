"""What goes over the wire is what it was: a change of a byte is a decision, not an accident."""

from __future__ import annotations

import pytest

from lineup_srv.transports.mapping.incoming import DEVICE_CMDS
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codec import decode_frame, encode_frame
from tests.wire.samples import from_app, from_relay
from tests.wire.write_golden import FOLDER, as_bytes, as_json, samples

SAMPLES = samples()
APP = {
    Cmd.USER_LOGIN.value,
    Cmd.PING.value,
    Cmd.GET_HISTORY.value,
    Cmd.SETTINGS.value,
    Cmd.TOOL_LIST.value,
    Cmd.TOOL_CALL_UPDATE.value,
    Cmd.PAIRING.value,
    *DEVICE_CMDS,
}
"""What a device may say."""
APP_ONLY = {
    Cmd.TOOL_LIST.value,
    Cmd.ASK_QUESTION_REPLY.value,
    Cmd.WORK_REPORT_REPLY.value,
    Cmd.SEND_CHAT_MESSAGE.value,
    Cmd.PING.value,
    Cmd.CLIENT_INFO.value,
    Cmd.EXTEND_DEADLINE.value,
}


def test_the_files_are_exactly_the_samples() -> None:
    files = {path.name for path in FOLDER.iterdir()}

    assert files == {f"{name}.{ending}" for name in SAMPLES for ending in ("bin", "json")}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_still_the_same(name: str) -> None:
    assert (FOLDER / f"{name}.bin").read_bytes() == as_bytes(SAMPLES[name])
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == as_json(SAMPLES[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_as_what_was_written(name: str) -> None:
    message = decode_frame((FOLDER / f"{name}.bin").read_bytes())

    assert message == SAMPLES[name]
    assert decode_frame(encode_frame(message)) == message


def test_every_command_has_a_sample_in_each_direction_in_which_it_goes() -> None:
    assert {message.Cmd for message in from_app().values()} == APP
    assert {message.Cmd for message in from_relay().values()} == (
        {cmd.value for cmd in Cmd} - APP_ONLY
    )


def test_nothing_that_the_relay_says_carries_a_token() -> None:
    for name, message in from_relay().items():
        assert b"token" not in as_bytes(message).lower(), name

"""Every command that a device may send has a handler; what is not one is not handled."""

from __future__ import annotations

from lineup_srv.transports.mapping.incoming import DEVICE_CMDS
from lineup_srv.wire.cmd import Cmd
from tests.wire.samples import SAID

FROZEN = {
    "UserLogin",
    "AskQuestion",
    "AskQuestionReply",
    "AskQuestionReplyNotification",
    "WorkReport",
    "WorkReportReply",
    "WorkReportReplyNotification",
    "CheckMessageValidity",
    "GetPendingMessages",
    "RequestCancelled",
    "GetOnlineUsers",
    "SendChatMessage",
    "ChatMessageNotification",
    "UserConnectionStatusNotification",
    "ForwardStateQuery",
    "ForwardStateQueryResponse",
    "ForwardStateChanged",
    "ForwardDeliveryError",
}
"""The spelling is part of the frozen contract."""


def test_the_frozen_commands_are_spelled_as_ever() -> None:
    assert {cmd.value for cmd in Cmd} >= FROZEN


def test_every_command_that_the_room_decides_is_one() -> None:
    assert {cmd.value for cmd in Cmd} >= DEVICE_CMDS


def test_every_command_of_a_device_has_a_sample() -> None:
    assert {name.partition("-")[0] for name in SAID} >= DEVICE_CMDS

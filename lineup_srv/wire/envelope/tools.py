"""The tool messages: what is offered, calls of it, and the one family of answers to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.offers import Refusal
from lineup_srv.wire.envelope import messages as m
from lineup_srv.wire.envelope.contents import read_contents

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.fields import Fields

__all__ = ["READ_TOOLS", "read_error_code"]


def read_error_code(payload: Fields) -> ErrorCode:
    """The code of something that may be all right."""
    return payload.code("code", default=ErrorCode.UNSPECIFIED)


def _tool_list(payload: Fields) -> m.ToolList:
    return m.ToolList(
        tools=tuple(payload.array("tools")) if payload.has("tools") else None,
        applications=(
            tuple(payload.array("applications")) if payload.has("applications") else None
        ),
        ref=payload.text("ref", limits.ID_CHARACTERS, default=""),
    )


def _refused(payload: Fields) -> m.ToolsRefused:
    return m.ToolsRefused(
        tools=payload.each("tools", _refusal, limits.REFUSALS_PER_LIST),
        ref=payload.text("ref", limits.ID_CHARACTERS, default=""),
    )


def _refusal(item: Fields) -> Refusal:
    return Refusal(
        name=item.text("name", limits.ID_CHARACTERS),
        application=item.text("application", limits.ID_CHARACTERS, default=""),
        code=item.code("code"),
        message=item.text("message", limits.REASON_CHARACTERS),
        field=item.text("field", limits.REASON_CHARACTERS, default=""),
    )


def _tool_call(payload: Fields) -> m.ToolCall:
    return m.ToolCall(
        name=payload.id("name"),
        action=payload.id("action"),
        call_id=payload.id("call_id"),
        arguments=_arguments(payload),
        timeout_ms=_timeout(payload),
        agent=payload.text("agent", limits.ID_CHARACTERS, default=""),
    )


def _timeout(payload: Fields) -> int:
    timeout_ms = payload.integer("timeout_ms", default=0)
    if timeout_ms < 0:
        raise payload.wrong("timeout_ms", "is less than 0")
    return timeout_ms


def _mini_app_tool_call(payload: Fields) -> m.MiniAppToolCall:
    return m.MiniAppToolCall(
        application=payload.id("application"),
        tool=payload.id("tool"),
        action=payload.id("action"),
        call_id=payload.id("call_id"),
        arguments=_arguments(payload),
        timeout_ms=_timeout(payload),
        agent=payload.text("agent", limits.ID_CHARACTERS, default=""),
    )


def _cancel(payload: Fields) -> m.ToolCancel:
    return m.ToolCancel(call_id=payload.id("call_id"))


def _arguments(payload: Fields) -> dict[str, object]:
    """The arguments; an instance id in them is text."""
    arguments = payload.json("arguments")
    payload.fields("arguments").text("instance_id", limits.ID_CHARACTERS, default="")
    return arguments


def _receipt(payload: Fields) -> m.ToolReceipt:
    return m.ToolReceipt(
        call_id=payload.id("call_id"),
        phase=payload.choice("phase", m.Phase),
        by=payload.text("by", default=""),
    )


def _progress(payload: Fields) -> m.ToolProgress:
    return m.ToolProgress(
        call_id=payload.id("call_id"),
        progress=payload.number("progress"),
        total=payload.number("total", default=0.0),
        message=payload.text("message", limits.REASON_CHARACTERS, default=""),
    )


def _result(payload: Fields) -> m.ToolResult:
    result = payload.fields("result")
    result.text("message", limits.FRAME_BYTES)
    result.text("instance_id", limits.ID_CHARACTERS, default="")
    return m.ToolResult(
        name=payload.id("name"),
        action=payload.id("action"),
        call_id=payload.id("call_id"),
        result=payload.json("result"),
        failed=payload.flag("failed", default=False),
        code=read_error_code(payload),
        contents=read_contents(payload),
        by=payload.text("by", default=""),
    )


READ_TOOLS: Final[dict[str, Callable[[Fields], m.Payload]]] = {
    m.ToolList.TYPE: _tool_list,
    m.ToolsRefused.TYPE: _refused,
    m.ToolCancel.TYPE: _cancel,
    m.ToolCall.TYPE: _tool_call,
    m.MiniAppToolCall.TYPE: _mini_app_tool_call,
    m.ToolReceipt.TYPE: _receipt,
    m.ToolProgress.TYPE: _progress,
    m.ToolResult.TYPE: _result,
}

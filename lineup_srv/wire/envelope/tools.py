"""The tool messages: what is offered, calls of it, and the one family of answers to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire.envelope import messages as m

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


def _tool_call(payload: Fields) -> m.ToolCall:
    return m.ToolCall(
        name=payload.id("name"),
        action=payload.id("action"),
        call_id=payload.id("call_id"),
        arguments=_arguments(payload),
    )


def _mini_app_tool_call(payload: Fields) -> m.MiniAppToolCall:
    return m.MiniAppToolCall(
        application=payload.id("application"),
        tool=payload.id("tool"),
        action=payload.id("action"),
        call_id=payload.id("call_id"),
        arguments=_arguments(payload),
    )


def _arguments(payload: Fields) -> dict[str, object]:
    """The arguments; an instance id in them is text."""
    arguments = payload.json("arguments")
    payload.fields("arguments").text("instance_id", limits.ID_CHARACTERS, default="")
    return arguments


def _receipt(payload: Fields) -> m.ToolReceipt:
    return m.ToolReceipt(call_id=payload.id("call_id"), phase=payload.choice("phase", m.Phase))


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
        code=read_error_code(payload),
    )


READ_TOOLS: Final[dict[str, Callable[[Fields], m.Payload]]] = {
    m.ToolList.TYPE: _tool_list,
    m.ToolCall.TYPE: _tool_call,
    m.MiniAppToolCall.TYPE: _mini_app_tool_call,
    m.ToolReceipt.TYPE: _receipt,
    m.ToolProgress.TYPE: _progress,
    m.ToolResult.TYPE: _result,
}

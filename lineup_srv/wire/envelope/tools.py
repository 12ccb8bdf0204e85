"""The tool messages: what is offered, calls of it, and the one family of answers to a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.wire.envelope.fields import Fields

__all__ = ["READ_TOOLS", "read_error_code"]

_WORDS: Final = limits.QUESTION_CHARACTERS


def read_error_code(payload: Fields) -> ErrorCode:
    """The code of something that may be all right."""
    return payload.code("code", default=ErrorCode.UNSPECIFIED)


def _tool_list(payload: Fields) -> m.ToolList:
    return m.ToolList(
        tools=_tools(payload) if payload.has("tools") else None,
        applications=(
            payload.each("applications", _application, limits.APPLICATIONS_PER_LIST)
            if payload.has("applications")
            else None
        ),
        ref=payload.text("ref", limits.ID_CHARACTERS, default=""),
    )


def _application(item: Fields) -> m.Application:
    return m.Application(
        id=item.id("id"),
        version=item.text("version", default=""),
        title=item.text("title", default=""),
        tools=_tools(item),
    )


def _tools(item: Fields) -> tuple[m.ToolDefinition, ...]:
    return item.each("tools", _tool, limits.TOOLS_PER_LIST)


def _tool(item: Fields) -> m.ToolDefinition:
    kind = item.choice("type", m.ToolType)
    single = kind is m.ToolType.ACTION
    actions = item.each("actions", _action, limits.ACTIONS_PER_TOOL)
    if not single and not actions:
        raise item.wrong("actions", "is missing: an app or toolset has actions")
    if single and actions:
        raise item.wrong("actions", "has no place: a tool of type action is one action")
    return m.ToolDefinition(
        name=item.id("name"),
        type=kind,
        description=item.text("description", _WORDS),
        actions=actions,
        input_schema=item.json("inputSchema") if single else None,
        interactive=item.flag("interactive", default=False),
        result_schema=item.json("resultSchema") if item.has("resultSchema") else None,
        version=item.text("version", default=""),
    )


def _action(item: Fields) -> m.ActionDefinition:
    return m.ActionDefinition(
        name=item.id("name"),
        description=item.text("description", _WORDS),
        input_schema=item.json("inputSchema"),
        hints=_hints(item.fields("hints")) if item.has("hints") else m.Hints(),
        interactive=item.flag("interactive", default=False),
        result_schema=item.json("resultSchema") if item.has("resultSchema") else None,
    )


def _hints(item: Fields) -> m.Hints:
    return m.Hints(
        read_only=item.flag("read_only", default=False),
        destructive=item.flag("destructive", default=False),
        idempotent=item.flag("idempotent", default=False),
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

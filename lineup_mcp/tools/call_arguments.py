"""Reads the arguments of lineup_list_tools and lineup_call_tool, forgivingly as `reading` does.
Pure.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_mcp.tools.reading import ArgumentError, text_of, timeout_of
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.contract.tool_names import ActionKey

__all__ = ["CallArguments", "read_call", "read_list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArguments:
    """What is called, and how.

    Args:
        name: the tool; empty with `call_id`.
        action: may be empty.
        application: may be empty.
        arguments: of the action.
        timeout_seconds: clamped.
        call_id: of an earlier call; empty for a new one.
        notes: what was changed, to be said in the result.
    """

    name: str = ""
    action: str = ""
    application: str = ""
    arguments: dict[str, object] = field(default_factory=dict)
    timeout_seconds: int = limits.DEFAULT_TIMEOUT_SECONDS
    call_id: str = ""
    notes: tuple[str, ...] = ()

    def means(self, key: ActionKey) -> bool:
        """Whether an action may be meant."""
        return (
            self.name == key.tool
            and (self.action == key.action or not self.action or key.single)
            and self.application in ("", key.application)
        )


def read_list(raw: Mapping[str, object]) -> str:
    """The tool that lineup_list_tools is to show; empty = all.

    Raises:
        ArgumentError: it is no text.
    """
    return text_of(raw, "name", limits.NAME_CHARACTERS)


def read_call(raw: Mapping[str, object]) -> CallArguments:
    """Read the arguments of lineup_call_tool.

    Raises:
        ArgumentError: a field cannot be understood, or nothing is called.
    """
    call_id = text_of(raw, "call_id", limits.ID_CHARACTERS)
    if call_id:
        return CallArguments(call_id=call_id)
    name = text_of(raw, "name", limits.NAME_CHARACTERS)
    if not name:
        raise ArgumentError("name", "is missing: give name and action, or call_id")
    seconds, notes = timeout_of(raw.get("timeout"))
    return CallArguments(
        name=name,
        action=text_of(raw, "action", limits.NAME_CHARACTERS),
        application=text_of(raw, "application", limits.ID_CHARACTERS),
        arguments=_object_of(raw.get("arguments")),
        timeout_seconds=seconds,
        notes=notes,
    )


def _object_of(value: object) -> dict[str, object]:
    """An object, as such or as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else None
        except (ValueError, RecursionError):
            raise ArgumentError("arguments", "is neither an object nor valid JSON") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ArgumentError("arguments", "must be an object")
    return value

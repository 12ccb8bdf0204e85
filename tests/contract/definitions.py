"""Tool definitions in their JSON form, good ones and hostile ones."""

from __future__ import annotations

from typing import Any

from lineup_srv.contract.offers import Offer, Refusal, read_offer
from lineup_srv.schemas import can_match

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}


def action(name: Any = "add", **changes: Any) -> dict[str, Any]:
    return {"name": name, "description": "两个数相加", "inputSchema": SCHEMA, **changes}


def toolset(name: str = "calculator", **changes: Any) -> dict[str, Any]:
    told = {"name": name, "type": "toolset", "description": "基础计算器", "actions": [action()]}
    return {**told, **changes}


def single(name: str = "choice", **changes: Any) -> dict[str, Any]:
    told = {"name": name, "type": "action", "description": "选项", "inputSchema": SCHEMA}
    return {**told, **changes}


def offer(*tools: Any, **more: Any) -> Offer:
    return read_offer({"tools": list(tools), **more}, "", can_match)


def refusal(*tools: Any, **more: Any) -> Refusal:
    """The only refusal of an offer that holds nothing else."""
    read = offer(*tools, **more)
    assert read.tools == ()
    (refused,) = read.refused
    return refused

"""`permission_prompt`: for an agent program that asks a tool before it runs another one.

Its result is read by the program (Claude Code's `--permission-prompt-tool`), so it is JSON and
carries nothing else. Whatever is no clear "allow" is a denial.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineup_mcp.approvals import Step, Verdict
from lineup_mcp.results import Result
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.reading import ArgumentError, text_of
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.deciding import Deciding
    from lineup_mcp.tools.call import Call

__all__ = ["Permission"]


class Permission:
    """The permission tool of one bridge.

    Args:
        deciding: has it decided.
        directory: the project, where steps run.
    """

    def __init__(self, deciding: Deciding, directory: str) -> None:
        self._deciding = deciding
        self._directory = directory

    async def prompt(self, raw: Mapping[str, object], call: Call) -> Reply:
        """Have a call of another tool decided."""
        try:
            step = self._step(raw)
            use_id = text_of(raw, "tool_use_id", limits.ID_CHARACTERS)
        except ArgumentError as error:
            return _reply({"behavior": "deny", "message": f"invalid_argument: {error}."})
        decision = await self._deciding.decide(
            step,
            timeout_seconds=limits.PERMISSION_SECONDS,
            use_id=use_id,
            progress=call.progress,
        )
        if decision.verdict is Verdict.ALLOW:
            arguments = step.input if decision.edited is None else decision.edited
            return _reply({"behavior": "allow", "updatedInput": arguments})
        message = decision.message
        if decision.verdict is Verdict.OPEN:
            message += " So it is not allowed; do not take the step."
        return _reply({"behavior": "deny", "message": message})

    def _step(self, raw: Mapping[str, object]) -> Step:
        tool = text_of(raw, "tool_name", limits.NAME_CHARACTERS)
        if not tool:
            raise ArgumentError("tool_name", "is missing")
        arguments = raw.get("input")
        if arguments is None:
            arguments = {}
        if not isinstance(arguments, dict):
            raise ArgumentError("input", "must be an object")
        why = arguments.get("description")
        return Step(
            tool=tool,
            input=arguments,
            directory=self._directory,
            description=why if isinstance(why, str) else "",
        )


def _reply(answer: Mapping[str, object]) -> Reply:
    return Reply(Result(json.dumps(answer, ensure_ascii=False)), machine_read=True)

"""What `tools/list` says at any moment: our own tools, and the actions that devices offer.

It begins with the actions that were known last and goes on with what the relay tells. Names stay:
an agent program that never asks again still reaches the action that a name once meant.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lineup_mcp.tools.app_definitions import APP_TOOLS
from lineup_mcp.tools.definitions import TOOLS
from lineup_mcp.tools.selection import APPS, QUESTIONS, is_offered
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from lineup_mcp.tools.apps import AppAction
    from lineup_mcp.tools.definitions import Definition
    from lineup_srv.contract.tool_names import ActionKey

__all__ = ["RESERVED", "Dropped", "Listing"]

RESERVED: Final = frozenset(str(tool["name"]) for tool in (*TOOLS, *APP_TOOLS))
"""Names that no action of a device gets."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """What agents cannot call by a name of its own, or not at all.

    Args:
        what: a tool, or a tool and an action, for people.
        reason: why.
    """

    what: str
    reason: str


class Listing:
    """The tools of one bridge.

    Args:
        selection: names of tools and groups to offer; empty = all.
        max_tools: how many actions are offered by name at most.
        remembered: the actions that were known last, by name.
    """

    def __init__(
        self,
        selection: Collection[str] = (),
        max_tools: int = 0,
        remembered: Mapping[str, AppAction] | None = None,
    ) -> None:
        self._selection = selection
        self._max_tools = max_tools
        self._own = [
            tool
            for group, tools in ((QUESTIONS, TOOLS), (APPS, APP_TOOLS))
            for tool in tools
            if is_offered(selection, str(tool["name"]), group)
        ]
        self.known = dict(remembered or {})
        """Every action that a name was given to, also those that nobody offers now."""
        self.current: tuple[str, ...] = tuple(self.known)
        """The names of what devices offer, as far as is known, in order."""
        self.refused: tuple[Dropped, ...] = ()
        """What devices offer and no agent can call."""
        self.fresh = False
        """The relay has told what devices offer; until then it is what was known last."""
        self._names = {action.key: name for name, action in self.known.items()}
        self._exposed = self._expose()
        self._definitions = self._define()
        self._shown: list[Definition] | None = None
        self._changed = asyncio.Event()

    @property
    def definitions(self) -> list[Definition]:
        """The answer to `tools/list`; not to be changed."""
        return self._definitions

    def show(self) -> list[Definition]:
        """The same, for the agent program, which then knows of it."""
        self._shown = self._definitions
        return self._definitions

    @property
    def overflow(self) -> list[Dropped]:
        """The tools that can be called by lineup_call_tool only, because there are too many."""
        reason = f"more than {self._max_tools} actions: call it by lineup_call_tool"
        tools = dict.fromkeys(
            self._tool_of(name) for name in self._sorted() if name not in self._exposed
        )
        return [Dropped(tool, reason) for _, tool in tools]

    def offers(self, name: str) -> bool:
        """Whether an agent may call a tool by this name: offered now, or once."""
        if name in RESERVED:
            return any(tool["name"] == name for tool in self._own)
        return name in self.known and is_offered(self._selection, name, APPS)

    def is_exposed(self, name: str) -> bool:
        """Whether an action stands in `tools/list` now."""
        return name in self._exposed

    def name_of(self, key: ActionKey) -> str:
        """The name of an action that is known."""
        return self._names[key]

    def replace(
        self,
        actions: Sequence[AppAction],
        refused: Iterable[Dropped],
        new_names: Mapping[str, ActionKey],
    ) -> None:
        """Devices offer something else now.

        Args:
            actions: all of it, in order.
            refused: what cannot be offered, and why.
            new_names: names for the actions that have none yet.
        """
        self._names |= {key: name for name, key in new_names.items()}
        self.known |= {self._names[action.key]: action for action in actions}
        self.current = tuple(self._names[action.key] for action in actions)
        self._forget()
        self.refused = tuple(refused)
        self.fresh = True
        self._exposed = self._expose()
        self._definitions = self._define()
        self._changed.set()

    def unnamed(self, keys: Iterable[ActionKey]) -> list[ActionKey]:
        """Those that have no name yet."""
        return [key for key in keys if key not in self._names]

    async def changed(self) -> None:
        """Until the agent program knows of another list than the present one."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._shown is not None and self._shown != self._definitions:
                self._shown = self._definitions
                return

    def _forget(self) -> None:
        """Give up the oldest names that mean nothing now, when there are too many."""
        current = set(self.current)
        gone = [name for name in self.known if name not in current]
        for name in gone[: max(len(self.known) - limits.REMEMBERED_ACTIONS, 0)]:
            del self._names[self.known.pop(name).key]

    def _expose(self) -> frozenset[str]:
        """The names to offer: whole tools, as long as there is room."""
        exposed: list[str] = []
        offered = [name for name in self._sorted() if is_offered(self._selection, name, APPS)]
        for _, tool in groupby(offered, key=self._tool_of):
            names = list(tool)
            # Half of an app is of no use, and a smaller one may still fit.
            if len(exposed) + len(names) <= self._max_tools:
                exposed += names
        return frozenset(exposed)

    def _sorted(self) -> list[str]:
        """What is offered now, tool by tool, in whatever order devices came."""
        return sorted(self.current, key=self._tool_of)

    def _tool_of(self, name: str) -> tuple[str, str]:
        key = self.known[name].key
        return key.application, key.tool

    def _define(self) -> list[Definition]:
        shown = [name for name in self._sorted() if name in self._exposed]
        apps = [self.known[name].definition(name) for name in shown]
        return [*self._own, *apps]

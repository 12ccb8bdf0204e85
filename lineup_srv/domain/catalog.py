"""Which tools a room has: what its devices offer, merged (design §4.2, §7).

The same tool offered by several devices is one tool with several providers. Of two different ones
with one name the first stays while anybody offers it, unless the other has a newer version. What
is offered changes with who is here, so this is Live; the log remembers interactive tools, which
stay while their devices sleep (`call_book`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.offers import Refusal
from lineup_srv.contract.tools import ToolDefinition, same_definition

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.call import OfferedTool, ToolKey

__all__ = ["Catalog", "interactive_part", "is_newer", "same_tool"]


@dataclass(slots=True)
class _Variant:
    """One meaning of a name: all who offer it, oldest first, each in its own words."""

    providers: dict[ClientId, OfferedTool]

    @property
    def tool(self) -> OfferedTool:
        """The tool in the words of the first who offers it."""
        return next(iter(self.providers.values()))


@dataclass(slots=True)
class Catalog:
    """What the connected devices offer. Changed only by `apply_change`.

    Attributes:
        revision: grows with every change that an agent can see, over restarts too, because it
            never lags behind the clock in milliseconds.
    """

    revision: int = 0
    _offers: dict[ClientId, dict[ToolKey, OfferedTool]] = field(default_factory=dict)
    _shelves: dict[ToolKey, list[_Variant]] = field(default_factory=dict)
    _lost: dict[ToolKey, OfferedTool | None] = field(default_factory=dict)
    """What nobody offers any more: its device is gone, or (None) took it back."""

    def find(self, key: ToolKey) -> OfferedTool | None:
        """The tool that is offered now under this name."""
        shelf = self._shelves.get(key)
        return None if shelf is None else _first(shelf).tool

    def lost(self, key: ToolKey) -> OfferedTool | None:
        """The tool that a device offered which is gone."""
        return self._lost.get(key)

    def taken_back(self, key: ToolKey) -> bool:
        """Whether the last device that offered it said that it does not offer it any more."""
        return key in self._lost and self._lost[key] is None

    def providers(self, key: ToolKey) -> Collection[ClientId]:
        """Who offers the tool that `find` gives, oldest first."""
        shelf = self._shelves.get(key)
        return () if shelf is None else _first(shelf).providers

    def offered_by(self, client_id: ClientId) -> Mapping[ToolKey, OfferedTool]:
        """What a device offers, whether it is in the catalog or not."""
        return self._offers.get(client_id, {})

    def tools(self) -> Iterator[OfferedTool]:
        """All tools that are offered now."""
        return (_first(shelf).tool for shelf in self._shelves.values())

    def sift(
        self, client_id: ClientId, tools: tuple[OfferedTool, ...]
    ) -> tuple[tuple[OfferedTool, ...], tuple[Refusal, ...]]:
        """What `put` may be given of a device's tools, and what the device must be told.

        A tool that is refused for its name is offered all the same: it takes the place when that
        is free.
        """
        taken: list[OfferedTool] = []
        refused: list[Refusal] = []
        size = len(self._shelves)
        for tool in tools:
            if tool.key not in self._shelves:
                if size >= limits.TOOLS_PER_ROOM:
                    message = "the room has too many tools"
                    refused.append(_refused(tool, ErrorCode.RATE_LIMITED, message))
                    continue
                size += 1
            taken.append(tool)
            if self._stands_back(client_id, tool):
                message = f"another device offers a different tool named {tool.definition.name}"
                refused.append(_refused(tool, ErrorCode.NAME_CONFLICT, message))
        return tuple(taken), tuple(refused)

    def _stands_back(self, client_id: ClientId, tool: OfferedTool) -> bool:
        """Whether others offer a different tool under this name, and that one stays."""
        others = [
            variant
            for variant in self._shelves.get(tool.key, ())
            if variant.providers.keys() - {client_id}
        ]
        if not others:
            return False
        first = _first(others).tool
        return not (same_tool(first.definition, tool.definition) or _newer(tool, first))

    # What apply_change does --------------------------------------------------------------------

    def put(self, client_id: ClientId, tools: tuple[OfferedTool, ...], at_unix_ms: int) -> None:
        """A device offers these tools and no others."""
        offer = {tool.key: tool for tool in tools}
        before = self._offers.pop(client_id, {})
        touched = before.keys() | offer.keys()
        seen = {key: self._visible(key) for key in touched}
        for key, old in before.items():
            if offer.get(key) != old:
                self._take_off(client_id, key, None)
        for key, tool in offer.items():
            self._put_on(client_id, key, tool)
        if offer:
            self._offers[client_id] = offer
        self._revise(seen, at_unix_ms)

    def drop(self, client_id: ClientId, at_unix_ms: int) -> None:
        """A device is gone, with all that it offered."""
        before = self._offers.pop(client_id, {})
        seen = {key: self._visible(key) for key in before}
        for key in before:
            self._take_off(client_id, key, self.find(key))
        self._revise(seen, at_unix_ms)

    def touch(self, at_unix_ms: int) -> None:
        """There is another revision."""
        self.revision = max(self.revision + 1, at_unix_ms)

    def _put_on(self, client_id: ClientId, key: ToolKey, tool: OfferedTool) -> None:
        self._lost.pop(key, None)
        shelf = self._shelves.setdefault(key, [])
        for variant in shelf:
            if same_tool(variant.tool.definition, tool.definition):
                variant.providers.setdefault(client_id, tool)
                return
        shelf.append(_Variant({client_id: tool}))

    def _take_off(self, client_id: ClientId, key: ToolKey, lost: OfferedTool | None) -> None:
        shelf = self._shelves[key]
        for variant in shelf:
            variant.providers.pop(client_id, None)
        shelf[:] = [variant for variant in shelf if variant.providers]
        if shelf:
            return
        del self._shelves[key]
        self._lost.pop(key, None)
        self._lost[key] = lost
        while len(self._lost) > limits.TOOLS_LOST:
            del self._lost[next(iter(self._lost))]

    def _visible(self, key: ToolKey) -> OfferedTool | None:
        tool = self.find(key)
        lost = self._lost.get(key)
        return interactive_part(lost) if tool is None and lost is not None else tool

    def _revise(self, seen: Mapping[ToolKey, OfferedTool | None], at_unix_ms: int) -> None:
        if any(self._visible(key) != tool for key, tool in seen.items()):
            self.touch(at_unix_ms)


def interactive_part(tool: OfferedTool) -> OfferedTool | None:
    """What is left of a tool while its devices sleep: the actions that a human answers."""
    definition = tool.definition
    left = tuple(action for action in definition.operations() if action.interactive)
    if not left:
        return None
    if not definition.actions or len(left) == len(definition.actions):
        return tool
    return replace(tool, definition=replace(definition, actions=left))


def is_newer(version: str, other: str) -> bool:
    """Whether both are versions in dotted numbers and the first is the newer one."""
    one, two = _numbers(version), _numbers(other)
    return one is not None and two is not None and one > two


def _numbers(version: str) -> tuple[int, ...] | None:
    parts = version.split(".")
    if len(version) > limits.TOOL_VERSION_CHARACTERS:
        return None
    if not all(p.isascii() and p.isdigit() for p in parts):
        return None
    numbers = [int(part) for part in parts]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _first(shelf: list[_Variant]) -> _Variant:
    """The one that counts: the newest version, of equals and of unversioned ones the first."""
    first = shelf[0]
    for variant in shelf[1:]:
        if _newer(variant.tool, first.tool):
            first = variant
    return first


def _newer(tool: OfferedTool, other: OfferedTool) -> bool:
    return is_newer(_version(tool), _version(other))


def _version(tool: OfferedTool) -> str:
    return tool.definition.version or tool.application_version


def same_tool(one: ToolDefinition, other: ToolDefinition) -> bool:
    """Whether both are called alike: words and versions may differ."""
    return one == other or same_definition(_bare(one), _bare(other))


def _bare(definition: ToolDefinition) -> ToolDefinition:
    actions = tuple(replace(action, description="") for action in definition.actions)
    return replace(definition, description="", version="", actions=actions)


def _refused(tool: OfferedTool, code: ErrorCode, message: str) -> Refusal:
    name = tool.definition.name
    return Refusal(name=name, application=tool.application_id, code=code, message=message)

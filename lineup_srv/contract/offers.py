"""The JSON form of what an app offers → definitions. A bad tool is refused alone, with a reason.

Nothing of a refused tool is kept but its name. What is offered is as good as its announcer says:
descriptions are passed on as text and are never markup.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.definitions import check_new, read_name, read_tool
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.fields import Fields
from lineup_srv.contract.json_text import below
from lineup_srv.contract.tools import Application, ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Offer", "Refusal", "read_offer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A tool that was not taken.

    Attributes:
        name: the tool's name; empty if that could not be read.
        application: the MiniApp it belongs to; empty for none.
        code: the stable code.
        message: what is wrong, for people.
        field: the path of what is wrong; `tools[2].actions[0].inputSchema.properties.x`.
    """

    name: str
    application: str = ""
    code: ErrorCode
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What an app offers, as far as it can be taken.

    Attributes:
        tools: the good ones.
        applications: each with its good tools.
        refused: the bad ones, each with the first thing that is wrong with it.
        faults: all that is wrong, for who has to mend it.
    """

    tools: tuple[ToolDefinition, ...] = ()
    applications: tuple[Application, ...] = ()
    refused: tuple[Refusal, ...] = ()
    faults: tuple[LineUpError, ...] = ()


@dataclass(slots=True)
class _Reading:
    """One offer while it is read."""

    matcher: Callable[[str], bool]
    application: str = ""
    left: int = limits.OFFER_CHARACTERS
    patterns_left: int = limits.PATTERNS_PER_LIST
    refused: list[Refusal] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)

    def counted(self, tool: ToolDefinition, path: str) -> ToolDefinition:
        """The tool, if all that is offered is not too much with it."""
        size = sum(
            len(told.description) + len(told.input_schema_json) + len(told.result_schema_json)
            for told in tool.operations()
        )
        if size > self.left:
            most = limits.OFFER_CHARACTERS
            message = f"all definitions together have more than {most} characters"
            raise LineUpError(ErrorCode.TOO_LARGE, message, field=path)
        self.left -= size
        return tool

    def can_match(self, pattern: str) -> bool:
        """As `matcher`, for so many patterns.

        Raises:
            LineUpError: TOO_LARGE.
        """
        self.patterns_left -= 1
        if self.patterns_left < 0:
            most = limits.PATTERNS_PER_LIST
            message = f"all definitions together have more than {most} patterns"
            raise LineUpError(ErrorCode.TOO_LARGE, message, field="tools")
        return self.matcher(pattern)

    def refuse(self, name: str, error: LineUpError, *others: LineUpError) -> None:
        self.faults.note(error, *others)
        if len(self.refused) < limits.REFUSALS_PER_LIST:
            self.refused.append(
                Refusal(
                    name=name,
                    application=self.application,
                    code=error.code,
                    message=error.message,
                    field=error.field,
                )
            )


def read_offer(payload: Mapping[str, object], path: str, can_match: Callable[[str], bool]) -> Offer:
    """Read `tools` and `applications`; either may be missing.

    Args:
        payload: the object that holds them, as `json_text.load` gives it.
        path: where it stands; empty: paths begin with `tools`.
        can_match: as in `judge_schema`.

    Raises:
        LineUpError: INVALID_ARGUMENT: one of them is no array.
    """
    reading, offer = _Reading(can_match), Fields(payload, path)
    tools = _tools(offer, reading)
    applications: dict[str, Application] = {}
    for index in _indices(offer, "applications", limits.APPLICATIONS_PER_LIST, reading):
        reading.application = ""
        try:
            item = offer.item("applications", index)
            reading.application = read_name(item, "id")
            check_new(item, "id", reading.application, applications)
            applications[reading.application] = _application(item, reading)
        except LineUpError as error:
            reading.refuse("", error)
    return Offer(
        tools=tools,
        applications=tuple(applications.values()),
        refused=tuple(reading.refused),
        faults=tuple(reading.faults),
    )


def _indices(offer: Fields, name: str, most: int, reading: _Reading) -> range:
    """Which items of an array are read; what stands beyond the limit is told once."""
    count = len(offer.array(name))
    if count > most:
        message = f"has more than {most} items: the rest was not read"
        error = LineUpError(ErrorCode.TOO_LARGE, message, field=below(offer.path, name))
        reading.refuse("", error)
    return range(min(count, most))


def _application(item: Fields, reading: _Reading) -> Application:
    return Application(
        id=reading.application,
        version=item.text("version", default=""),
        title=item.text("title", default=""),
        tools=_tools(item, reading),
    )


def _tools(offer: Fields, reading: _Reading) -> tuple[ToolDefinition, ...]:
    tools: dict[str, ToolDefinition] = {}
    bad: dict[str, None] = {}
    for index in _indices(offer, "tools", limits.TOOLS_PER_LIST, reading):
        name, faults = "", Faults()
        try:
            item = offer.item("tools", index)
            name = faults.read("", read_name, item, "name")
            faults.read(None, check_new, item, "name", name, tools)
            # One that has the name of a bad one is taken, but one of them is to be renamed.
            reading.faults.read(None, check_new, item, "name", name, bad)
            tool = read_tool(item, name, reading.can_match, faults)
            faults.raise_first()
            tools[name] = reading.counted(tool, item.path)
        except LineUpError as error:
            reading.refuse(name, error, *faults)
            if name:
                bad[name] = None
    return tuple(tools.values())

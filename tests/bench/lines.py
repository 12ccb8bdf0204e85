"""What a section of the benchmark reports, and how it is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Line", "Options", "Section", "print_section"]


@dataclass(frozen=True, slots=True)
class Options:
    """How much to measure.

    Attributes:
        rounds: how often each measurement alternates with its floor.
        count: questions in a round.
        folder: for logs; every section has one of its own.
    """

    rounds: int
    count: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Line:
    """One figure, with the budget of the design beside it, if it has one."""

    what: str
    value: float
    unit: str = ""
    budget: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together."""

    title: str
    lines: list[Line] = field(default_factory=list)

    def add(self, what: str, value: float, unit: str = "", budget: str = "") -> None:
        """Add a figure."""
        self.lines.append(Line(what, value, unit, budget))


def print_section(section: Section) -> None:
    """One line for each figure."""
    print(section.title)
    for line in section.lines:
        budget = f"budget {line.budget}" if line.budget else ""
        print(f"  {line.what:<36}{line.value:>10.2f} {line.unit:<5} {budget}".rstrip(), flush=True)

"""All that is wrong with a thing, and not only the first: for those who have to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Faults"]

P = ParamSpec("P")
T = TypeVar("T")


class Faults:
    """What was found wrong, in the order it was found, the same thing once.

    Beyond REFUSALS_PER_LIST nothing more is noted: who wrote so many may mend those first.
    """

    def __init__(self) -> None:
        """Nothing is wrong yet."""
        self._found: dict[tuple[str, str], LineUpError] = {}

    def __iter__(self) -> Iterator[LineUpError]:
        """The faults."""
        return iter(self._found.values())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._found)

    def note(self, *errors: LineUpError) -> None:
        """These are wrong too."""
        for error in errors:
            if len(self._found) < limits.REFUSALS_PER_LIST:
                self._found.setdefault((error.field, error.message), error)

    def read(self, instead: T, read: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """What `read` gives for the arguments; `instead` of it, if it raises what is then noted."""
        try:
            return read(*args, **kwargs)
        except LineUpError as error:
            self.note(error)
            return instead

    def raise_first(self) -> None:
        """Refuse, if anything is wrong.

        Raises:
            LineUpError: the first that was found.
        """
        for error in self:
            raise error

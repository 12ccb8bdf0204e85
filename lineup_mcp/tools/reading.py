"""Reads single arguments of tool calls forgivingly: models send numbers as text, lists as JSON
text. What can be understood is; what cannot is an error that names the field. Pure.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final

from lineup_mcp.suggestions import nearest
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

__all__ = [
    "ArgumentError",
    "list_of",
    "only_known",
    "seconds_of",
    "switch_of",
    "text_of",
    "timeout_of",
    "words_of",
]

_TRUE: Final = frozenset({"true", "yes", "1", "on"})
_FALSE: Final = frozenset({"false", "no", "0", "off", ""})
_SPAN: Final = re.compile(r"\s*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
_MOST_NAMED: Final = 5
_NAME_CHARACTERS: Final = 40
_UNITS: Final = {"": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600}


class ArgumentError(Exception):
    """An argument that cannot be used.

    Args:
        field: its name, dotted for parts of it.
        problem: what is wrong, as the end of a sentence that begins with the field.
        next_step: what the agent can do; empty: give a correct value.
    """

    def __init__(self, field: str, problem: str, *, next_step: str = "") -> None:
        super().__init__(f"{field} {problem}")
        self.field = field
        self.problem = problem
        self.next_step = next_step or f"call again with a correct {field}."


def only_known(
    given: Iterable[str], known: Collection[str], *, besides: Collection[str] = (), inside: str = ""
) -> None:
    """Let no argument be lost because its name is wrong.

    Args:
        given: the names that were given.
        known: the names to tell.
        besides: names that are taken without a word.
        inside: the field that has them; empty for the call itself.

    Raises:
        ArgumentError: it names all others, and what they may be.
    """
    unknown = [name for name in given if name not in known and name not in besides]
    if not unknown:
        return
    named = [_short(name) for name in unknown[:_MOST_NAMED]]
    if len(unknown) > _MOST_NAMED:
        named.append(f"{len(unknown) - _MOST_NAMED} more")
    found = (nearest(name, known) for name in unknown[:_MOST_NAMED])
    near = ", ".join(dict.fromkeys(name for name in found if name))
    raise ArgumentError(
        ", ".join(f"{inside}.{name}" if inside else name for name in named),
        f"{'is' if len(unknown) == 1 else 'are'} not known"
        f"{f' (did you mean {near}?)' if near else ''}; {inside or 'this tool'} takes "
        f"{', '.join(known)}",
        next_step="call again with these names only.",
    )


def _short(name: str) -> str:
    """A name that may be anything, in one line."""
    shown = name if name.isprintable() else json.dumps(name)
    return shown if len(shown) <= _NAME_CHARACTERS else f"{shown[: _NAME_CHARACTERS - 1]}…"


def timeout_of(raw: object) -> tuple[int, tuple[str, ...]]:
    """The timeout in seconds, clamped, and a note when it is not what was given.

    Raises:
        ArgumentError: it is no number.
    """
    default = limits.DEFAULT_TIMEOUT_SECONDS
    if raw is None or raw == "":
        return default, ()
    seconds = seconds_of(raw)
    if seconds is None:
        raise ArgumentError("timeout", f"must be a number of seconds, such as {default}")
    low, high = limits.TOOL_MIN_TIMEOUT_SECONDS, limits.TOOL_MAX_TIMEOUT_SECONDS
    if seconds < low:
        return low, (f"timeout {seconds:g} s was raised to the least, {low} s.",)
    if seconds > high:
        return high, (f"timeout {seconds:g} s was lowered to the most, {high} s.",)
    return round(seconds), ()


def seconds_of(raw: object) -> float | None:
    """A span in seconds: a number, or a text such as "90", "10m", "2 h"; None if it is none."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        try:
            value = float(raw)
        except OverflowError:
            value = math.inf if raw > 0 else -math.inf
        return None if math.isnan(value) else value
    match = _SPAN.fullmatch(raw) if isinstance(raw, str) else None
    unit = _UNITS.get(match[2].lower()) if match is not None else None
    if match is None or unit is None:
        return None
    try:
        return float(match[1]) * unit
    except ValueError:
        return None


def text_of(raw: Mapping[str, object], field: str, most: int, *, cut: bool = False) -> str:
    """A text argument, stripped; empty when it is absent.

    Raises:
        ArgumentError: it is a list or object, or longer than `most` characters.
    """
    value = raw.get(field)
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise ArgumentError(field, f"must be a text, not {_kind(value)}")
    text = str(value).strip()
    if len(text) > most:
        if not cut:
            raise ArgumentError(field, f"must have at most {most} characters")
        text = text[:most]
    return text


def words_of(raw: Mapping[str, object], field: str, most: int) -> str:
    """Words for a human, stripped; empty when they are absent.

    Raises:
        ArgumentError: it is no text: a number or a list is a mistake that nobody should be asked
            about. Or it is longer than `most` characters.
    """
    value = raw.get(field)
    if value is not None and not isinstance(value, str):
        raise ArgumentError(field, f"must be a text, not {_kind(value)}")
    return text_of(raw, field, most)


def _kind(value: object) -> str:
    """What JSON calls a value that is no text."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "an object" if isinstance(value, dict) else "a list"


def switch_of(value: object, field: str, default: bool) -> bool:
    """True or false, also as a number or a word; `default` if it is absent.

    Raises:
        ArgumentError: it is neither.
    """
    if value is None:
        return default
    if isinstance(value, bool | int):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else None
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ArgumentError(field, "must be true or false")


def list_of(value: object, field: str) -> list[object]:
    """A list: as such, as JSON text, as one object, or as lines of text.

    Raises:
        ArgumentError: it is none of these.
    """
    if value is None or value == "":
        return []
    if isinstance(value, str):
        text = value.strip()
        if text.startswith(("[", "{")):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                raise ArgumentError(field, "is neither a list nor valid JSON") from None
        else:
            value = [line.strip() for line in text.splitlines() if line.strip()]
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise ArgumentError(field, "must be a list")
    return value

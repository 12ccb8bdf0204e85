"""Regular expressions of strangers: RE2 matches them in a time that is linear in the text.

Python's `re` can be made to run for years by ten characters. What RE2 leaves out (look-around,
back references, repetitions over 1,000) a schema cannot use: it is refused when it is announced.
"""

from __future__ import annotations

import functools
import re
from typing import Final

import re2

from lineup_srv.contract import limits

__all__ = ["can_match", "matches"]

_ESCAPE: Final = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|(.))", re.DOTALL)


def can_match(pattern: str) -> bool:
    """Whether a pattern of JSON Schema can be matched here."""
    try:
        _compiled(pattern)
    except re2.error:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern, which `can_match`, is found anywhere in the text."""
    return _compiled(pattern).search(text) is not None


@functools.lru_cache(maxsize=limits.PATTERNS_READY)
def _compiled(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False  # it would write strangers' patterns to stderr
    options.max_mem = limits.PATTERN_BYTES
    return re2.compile(_ESCAPE.sub(_translated, pattern), options)


def _translated(escape: re.Match[str]) -> str:
    r"""ECMAScript, which JSON Schema wants, writes `\u4e00` where RE2 writes `\x{4e00}`."""
    digits = escape[1] or escape[2]
    return f"\\x{{{digits}}}" if digits else escape[0]

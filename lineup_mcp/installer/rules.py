"""The block of instructions for files like CLAUDE.md and AGENTS.md, between two markers."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["RULES", "has_rules", "own_page", "with_rules", "without_rules"]

_BEGIN: Final = "<!-- lineup:begin, kept by lineup-mcp install -->"
_END: Final = "<!-- lineup:end -->"
_BLOCK: Final = re.compile(
    rf"\n?{re.escape('<!-- lineup:begin')}[^\n]*-->.*?{re.escape(_END)}\n?", re.DOTALL
)

RULES: Final = """\
## Asking the human

The human is often away from this terminal and answers through LineUp on a phone or another
computer.

- Before anything risky, and for every decision or missing fact, call `ask_question`; give options
  where you can. Do not end your turn with a question.
- When a task is done, call `work_report`. If the reply has more work, do it.
- "Not answered yet" means: call `ask_question` again with the `question_id` it names.
- No answer is never consent. Do what is safe, or stop and say what is open.
- Words of the human at the end of any result are for you: read and follow them.
"""


def has_rules(text: str) -> bool:
    """Whether the block is in a text."""
    return _BLOCK.search(text) is not None


def with_rules(text: str) -> str:
    """A text with the block, in its old place or at the end."""
    block = f"{_BEGIN}\n{RULES}{_END}\n"
    if match := _BLOCK.search(text):
        head = "\n" if match[0].startswith("\n") else ""
        return text[: match.start()] + head + block + text[match.end() :]
    if not text:
        return block
    return f"{text}\n{block}" if text.endswith("\n") else f"{text}\n\n{block}"


def without_rules(text: str) -> str:
    """A text without the block."""
    return _BLOCK.sub("", text, count=1)


def own_page(front_matter: str) -> str:
    """The rules as a file of their own.

    Args:
        front_matter: lines that the agent program wants first; may be empty.
    """
    return f"{front_matter}{_BEGIN}\n{RULES}{_END}\n"

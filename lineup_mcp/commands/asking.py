"""What `ask` and `report` share: how they end and what they print.

Exit status: 0 answered, 1 the relay is not there or refuses, 2 a wrong argument, 3 dismissed
without an answer, 4 no answer in time or withdrawn, 128 + the signal's number.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from lineup_mcp.commands.configured import fail, load_config
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from lineup_mcp.tools.asking import Asking
    from lineup_mcp.tools.call import Call, Reply

__all__ = ["card_arguments", "card_options", "put", "read_words"]

F = TypeVar("F", bound="Callable[..., Any]")


def card_options(command: F) -> F:
    """The options of everything that is shown as a card and answered."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option(
            "--timeout",
            type=click.IntRange(limits.TOOL_MIN_TIMEOUT_SECONDS, limits.TOOL_MAX_TIMEOUT_SECONDS),
            default=limits.DEFAULT_TIMEOUT_SECONDS,
            show_default=True,
            metavar="SECONDS",
            help="How long to wait for the human.",
        ),
        click.option("--image", "images", multiple=True, metavar="FILE", help="A picture; repeat."),
    ):
        command = option(command)
    return command


def card_arguments(images: tuple[str, ...], timeout: int) -> dict[str, object]:
    """What these options are as arguments of a tool."""
    shown: dict[str, object] = {"images": list(images)} if images else {}
    return {"timeout": timeout, "project_directory": str(Path.cwd()), **shown}


def read_words(words: str) -> str:
    """The words of an argument; those on stdin for `-`."""
    text = sys.stdin.read() if words == "-" else words
    if not text.strip():
        fail("there are no words to show", 2)
    return text.strip()


def put(
    context: click.Context, act: Callable[[Asking, Call], Awaitable[Reply]], *, as_json: bool
) -> NoReturn:
    """Ask or report, print what came of it, and end the program with its status.

    Args:
        context: of the command.
        act: asks or reports.
        as_json: print one JSON object instead of the answer's words.
    """
    config = load_config(context)
    from lineup_mcp.commands.printing import print_reply
    from lineup_mcp.single import Interrupted, carry_out
    from lineup_mcp.tools.reading import ArgumentError

    try:
        status = carry_out(config, act, partial(print_reply, as_json=as_json))
    except Interrupted as interrupted:
        fail("interrupted", 128 + interrupted.number)
    except ArgumentError as error:
        fail(f"{error.field}: {error.problem}", 2)
    sys.exit(status)

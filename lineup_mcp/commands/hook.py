"""`lineup-mcp hook`: answers a hook of an agent program."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from lineup_mcp.commands.configured import flags_of
from lineup_srv.contract import limits
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    Output = Mapping[str, object] | None

__all__ = ["ANSWER_SECONDS", "hook"]

ANSWER_SECONDS: Final = 3_570
"""How long a human has to decide, unless told otherwise; the installer gives the hook an hour."""


class _StopsNothing(click.Command):
    """Ends with 1 when it is called wrongly: by 2 a hook stops what its program is about to do."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            error.show()
            raise click.exceptions.Exit(1) from error


@click.command(cls=_StopsNothing)
@click.option(
    "--timeout",
    type=click.IntRange(min=1),
    default=ANSWER_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long a human has to decide; less than the hook's own timeout.",
)
@click.option(
    "--without-answer",
    type=click.Choice(["ask", "deny", "allow"]),
    default="ask",
    show_default=True,
    help="When nobody decided: the program asks in its own window, or it is denied or allowed.",
)
@click.pass_context
def hook(context: click.Context, timeout: int, without_answer: str) -> None:
    """Answer a hook of Claude Code or a program with hooks of that form.

    Reads the hook's JSON from standard input and writes the answer to standard output; nothing
    there means that LineUp has nothing to say.
    """
    from lineup_mcp.hook_events import HookEvent, allow, deny

    def undecided(reason: str) -> Output:
        if without_answer == "deny":
            return deny(f"{reason} So it is not allowed; do not take the step.")
        return allow() if without_answer == "allow" else None

    try:
        raw = json.loads(sys.stdin.buffer.read(limits.MESSAGE_BYTES))
    except (ValueError, RecursionError):
        raise click.ClickException("standard input is not the JSON of a hook") from None
    event = HookEvent(raw if isinstance(raw, dict) else {})
    if event.is_idle:
        return
    from lineup_mcp.config import load
    from lineup_mcp.hook_run import HookRun, write

    try:
        config = load(flags_of(context))
    except SettingsError as error:
        # Not status 2, by which a hook stops what its program is about to do.
        if event.name == "PermissionRequest":
            write(undecided(f"LineUp's configuration cannot be used: {error}."))
        raise click.ClickException(str(error)) from error
    HookRun(config, undecided).run(event, timeout)

"""`lineup-mcp hook`: answers a hook of an agent program."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

import click

from lineup_mcp.commands.configured import flags_of
from lineup_srv.contract import limits
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.hooks import HookEvent

    Output = Mapping[str, object] | None

__all__ = ["ANSWER_SECONDS", "SECONDS", "hook"]

ANSWER_SECONDS: Final = 3_570
"""How long a human has to decide, unless told otherwise; the installer gives the hook an hour."""
SECONDS: Final = 20
"""How long any other hook takes at most; the installer gives it half a minute."""
_MARGIN_SECONDS: Final = 10
"""Between the end of the card and the end of the hook."""


@click.command()
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
    from lineup_mcp.config import load
    from lineup_mcp.hooks import HookEvent, allow, deny

    def undecided(reason: str) -> Output:
        if without_answer == "deny":
            return deny(f"{reason} So it is not allowed; do not take the step.")
        return allow() if without_answer == "allow" else None

    try:
        raw = json.loads(sys.stdin.buffer.read(limits.MESSAGE_BYTES))
    except (ValueError, RecursionError):
        raise click.ClickException("standard input is not the JSON of a hook") from None
    event = HookEvent(raw if isinstance(raw, dict) else {})
    try:
        config = load(flags_of(context))
    except SettingsError as error:
        # Not status 2, by which a hook stops what its program is about to do.
        if event.name == "PermissionRequest":
            _write(undecided(f"LineUp's configuration cannot be used: {error}."))
        raise click.ClickException(str(error)) from error
    _Run(config, undecided).run(event, timeout)


class _Run:
    """One run of the command; ends the process in time.

    Args:
        config: where the relay is.
        undecided: makes the output when nobody decided, from the reason.
    """

    def __init__(self, config: BridgeConfig, undecided: Callable[[str], Output]) -> None:
        self._config = config
        self._undecided = undecided
        self._said = threading.Lock()

    def run(self, event: HookEvent, timeout: int) -> None:
        """Answer, and end the process if something hangs."""
        decides = event.name == "PermissionRequest"
        seconds = timeout + _MARGIN_SECONDS if decides else SECONDS
        late = self._undecided("Nobody answered in time.") if decides else None
        dog = threading.Timer(seconds, self._end, (late,))
        dog.daemon = True
        dog.start()
        asyncio.run(self._answer(event, answer_seconds=timeout))
        dog.cancel()

    async def _answer(self, event: HookEvent, *, answer_seconds: int) -> None:
        from lineup_mcp.hooks import Hooks

        hooks = Hooks(self._config, environ=os.environ, put=self._put, undecided=self._undecided)
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(hooks.run(event, within_seconds=answer_seconds))
            # The program decided in its own window, or ends: the card has to go.
            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, running.cancel)

    def _put(self, output: Output) -> None:
        """Write the output, the first one only."""
        if self._said.acquire(blocking=False):
            _write(output)

    def _end(self, output: Output) -> None:
        with contextlib.suppress(OSError):
            self._put(output)
        os._exit(0)


def _write(output: Output) -> None:
    if output is not None:
        sys.stdout.buffer.write(json.dumps(output).encode() + b"\n")
        sys.stdout.buffer.flush()

"""`lineup-mcp report`: a report from the shell, confirmed or answered on any device."""

from __future__ import annotations

import click

from lineup_mcp.commands.asking import card_arguments, card_options, put, read_words

__all__ = ["report"]


@click.command()
@click.argument("summary")
@card_options
@click.pass_context
def report(
    context: click.Context,
    /,
    *,
    summary: str,
    images: tuple[str, ...],
    timeout: int,
    as_json: bool,
) -> None:
    """Show the human a report and print the reply.

    SUMMARY is markdown; - reads it from stdin. The exit status tells: 0 confirmed or answered, 1 no
    relay or refused, 2 a wrong argument, 3 dismissed, 4 no answer in time.
    """
    arguments = {"summary": read_words(summary), **card_arguments(images, timeout)}
    put(context, lambda asking, call: asking.report(arguments, call), as_json=as_json)

"""`lineup-mcp report`: a report from the shell, confirmed or answered on any device."""

from __future__ import annotations

from pathlib import Path

import click

from lineup_mcp.commands.asking import put, read_words, timeout_option

__all__ = ["report"]


@click.command()
@click.argument("summary")
@click.option("--image", "images", multiple=True, metavar="FILE", help="A picture; repeat.")
@timeout_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
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
    arguments: dict[str, object] = {
        "summary": read_words(summary),
        "timeout": timeout,
        "project_directory": str(Path.cwd()),
    }
    if images:
        arguments["images"] = list(images)
    put(context, lambda asking, call: asking.report(arguments, call), as_json=as_json)

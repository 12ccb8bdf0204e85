"""`lineup-mcp ask`: a question from the shell, answered on any device."""

from __future__ import annotations

import click

from lineup_mcp.commands.asking import card_arguments, card_options, put, read_words

__all__ = ["ask"]


@click.command()
@click.argument("question")
@click.option("--option", "-o", "options", multiple=True, metavar="LABEL", help="A choice; repeat.")
@click.option("--multiple", is_flag=True, help="More than one may be chosen.")
@card_options
@click.pass_context
def ask(
    context: click.Context,
    /,
    *,
    question: str,
    options: tuple[str, ...],
    multiple: bool,
    images: tuple[str, ...],
    timeout: int,
    as_json: bool,
) -> None:
    """Ask the human and print the answer.

    QUESTION is markdown; - reads it from stdin. The exit status tells: 0 answered, 1 no relay or
    refused, 2 a wrong argument, 3 dismissed, 4 no answer in time. Interrupted, it withdraws the
    card.
    """
    arguments = {
        "question": read_words(question),
        "options": [{"label": label} for label in options],
        "multi_select": multiple,
        **card_arguments(images, timeout),
    }
    put(context, lambda asking, call: asking.ask(arguments, call), as_json=as_json)

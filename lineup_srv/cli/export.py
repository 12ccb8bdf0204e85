"""`lineup-srv export`: what was asked, answered, reported and written, for people or programs."""

from __future__ import annotations

from pathlib import Path

import click

from lineup_srv.cli.places import new_file, on_data

__all__ = ["export"]


@click.command()
@click.option("--room", metavar="NAME|ID", help="Only this room. Default: all that have content.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "json"]),
    default="md",
    show_default=True,
    help="Markdown for people or JSON for programs.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write instead of stdout; only its owner can read it.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@on_data
def export(
    data_dir: Path, *, room: str | None, form: str, output: Path | None, force: bool
) -> None:
    """Write conversations: questions, reports, answers and texts, never a token.

    The relay may run meanwhile. A room is named by a token's name, by its id, or by the id's
    beginning; `lineup-srv token list` shows both.
    """
    from lineup_srv.cli.conversation import as_json, as_markdown
    from lineup_srv.logs.sqlite.offline import conversations

    rooms = conversations(data_dir, room)
    text = as_json(rooms) if form == "json" else as_markdown(rooms)
    if output is None:
        click.echo(text, nl=False)
        return
    with new_file(output.absolute(), force=force) as draft:
        draft.write_text(text, encoding="utf-8")

"""What `ask` and `report` print: the answer alone on standard output, everything else beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click

from lineup_mcp.answers import render
from lineup_mcp.endings import has_answer
from lineup_mcp.handover import HEADING
from lineup_srv.wire._gen.lineup.v1 import request_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_mcp.tools.call import Reply
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["DECLINED", "FAILED", "NO_ANSWER", "print_reply"]

FAILED: Final = 1
DECLINED: Final = 3
NO_ANSWER: Final = 4


def print_reply(reply: Reply, mail: Sequence[str], *, as_json: bool) -> int:
    """Print what came of a question or report, and what waited besides.

    Args:
        reply: its result.
        mail: late answers to earlier calls, and messages; in words.
        as_json: print one JSON object instead of words.

    Returns:
        the exit status.
    """
    status = _status(reply.outcome)
    if as_json:
        click.echo(json.dumps({**_as_object(reply, status), "also": mail}, ensure_ascii=False))
        return status
    if status == 0 and reply.outcome is not None:
        # The words alone on stdout, for $(lineup-mcp ask …); the rest for the person at the shell.
        click.echo(reply.result.text.partition("\n")[0], err=True)
        click.echo(_words(reply.outcome))
    else:
        click.echo(reply.result.text, err=True)
    if mail:
        click.echo(f"\n{HEADING}", err=True)
        click.echo("\n\n".join(mail), err=True)
    return status


def _status(outcome: relay_pb2.Outcome | None) -> int:
    if outcome is None:
        return FAILED
    if outcome.action == "decline" or outcome.state == request_pb2.REQUEST_STATE_DECLINED:
        return DECLINED
    return 0 if has_answer(outcome) else NO_ANSWER


def _as_object(reply: Reply, status: int) -> dict[str, object]:
    outcome = reply.outcome
    if outcome is None:
        return {"state": "failed", "message": reply.result.text}
    name = request_pb2.RequestState.Name(outcome.state)
    return {
        "state": name.removeprefix("REQUEST_STATE_").lower(),
        "request_id": outcome.request_id,
        "answer": _words(outcome) if status == 0 else None,
        "answers": [
            {"index": one.index, "labels": list(one.labels), "text": one.text}
            for one in outcome.answers
        ],
        "action": outcome.action,
        "by": outcome.nickname,
        "platform": outcome.platform,
        "replied_unix_ms": outcome.replied_unix_ms,
        "message": reply.result.text,
    }


def _words(outcome: relay_pb2.Outcome) -> str:
    return render(outcome.contents, outcome.answers).text

"""The words when no call gets through: what is where the relay should be, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_mcp.phrases import NO_CONSENT, quoted
from lineup_mcp.results import Result
from lineup_mcp.whereabouts import Who, address

if TYPE_CHECKING:
    from lineup_mcp.whereabouts import Sight

__all__ = ["found", "unreachable"]


def unreachable(sight: Sight, *, question: str | None, report: bool, was_shown: bool) -> Result:
    """No call gets through.

    Args:
        sight: what was found instead of a relay.
        question: or report; empty if it is not known, None if there is none.
        report: it is one.
        was_shown: the human may have seen it.
    """
    shown = "it was shown before" if was_shown else "nothing was shown to the human"
    what, step = found(sight)
    quote = f"{quoted(question, report=report)}\n{NO_CONSENT}\n" if question is not None else ""
    return Result(
        f"relay_unreachable: {what}; {shown}.\n{quote}"
        f"Next step: {step} Go on with what needs no answer; call again when it runs."
    )


def found(sight: Sight) -> tuple[str, str]:
    """What is where the relay should be, and what is to be done about it."""
    what = f"no LineUp relay answers at {sight.target}"
    holder = sight.holder
    if sight.who is Who.RELAY:
        return (
            f"the LineUp relay at {sight.target} does not answer on its gRPC port, "
            f"{sight.grpc_port}",
            "the user has to look whether that is its gRPC port, and set lineup_server_grpc_port.",
        )
    if sight.who is Who.OTHER:
        what += ": another program answers there"
    elif sight.who is Who.SILENT:
        what += ": a program has that port and says nothing"
    if holder is not None:
        where = address(holder.host, holder.http_port)
        return (
            f"{what}; a relay of the user's runs on {where} (process {holder.pid})",
            f"the user has to set the port {holder.http_port} for this agent program's bridge "
            "(LINEUP_PORT or lineup_server_port), or to end that relay.",
        )
    if sight.who in (Who.OTHER, Who.SILENT):
        return (
            what,
            "the user has to free that port, or to set another one for relay and bridge "
            "(LINEUP_PORT or lineup_server_port).",
        )
    return (
        what,
        "the relay has to be started with the command `lineup-srv` on that machine "
        "(or `lineup-mcp --web`, which opens its page too).",
    )

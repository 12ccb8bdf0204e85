"""The flags of the server, in one table: for the command line, and for a start without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FLAGS", "Flag", "plain_flags"]


class Flag(NamedTuple):
    """One flag.

    Args:
        name: with its dashes.
        key: of the configuration.
        metavar: what its value is; empty for a switch.
        help: for people.
        given: what the configuration is told when a switch is given.
    """

    name: str
    key: str
    metavar: str
    help: str
    given: bool = True


FLAGS: Final = (
    Flag("--config", "config", "FILE", "Read this configuration file and no other."),
    Flag("--host", "host", "HOST", "The relay's host.  [default: 127.0.0.1]"),
    Flag("--port", "port", "PORT", "The relay's HTTP port.  [default: 22080]"),
    Flag("--grpc-port", "grpc_port", "PORT", "Its gRPC port.  [default: HTTP port + 1]"),
    Flag("--token", "token", "TOKEN", "The room's token; visible in the process list."),
    Flag("--agent", "agent", "NAME", "A name for an agent program that gives none."),
    Flag("--tools", "tools", "NAMES", "Offer only these tools, with commas between."),
    Flag("--wait-slice", "wait_slice", "SECONDS", "How long one call waits at most."),
    Flag("--channels", "channels", "", "Offer Claude Code channels."),
    Flag("--no-autostart", "autostart", "", "Never start a relay.", given=False),
)


def plain_flags(arguments: Sequence[str]) -> dict[str, object] | None:
    """The values of flags by key, or None if there is anything else: a command, `--help`, a typo.

    An agent program starts the server with these flags and waits for it; reading them needs no
    library.
    """
    by_name = {flag.name: flag for flag in FLAGS}
    values: dict[str, object] = {}
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        flag = by_name.get(name)
        if flag is None or (equals and not flag.metavar):
            return None
        if not flag.metavar:
            values[flag.key] = flag.given
            continue
        if not equals:
            if not rest or rest[0].startswith("-"):
                return None
            value = rest.pop(0)
        values[flag.key] = value
    return values

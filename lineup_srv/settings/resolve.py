"""Decides each value and remembers its source: flags > environment > file > default. Pure.

A file from the working directory is untrusted, because agent programs start the bridge inside
cloned repositories: paths in it, and keys that open this machine, are ignored, and as soon as it
names a host or port, a token of the user's own file is withheld, so that a repository cannot have
it sent elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lineup_srv.settings.keys import CLOSED_LEVELS, HIGHEST_PORT, Key, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Setting", "Settings", "SettingsError", "SettingsFile", "resolve"]

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_HIGHEST: Final = {Kind.PORT: HIGHEST_PORT, Kind.COUNT: 1_000_000, Kind.BYTES: 2**50}


class SettingsError(Exception):
    """A value cannot be used. The text names the key and the source, never the value of a token."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that was read.

    Args:
        path: its absolute path, for messages.
        table: its contents as TOML gives them; no `repr` shows them, a token may be among them.
        trusted: the user named it or owns it; False for the working directory's.
    """

    path: str
    table: Mapping[str, object] = field(repr=False)
    trusted: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One value and where it comes from, e.g. "--port", "LINEUP_PORT", a path, or "default".

    The value may be a token, so no `repr` shows it.
    """

    value: object = field(repr=False)
    source: str


@dataclass(frozen=True, slots=True)
class Settings:
    """All values of one program.

    Args:
        values: by the key's name.
        notes: what was ignored and why, for people.
        token_withheld: the user's own token was not used because of an untrusted file.
    """

    values: Mapping[str, Setting]
    notes: tuple[str, ...] = ()
    token_withheld: bool = False
    files: tuple[str, ...] = field(default=())

    def source(self, name: str) -> str:
        """Where the value of `name` comes from."""
        return self.values[name].source

    def text(self, name: str) -> str:
        """A text; empty when it is not set."""
        value = self.values[name].value
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self.values[name].value
        return tuple(str(item) for item in value) if isinstance(value, tuple) else ()

    def number(self, name: str) -> int | None:
        """A port or count; None when it is not set."""
        value = self.values[name].value
        return value if isinstance(value, int) else None

    def seconds(self, name: str) -> float | None:
        """A span in seconds; None when it is not set."""
        value = self.values[name].value
        return float(value) if isinstance(value, int | float) else None

    def switch(self, name: str) -> bool:
        """On or off."""
        return self.values[name].value is True


def resolve(
    keys: Sequence[Key],
    *,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    files: Sequence[SettingsFile],
) -> Settings:
    """Decide every key of one program.

    Args:
        keys: the program's keys.
        flags: values given on the command line, by key name; None means not given.
        environ: the environment.
        files: the files that were found, the winner first.

    Returns:
        the values with their sources, and notes on what was ignored.

    Raises:
        SettingsError: a value has the wrong type or breaks a rule.
    """
    notes = [note for file in files for note in _file_notes(keys, file)]
    tainted = next((file for file in files if not file.trusted and _names_target(keys, file)), None)
    values: dict[str, Setting] = {}
    withheld = False
    for key in keys:
        candidates = files
        if tainted is not None and key.is_secret:
            candidates = [file for file in files if not file.trusted]
            withheld = withheld or any(_lookup(key, file) for file in files if file.trusted)
        values[key.name] = _decide(key, flags, environ, candidates)
    if tainted is not None and withheld:
        notes.append(f"{tainted.path} names a host or port: the token of your own file is not used")
    return Settings(
        values=values,
        notes=tuple(notes),
        token_withheld=tainted is not None,
        files=tuple(file.path for file in files),
    )


def _decide(
    key: Key,
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    files: Iterable[SettingsFile],
) -> Setting:
    """The first source that names the key wins."""
    given = flags.get(key.name)
    if given is not None and given != ():
        source = "--" + key.name.replace("_", "-")
        return Setting(_parse(key, given, source), source)
    if key.env and environ.get(key.env, "") != "":
        return Setting(_parse(key, environ[key.env], key.env), key.env)
    for file in files:
        if (found := _lookup(key, file)) is not None:
            name, value = found
            return Setting(_parse(key, value, f"{name} in {file.path}"), file.path)
    return Setting(key.default, "default")


def _lookup(key: Key, file: SettingsFile) -> tuple[str, object] | None:
    """The key's spelling and raw value in a file; None if it is absent or must not count."""
    if not file.trusted and _needs_trust(key):
        return None
    return _find(key, file.table)


def _find(key: Key, table: Mapping[str, object]) -> tuple[str, object] | None:
    if len(key.path) == 1:
        for name in (*key.path, *key.aliases):
            if name in table:
                return name, table[name]
        return None
    section = table.get(key.path[0])
    if isinstance(section, dict) and key.path[1] in section:
        return ".".join(key.path), section[key.path[1]]
    return None


def _names_target(keys: Sequence[Key], file: SettingsFile) -> bool:
    return any(key.names_target and _find(key, file.table) is not None for key in keys)


def _needs_trust(key: Key) -> bool:
    return key.kind is Kind.PATH or key.trusted_only


def _file_notes(keys: Sequence[Key], file: SettingsFile) -> list[str]:
    """What a file from the working directory says in vain."""
    if file.trusted:
        return []
    return [
        f"{found[0]} in {file.path} is ignored: it is not trusted from a working directory"
        for key in keys
        if _needs_trust(key) and (found := _find(key, file.table)) is not None
    ]


def _parse(key: Key, raw: object, source: str) -> object:
    """Turn a raw value into the key's type.

    Raises:
        SettingsError: it does not fit.
    """
    match key.kind:
        case Kind.PORT | Kind.COUNT | Kind.BYTES:
            return _whole(key, raw, source, _HIGHEST[key.kind])
        case Kind.SECONDS:
            return _seconds(key, raw, source)
        case Kind.SWITCH:
            return _switch(key, raw, source)
        case Kind.TEXTS | Kind.SECRETS:
            items = raw.split(",") if isinstance(raw, str) else raw
            if not isinstance(items, list | tuple):
                raise _wrong(key, source, "a list of texts")
            return tuple(_text(key, item, source) for item in items if item != "")
        case Kind.LEVEL:
            level = _text(key, raw, source).lower()
            if level not in CLOSED_LEVELS:
                raise _wrong(key, source, "one of " + ", ".join(CLOSED_LEVELS))
            return level
        case Kind.TEXT | Kind.PATH | Kind.SECRET:
            return _text(key, raw, source)


def _text(key: Key, raw: object, source: str) -> str:
    if not isinstance(raw, str):
        raise _wrong(key, source, "a text")
    text = raw.strip()
    if key.is_secret and text.startswith("${"):
        msg = (
            f"the token from {source} is still a placeholder (it starts with ${{): the agent"
            " program did not replace the variable; set it in that program's environment"
        )
        raise SettingsError(msg)
    if key.is_secret and not (text.isascii() and text.isprintable() and " " not in text):
        raise _wrong(key, source, "printable ASCII without spaces")
    return text


def _whole(key: Key, raw: object, source: str, highest: int) -> int:
    if isinstance(raw, str) and raw.strip().isdecimal() and len(raw.strip()) < 17:
        raw = int(raw)
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 <= raw <= highest:
        raise _wrong(key, source, f"a whole number from 0 to {highest}")
    return raw


def _seconds(key: Key, raw: object, source: str) -> float:
    try:
        value = float(raw) if isinstance(raw, str | int | float) else math.nan
    except ValueError:
        value = math.nan
    if isinstance(raw, bool) or not math.isfinite(value) or value < 0:
        raise _wrong(key, source, "a number of seconds, 0 or more")
    return value


def _switch(key: Key, raw: object, source: str) -> bool:
    if isinstance(raw, bool):
        return raw
    word = raw.strip().lower() if isinstance(raw, str) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _wrong(key, source, "true or false")


def _wrong(key: Key, source: str, expected: str) -> SettingsError:
    return SettingsError(f"{key.name} ({source}) must be {expected}")

"""Finds, reads and creates the files of the configuration. The only part of it that does I/O.

Files that hold a token are created with O_EXCL and mode 0600; whoever loses that race reads what
the winner wrote.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

import platformdirs
import tomli

from lineup_srv.contract import limits
from lineup_srv.settings.resolve import SettingsError, SettingsFile

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FILE_NAME",
    "create_private",
    "data_directory",
    "find_files",
    "own_token",
    "replace_private",
    "state_directory",
    "user_config_directory",
]

FILE_NAME: Final = "lineup-mcp.toml"
_TOKEN_FILE: Final = "token"
_FIRST_CONTENT: Final = """\
# Written by LineUp at its first start. `lineup-mcp --print-config` shows every key.
# Whoever knows this token can read and answer what your agents ask.
lineup_server_token = "{token}"
"""


def user_config_directory() -> Path:
    """Where the user's own file lives, e.g. ~/.config/lineup."""
    return Path(platformdirs.user_config_dir("lineup", appauthor=False))


def data_directory() -> Path:
    """Where the relay's data lives unless it is told otherwise, e.g. ~/.local/share/lineup."""
    return Path(platformdirs.user_data_dir("lineup", appauthor=False))


def state_directory() -> Path:
    """Where logs and long answers go, e.g. ~/.local/state/lineup."""
    return Path(platformdirs.user_state_dir("lineup", appauthor=False))


def find_files(
    config: str | None, *, environ: Mapping[str, str], working_directory: Path
) -> list[SettingsFile]:
    """Read the files that count, the winner first.

    Args:
        config: a file named by a flag; it, or LINEUP_CONFIG, is then the only one.
        environ: the environment.
        working_directory: whose file is read, but not trusted.

    Raises:
        SettingsError: a named file is missing, or a file is unreadable or not TOML.
    """
    named = config or environ.get("LINEUP_CONFIG", "")
    if named:
        path = Path(named).expanduser().absolute()
        if (table := _read(path)) is None:
            msg = f"no configuration file at {path}"
            raise SettingsError(msg)
        return [SettingsFile(str(path), table, trusted=True)]
    own = user_config_directory() / FILE_NAME
    local = working_directory / FILE_NAME
    found: list[SettingsFile] = []
    if local.absolute() != own.absolute() and (table := _read(local)) is not None:
        found.append(SettingsFile(str(local), table, trusted=False))
    if (table := _read(own)) is not None:
        found.append(SettingsFile(str(own), table, trusted=True))
    return found


def own_token(*, create: bool) -> tuple[str, str] | None:
    """The token of this user that is in no configuration file, and the file it is in.

    The first start writes one into the user's configuration file; if the user has such a file
    without a token, into a file `token` beside it, so that nobody's file is rewritten.

    Args:
        create: make one (256 random bits) if there is none.

    Raises:
        SettingsError: the directory cannot be written.
    """
    directory = user_config_directory()
    beside = directory / _TOKEN_FILE
    if token := _read_token(beside):
        return token, str(beside)
    if not create:
        return None
    token = secrets.token_urlsafe(limits.TOKEN_BYTES)
    own = directory / FILE_NAME
    if create_private(own, _FIRST_CONTENT.format(token=token)):
        return token, str(own)
    table = _read(own) or {}
    written = table.get("lineup_server_token", table.get("agentassistant_server_token"))
    if isinstance(written, str) and written:
        return written, str(own)
    if create_private(beside, token + "\n"):
        return token, str(beside)
    return (_read_token(beside) or token), str(beside)


def create_private(path: Path, content: str) -> bool:
    """Create a file that only its owner can read, whole or not at all.

    Returns:
        False if it exists already; it is then left alone.

    Raises:
        SettingsError: the directory cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        return _publish(draft, path)
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror}"
        raise SettingsError(msg) from error
    finally:
        draft.unlink(missing_ok=True)


def replace_private(path: Path, content: str) -> None:
    """Write a file that only its owner can read, whole or not at all, over an earlier one.

    Raises:
        OSError: it cannot be written; an earlier one is as it was.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _publish(draft: Path, path: Path) -> bool:
    """Give a finished draft its name, unless the name is taken.

    A link is O_EXCL for contents too: a reader never sees a file that is there but still empty.
    """
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:
        # No hard links here (FAT, some network shares): create the name itself.
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return False
        with os.fdopen(handle, "wb") as file:
            file.write(draft.read_bytes())
    return True


def _read(path: Path) -> dict[str, object] | None:
    """A TOML file as a table; None if there is none.

    Raises:
        SettingsError: it is no ordinary file, too large, unreadable or not TOML.
    """
    try:
        status = path.stat()
        # A pipe or device of this name must not block the start.
        if not stat.S_ISREG(status.st_mode) or status.st_size > limits.CONFIG_FILE_BYTES:
            msg = f"{path} is not an ordinary file of at most {limits.CONFIG_FILE_BYTES} bytes"
            raise SettingsError(msg)
        return dict(tomli.loads(path.read_text(encoding="utf-8-sig")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise SettingsError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8"
        raise SettingsError(msg) from error
    except tomli.TOMLDecodeError as error:
        msg = f"{path} is not TOML: {error}"
        raise SettingsError(msg) from error


def _read_token(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read {path}"
        raise SettingsError(msg) from error

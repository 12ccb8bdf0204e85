"""One risky step that a human allows or denies: how it is shown, and what an answer to it means.

Only a clear "allow" is one; words, dismissals, edits that cannot be read and silence are not. Pure.
"""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from lineup_mcp.answers import render
from lineup_mcp.phrases import who
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import request_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Decision", "Step", "Verdict", "decision_of", "is_permission"]

_ALLOW_ONCE: Final = "allow_once"
_ALLOW_SESSION: Final = "allow_session"
_DENY: Final = "deny"
_LABELS: Final = (_ALLOW_ONCE, _ALLOW_SESSION, _DENY)
_PATHS: Final = ("file_path", "notebook_path", "path")
_CUT_CHARACTERS: Final = 20_000


class Verdict(enum.Enum):
    """What became of a question for permission."""

    ALLOW = "allow"
    DENY = "deny"
    OPEN = "open"
    """Nobody decided."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and what goes with it.

    Args:
        verdict: what was decided.
        message: for the agent: who decided, and the human's note; why nobody did.
        edited: the input as the human changed it; None = as asked.
        for_session: the same may be done again in this session.
        by: who decided, for people.
    """

    verdict: Verdict
    message: str
    edited: Mapping[str, object] | None = None
    for_session: bool = False
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What an agent program wants to run.

    Args:
        tool: the tool's name in the agent program.
        input: its arguments.
        directory: where it would run; may be empty.
        description: why, in the agent's words, or a preview; may be empty.
    """

    tool: str
    input: Mapping[str, object]
    directory: str
    description: str = ""

    @property
    def command(self) -> str:
        """The command, if the tool has one."""
        command = self.input.get("command")
        return command if isinstance(command, str) else ""

    @property
    def scope(self) -> str:
        """What "allow for the session" covers: this command here, this file, this host, or exactly
        these arguments.
        """
        if self.command:
            return f"{self.command}\n(in {self.directory})" if self.directory else self.command
        for name in _PATHS:
            path = self.input.get(name)
            if isinstance(path, str) and path:
                return path
        url = self.input.get("url")
        if isinstance(url, str) and (host := _host(url)):
            return host
        return json.dumps(self.input, ensure_ascii=False, sort_keys=True)

    def shown(self, *, only_once: bool) -> request_pb2.Approval:
        """The step as devices show it."""
        text = json.dumps(self.input, ensure_ascii=False) if self.input else ""
        why = [self.description] if self.description else []
        fits = len(text) <= limits.QUESTION_CHARACTERS
        if not fits:
            why.append(f"Its arguments ({len(text)} characters) begin:\n{text[:_CUT_CHARACTERS]}")
        if not only_once:
            why.append(f"“For the session” covers {self.tool}: {self.scope[:_CUT_CHARACTERS]}")
        has_command = len(self.command) <= limits.QUESTION_CHARACTERS
        return request_pb2.Approval(
            tool=self.tool[: limits.NAME_CHARACTERS],
            command=self.command if has_command else "",
            cwd=self.directory[: limits.PATH_CHARACTERS],
            description="\n\n".join(why)[: limits.QUESTION_CHARACTERS],
            input_json=text if fits else "",
            can_allow_session=not only_once,
            can_edit=fits and bool(text) and not only_once,
        )

    def question(self) -> str:
        """The same for programs that show one text only."""
        subject = self.command or self.scope
        fence = "`" * (max((len(run) for run in _backticks(subject)), default=2) + 1)
        text = (
            f"Allow {self.tool}?\n\n{fence}\n{subject}\n{fence}\n\nAnswer {' or '.join(_LABELS)}."
        )
        return text[: limits.QUESTION_CHARACTERS]


def is_permission(outcome: relay_pb2.Outcome) -> bool:
    """Whether a human chose what only a question for permission offers."""
    labels = [label for answer in outcome.answers for label in answer.labels]
    return len(labels) == 1 and labels[0] in _LABELS


def decision_of(outcome: relay_pb2.Outcome) -> Decision:
    """What the end of a question for permission means."""
    by = who(outcome)
    if outcome.state == request_pb2.REQUEST_STATE_DECLINED or outcome.action == "decline":
        return Decision(Verdict.DENY, f"Not allowed: dismissed by {by}.", by=by)
    if outcome.state != request_pb2.REQUEST_STATE_ANSWERED:
        return Decision(Verdict.OPEN, "Nobody answered in time.")
    label, note = _label_and_note(outcome)
    if label not in (_ALLOW_ONCE, _ALLOW_SESSION):
        words = f": {note}" if note else "."
        return Decision(Verdict.DENY, f"Not allowed by {by}{words}", by=by)
    edited = None
    if outcome.input_json:
        edited = _object(outcome.input_json)
        if edited is None:
            return Decision(Verdict.DENY, f"Not allowed: the edit by {by} cannot be read.", by=by)
    message = f"Allowed by {by}" + (f": {note}" if note else ".")
    # A changed command is not what the human would allow again unseen.
    for_session = label == _ALLOW_SESSION and edited is None
    return Decision(Verdict.ALLOW, message, edited, for_session=for_session, by=by)


def _label_and_note(outcome: relay_pb2.Outcome) -> tuple[str, str]:
    """The label chosen, and the words beside it. A first line that is a label counts as one."""
    labels = [label for answer in outcome.answers for label in answer.labels]
    if labels:
        notes = [answer.text for answer in outcome.answers if answer.text]
        return (labels[0] if len(labels) == 1 else "", "\n".join(notes))
    words = render(outcome.contents, outcome.answers).text.strip()
    first, _, rest = words.partition("\n")
    return (first.strip(), rest.strip()) if first.strip() in _LABELS else ("", words)


def _object(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _backticks(text: str) -> list[str]:
    return "".join(c if c == "`" else " " for c in text).split()

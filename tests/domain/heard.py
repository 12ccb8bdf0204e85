"""What a step led to, as tests about calls read it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import ClientId
from lineup_srv.domain.call_effects import (
    ShowCall,
    ShowCallUpdate,
)
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import Effect, Only, SendAck, Those
from tests.domain.playbook import (
    PHONE,
    Step,
)
from tests.domain.toolbook import (
    CANVAS,
    CHOICE,
    LIGHT,
    MAIL,
    ToolPlay,
    accepts,
    calls,
)

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.domain.call import CallPhase, CallWait, WaitKind

BACK = replace(PHONE, client_id=ClientId("phone-2"))
"""The phone's tab on another connection."""


def ready() -> ToolPlay:
    """The phone is here with mail, light, choice and canvas."""
    play = ToolPlay()
    play.here(PHONE, MAIL, LIGHT, CHOICE, CANVAS)
    return play


def refused(step: Step) -> ErrorCode:
    assert isinstance(step.result, Refused)
    return step.result.code


def kinds(step: Step) -> list[str]:
    return [type(fact).__name__ for fact in step.facts]


def told(step: Step, kind: type[Effect]) -> list[Effect]:
    return [effect for effect in (*step.told, *step.effects) if isinstance(effect, kind)]


def waits_for(wait: CallWait | None) -> WaitKind | None:
    return None if wait is None else wait.kind


def shown_to(step: Step) -> list[ClientId]:
    """Who got a call."""
    found: list[ClientId] = []
    for effect in (*step.told, *step.effects):
        if isinstance(effect, ShowCall):
            to = effect.to
            assert isinstance(to, Those | Only)
            found.extend(to.client_ids if isinstance(to, Those) else (to.client_id,))
    return found


def updates(step: Step) -> list[tuple[tuple[ClientId, ...], CallPhase, bool]]:
    """Who of those that had a call was told how it stands: to, phase, taken."""
    return [(ids, one.phase, one.taken) for ids, one in _updates(step) if not one.with_call]


def onlookers(step: Step) -> list[tuple[tuple[ClientId, ...], CallPhase]]:
    """Who was shown a call with its end that never had it: to, phase."""
    return [(ids, one.phase) for ids, one in _updates(step) if one.with_call]


def _updates(step: Step) -> list[tuple[tuple[ClientId, ...], ShowCallUpdate]]:
    found = []
    for effect in (*step.told, *step.effects):
        if isinstance(effect, ShowCallUpdate):
            to = effect.to
            assert isinstance(to, Those | Only)
            found.append((to.client_ids if isinstance(to, Those) else (to.client_id,), effect))
    return found


def acks(step: Step) -> list[tuple[bool, ErrorCode]]:
    return [(e.accepted, e.code) for e in step.effects if isinstance(e, SendAck)]


def running(name: str = "send", *, taken: bool = True) -> ToolPlay:
    """The phone runs a call, or was only given it."""
    play = ready()
    play.do(calls("call", MAIL, name))
    if taken:
        play.do(accepts("call"))
    return play

"""Who is the same agent, session or device."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lineup_srv.contract.ids import AgentId
from lineup_srv.domain.people import AgentIdentity, unknown_agent
from tests.domain.playbook import PHONE, agent, device

ONE = agent("one", session="s1")


@pytest.mark.parametrize(
    ("other", "same_agent", "same_session", "session_unknown"),
    [
        (agent("two", session="s1"), True, True, False),
        (agent("two", session="s1", directory="/else"), True, True, False),
        (agent("two", session="s2"), False, False, False),
        (agent("two"), False, False, True),
        (agent("two", session="s1", machine="m2"), False, False, False),
        (replace(agent("two", session="s1"), client="other"), False, False, False),
    ],
)
def test_agents_are_compared_by_machine_program_and_session(
    other: AgentIdentity,
    same_agent: bool,
    same_session: bool,
    session_unknown: bool,
) -> None:
    assert ONE.same_agent(other) is other.same_agent(ONE) is same_agent
    assert ONE.same_session(other) is other.same_session(ONE) is same_session
    assert ONE.session_unknown(other) is other.session_unknown(ONE) is session_unknown


def test_agents_without_a_session_are_the_same_agent_but_not_known_to_be_one_session() -> None:
    one, two = agent("one"), agent("two")

    assert one.same_agent(two)
    assert not one.same_session(two)
    assert one.session_unknown(two)


def test_agents_without_a_machine_are_never_the_same() -> None:
    one, two = agent("one", machine=""), agent("two", machine="")

    assert not one.same_agent(two)
    assert not one.session_unknown(two)


def test_an_agent_of_which_only_the_id_is_known_is_nobody_else() -> None:
    one, two = unknown_agent(AgentId("one")), unknown_agent(AgentId("two"))

    assert one == AgentIdentity(AgentId("one"), "", "", "", "", "")
    assert not one.same_agent(two)
    assert not one.session_unknown(two)


def test_a_device_is_the_same_over_connections() -> None:
    assert PHONE.same_device(replace(PHONE, client_id=device("other").client_id))
    assert not PHONE.same_device(device("laptop"))


def test_a_client_without_device_id_is_its_connection() -> None:
    old = device("old", device_id="")

    assert old.same_device(replace(old, nickname="New"))
    assert not old.same_device(device("old2", device_id=""))
    assert not old.same_device(replace(old, device_id=PHONE.device_id))

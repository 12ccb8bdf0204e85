"""Limits that have to fit each other."""

from __future__ import annotations

from lineup_srv.contract import limits


def values() -> dict[str, int]:
    return {name: value for name, value in vars(limits).items() if name.isupper()}


def test_every_limit_is_a_positive_whole_number() -> None:
    assert len(values()) > 40
    assert all(type(value) is int and value > 0 for value in values().values())


def test_lower_bounds_are_below_upper_bounds() -> None:
    assert limits.REF_MIN_CHARACTERS < limits.REF_MAX_CHARACTERS <= limits.ID_CHARACTERS
    assert limits.MIN_TIMEOUT_SECONDS < limits.DEFAULT_TIMEOUT_SECONDS
    assert limits.DEFAULT_TIMEOUT_SECONDS < limits.MAX_TIMEOUT_SECONDS
    assert limits.MIN_TIMEOUT_SECONDS <= limits.TOOL_MIN_TIMEOUT_SECONDS
    assert limits.TOOL_MIN_TIMEOUT_SECONDS < limits.TOOL_MAX_TIMEOUT_SECONDS
    assert limits.TOOL_MAX_TIMEOUT_SECONDS <= limits.MAX_TIMEOUT_SECONDS


def test_no_request_outlives_what_is_remembered_of_it() -> None:
    assert limits.MAX_TIMEOUT_SECONDS <= limits.DEADLINE_HORIZON_SECONDS
    assert limits.DEADLINE_HORIZON_SECONDS <= limits.REF_KEPT_SECONDS
    assert limits.DEADLINE_HORIZON_SECONDS <= limits.ENDED_KEPT_SECONDS


def test_an_agent_comes_back_before_a_deadline_that_the_relay_moved() -> None:
    assert limits.AGENT_LEASE_SECONDS < limits.RELAY_AWAY_GRACE_SECONDS


def test_one_agent_cannot_fill_its_room_and_can_wait_for_all_its_cards() -> None:
    assert limits.OPEN_REQUESTS_PER_AGENT < limits.OPEN_REQUESTS_PER_ROOM
    assert limits.OPEN_REQUESTS_PER_AGENT <= limits.WAITING_IDS_PER_AGENT
    assert limits.OPEN_REQUESTS_PER_ROOM < limits.ENDED_REQUESTS_PER_ROOM


def test_a_connections_queue_holds_the_largest_message_twice() -> None:
    assert limits.CONNECTION_QUEUE_BYTES >= 2 * limits.MESSAGE_BYTES
    assert limits.QUESTION_CHARACTERS * 4 < limits.MESSAGE_BYTES
    assert limits.INLINE_BYTES < limits.MESSAGE_BYTES


def test_a_dead_socket_is_noticed_before_its_agents_lease_is_over() -> None:
    assert limits.WEBSOCKET_PING_SECONDS < limits.WEBSOCKET_DEAD_SECONDS
    assert limits.WEBSOCKET_DEAD_SECONDS < limits.AGENT_LEASE_SECONDS
    assert limits.OPEN_WAIT_MS < limits.AWAIT_WAIT_MS


def test_a_trusted_address_may_have_more_logins_pending() -> None:
    assert limits.LOGINS_PENDING_PER_ADDRESS < limits.LOGINS_PENDING_PER_TRUSTED_ADDRESS

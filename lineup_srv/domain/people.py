"""Who takes part: agents on one side, devices on the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId, ClientId, DeviceId, TabId

__all__ = ["AgentIdentity", "Author", "Member", "unknown_agent"]


@dataclass(frozen=True, slots=True)
class AgentIdentity:
    """One bridge process (design §4.3). Empty strings mean that it does not say.

    Attributes:
        agent_id: random, new for each process.
        client: the agent program's name.
        machine: hashed machine id.
        session: the agent program's session id.
        directory: absolute path of its project.
        machine_name: the machine's name for people.
    """

    agent_id: AgentId
    client: str
    machine: str
    session: str
    directory: str
    machine_name: str

    def same_agent(self, other: AgentIdentity) -> bool:
        """Whether both are equal in machine, program and session (the rule for joining)."""
        return self._same_program(other) and self.session == other.session

    def same_session(self, other: AgentIdentity) -> bool:
        """Whether both are known to be one session of one program on one machine."""
        return bool(self.session) and self.same_agent(other)

    def session_unknown(self, other: AgentIdentity) -> bool:
        """Whether both are one program on one machine and at least one gives no session."""
        return self._same_program(other) and not (self.session and other.session)

    def _same_program(self, other: AgentIdentity) -> bool:
        return bool(self.machine) and (self.machine, self.client) == (other.machine, other.client)


def unknown_agent(agent_id: AgentId) -> AgentIdentity:
    """An agent of which only the id is known."""
    return AgentIdentity(
        agent_id=agent_id, client="", machine="", session="", directory="", machine_name=""
    )


@dataclass(frozen=True, slots=True)
class Author:
    """The device behind an answer, as it was when it answered."""

    client_id: ClientId
    device_id: DeviceId
    nickname: str
    platform: str

    def same_device(self, other: Author) -> bool:
        """Whether both are the same device; a client without device_id is its connection."""
        if self.device_id or other.device_id:
            return self.device_id == other.device_id
        return self.client_id == other.client_id


@dataclass(frozen=True, slots=True)
class Member:
    """A connected device.

    Attributes:
        author: who it is.
        extended: it sent client_info, so it gets LineUp's own messages (wire §1).
        visible: its page is in front.
        connected_unix_ms: since when.
        tab_id: which tab of the device; empty: it has none.
        shows_requests: questions and reports are shown there; a script that only offers tools
            shows none.
    """

    author: Author
    extended: bool
    visible: bool
    connected_unix_ms: int
    tab_id: TabId
    shows_requests: bool = True

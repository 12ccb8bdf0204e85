"""What the log says about calls, open apps and remembered tools; the third part of Logged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.domain.call import refs_of_result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineup_srv.contract.ids import CallId, InstanceId
    from lineup_srv.domain.call import Call, Instance, OfferedTool, ToolKey

__all__ = ["CallBook"]


@dataclass(slots=True)
class CallBook:
    """All calls that are kept in memory, and what outlives them. Only `fold` changes it.

    Attributes:
        by_id: calls by first id.
        aliases: ids of attached calls.
        instances: open apps, oldest first.
        remembered: tools that stay in the catalog while their devices sleep, oldest first.
        live_ids: calls that have not ended, oldest first (derived).
        ended_ids: ended calls, oldest end first.
        ended_bytes: what the ended calls' arguments and results weigh (derived).
    """

    by_id: dict[CallId, Call] = field(default_factory=dict)
    aliases: dict[CallId, CallId] = field(default_factory=dict)
    instances: dict[InstanceId, Instance] = field(default_factory=dict)
    remembered: dict[ToolKey, OfferedTool] = field(default_factory=dict)
    live_ids: dict[CallId, None] = field(default_factory=dict)
    ended_ids: dict[CallId, None] = field(default_factory=dict)
    ended_bytes: int = 0

    @classmethod
    def restored(
        cls,
        calls: Sequence[Call],
        *,
        ended_order: Sequence[CallId],
        instances: Sequence[Instance],
        remembered: Sequence[OfferedTool],
    ) -> CallBook:
        """The book with these contents: calls in order of their opening, the others as they age."""
        book = cls(
            by_id={call.call_id: call for call in calls},
            aliases={alias: call.call_id for call in calls for alias in call.aliases},
            instances={instance.instance_id: instance for instance in instances},
            remembered={tool.key: tool for tool in remembered},
            live_ids={call.call_id: None for call in calls if call.live},
            ended_ids=dict.fromkeys(ended_order),
        )
        book.ended_bytes = sum(_weight(book.by_id[call_id]) for call_id in ended_order)
        return book

    def find(self, call_id: CallId) -> Call | None:
        """The call with this id or alias."""
        return self.by_id.get(self.aliases.get(call_id, call_id))

    def live(self) -> Iterator[Call]:
        """Calls that have not ended, oldest first."""
        return (self.by_id[call_id] for call_id in self.live_ids)

    def ended(self) -> Iterator[Call]:
        """Calls that have ended and are still kept, newest end first."""
        return (self.by_id[call_id] for call_id in reversed(self.ended_ids))

    def put(self, call: Call) -> None:
        """Store a call and keep what is derived in step."""
        call_id = call.call_id
        if call_id in self.ended_ids:
            self.ended_bytes -= _weight(self.by_id[call_id])
        self.by_id[call_id] = call
        if call.live:
            self.live_ids.setdefault(call_id)
        else:
            self.live_ids.pop(call_id, None)
            self.ended_ids.setdefault(call_id)
            self.ended_bytes += _weight(call)

    def forget_old(self, now_unix_ms: int) -> None:
        """Drop ended calls that nobody can miss any more, the oldest first.

        An ended call stays for `limits.CALL_KEPT_SECONDS`, so that a replay gets its end; above
        the limits of number and bytes it goes earlier. The newest always stays.
        """
        horizon = now_unix_ms - limits.CALL_KEPT_SECONDS * 1000
        for call_id in list(self.ended_ids)[:-1]:
            crowded = (
                len(self.ended_ids) > limits.ENDED_CALLS_PER_ROOM
                or self.ended_bytes > limits.ENDED_CALLS_BYTES
            )
            if self.by_id[call_id].changed_unix_ms > horizon and not crowded:
                break
            self._drop(call_id)

    def open_instance(self, instance: Instance) -> None:
        """Note who runs an open app; above the limit the oldest is not known any more."""
        self.instances.pop(instance.instance_id, None)
        self.instances[instance.instance_id] = instance
        while len(self.instances) > limits.INSTANCES_PER_ROOM:
            del self.instances[next(iter(self.instances))]

    def remember(self, tool: OfferedTool) -> None:
        """Keep a tool in the catalog; above the limit the oldest leaves it."""
        self.remembered.pop(tool.key, None)
        self.remembered[tool.key] = tool
        while len(self.remembered) > limits.REMEMBERED_TOOLS_PER_ROOM:
            del self.remembered[next(iter(self.remembered))]

    def _drop(self, call_id: CallId) -> None:
        call = self.by_id.pop(call_id)
        for alias in call.aliases:
            self.aliases.pop(alias, None)
        del self.ended_ids[call_id]
        self.ended_bytes -= _weight(call)


def _weight(call: Call) -> int:
    weight = call.called.arguments.size
    for result in (call.result, call.kept):
        if result is not None:
            weight += sum(ref.size for ref in refs_of_result(result))
    return weight

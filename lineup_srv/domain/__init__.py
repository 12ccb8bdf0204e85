"""The core: rooms as a log of facts. Pure; time, ids and chance come in with the commands.

`room.handle` decides and returns facts, live changes and effects; `fold.fold` applies a fact and
never decides; `effects_of.effects_of` says whom a delivered fact concerns. No clock, socket, random
number, logger or protobuf is known here.
"""

from __future__ import annotations

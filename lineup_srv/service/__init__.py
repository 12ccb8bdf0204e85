"""The relay without sockets and without protobuf: rooms over a log, timers, waiting callers.

Everything it needs from outside is a port in `ports`.
"""

from __future__ import annotations

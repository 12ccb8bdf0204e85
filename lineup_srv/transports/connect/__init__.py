"""Connect on the HTTP port: one port for bridges that cannot reach the gRPC one (design §6).

https://connectrpc.com/docs/protocol, unary and server streaming, in binary and in JSON.
"""

from __future__ import annotations

from lineup_srv.transports.connect.endpoint import ConnectEndpoint

__all__ = ["ConnectEndpoint"]

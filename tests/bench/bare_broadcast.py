"""The floor of broadcasting: what comes from one socket goes to all by websockets' `broadcast`.

Run as a process; prints the same line as the relay when it listens.
"""

from __future__ import annotations

import json

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve


async def main() -> None:
    connections: set[ServerConnection] = set()

    async def handle(connection: ServerConnection) -> None:
        connections.add(connection)
        try:
            async for data in connection:
                broadcast(connections, data)
        finally:
            connections.discard(connection)

    async with serve(handle, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        line = {"event": "listening", "http": f"127.0.0.1:{port}", "grpc": ""}
        print(json.dumps(line), flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())

"""The other floor: one bare grpc.aio unary call, and one durable SQLite commit."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import sys
import time
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from pathlib import Path

_PAYLOAD = b"x" * 400


async def unary_calls(count: int) -> list[float]:
    """Seconds of `count` bare calls to a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.bare", stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(20):
            port = int(await process.stdout.readline())
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                "/bench.Bare/Echo"
            )
            times = []
            for _ in range(count):
                started = time.perf_counter()
                await call(_PAYLOAD)
                times.append(time.perf_counter() - started)
            return times
    finally:
        process.terminate()
        await process.wait()


def commits(folder: Path, count: int) -> list[float]:
    """Seconds of `count` commits with synchronous=FULL, as the log makes them."""
    with contextlib.closing(sqlite3.connect(folder / "bare.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE fact (seq INTEGER PRIMARY KEY, record BLOB)")
        times = []
        for _ in range(count):
            started = time.perf_counter()
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO fact (record) VALUES (?)", (_PAYLOAD,))
            db.execute("COMMIT")
            times.append(time.perf_counter() - started)
        return times


async def _echo(request: bytes, _context: object) -> bytes:
    return request


async def _serve() -> None:
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(_echo)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Bare", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    import uvloop

    with contextlib.suppress(KeyboardInterrupt):
        uvloop.run(_serve())

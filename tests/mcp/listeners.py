"""Programs that have a port: a relay as far as `/health` tells, or something else."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

RELAY = {"name": "LineUp", "version": "1", "protocol": 1}
"""What a relay says of itself."""


@contextmanager
def answering(told: object, *, status: int = 200) -> Iterator[int]:
    """Answer every GET with that as JSON; yields the port."""
    body = json.dumps(told).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def relay() -> Iterator[int]:
    """A relay in this process, as far as `/health` tells; yields its HTTP port."""
    with answering({**RELAY, "pid": os.getpid()}) as port:
        yield port

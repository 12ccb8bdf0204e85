"""Who has our port: asked over its own health page, so that the message can name it."""

from __future__ import annotations

import asyncio
import json

__all__ = ["describe_holder"]

_SECONDS = 1.0
_BYTES = 4_096


async def describe_holder(host: str, port: int) -> str:
    """A sentence about the holder of the port; empty if it does not say."""
    try:
        async with asyncio.timeout(_SECONDS):
            body = await _health(host, port)
        said = json.loads(body)
        if said.get("name") != "LineUp":
            return "Another program has it."
        return f"Relay {said.get('version')} has it, process {said.get('pid', 'unknown')}."
    except (OSError, TimeoutError, ValueError, AttributeError):
        return ""


async def _health(host: str, port: int) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        name = f"[{host}]" if ":" in host else host
        request = f"GET /health HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        answer = b""
        while len(answer) < _BYTES and (more := await reader.read(_BYTES)):
            answer += more
    finally:
        writer.close()
    return answer.partition(b"\r\n\r\n")[2]

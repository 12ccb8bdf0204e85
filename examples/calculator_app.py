"""An app: it offers a calculator to agents and answers their calls. Needs only `websockets`.

    python examples/calculator_app.py ws://127.0.0.1:22080/ws --token TOKEN

It speaks the JSON form of the protocol (docs/protocol.md): one envelope a frame.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import operator
import secrets
from decimal import Decimal, InvalidOperation
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

ACTIONS = {
    "add": ("Adds two numbers.", operator.add),
    "subtract": ("Subtracts b from a.", operator.sub),
    "multiply": ("Multiplies two numbers.", operator.mul),
    "divide": ("Divides a by b.", operator.truediv),
}
# Makes it the same device after a reconnect, so that it goes on with the calls it runs.
APP_ID = secrets.token_hex(16)
TWO_NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
TOOL = {
    "name": "example_calculator",
    "type": "toolset",
    "description": "Exact arithmetic with decimal numbers.",
    "actions": [
        {
            "name": name,
            "description": description,
            "inputSchema": TWO_NUMBERS,
            "hints": {"read_only": True, "idempotent": True},
        }
        for name, (description, _) in ACTIONS.items()
    ],
}


class App:
    """One connection. A call that comes again gets the result again and is not computed twice."""

    def __init__(self, socket: ClientConnection, results: dict[str, dict[str, Any]]) -> None:
        self.socket, self.results = socket, results
        self.ids = itertools.count(1)

    async def send(self, kind: str, payload: dict[str, Any]) -> str:
        envelope = {"v": 1, "id": f"app-{next(self.ids)}", "type": kind, "payload": payload}
        await self.socket.send(json.dumps(envelope))
        return str(envelope["id"])

    async def run(self, token: str) -> None:
        hello = {"name": "Calculator", "token": token, "platform": "cli", "client_id": APP_ID}
        await self.send("system.hello", hello)
        announced = ""
        async for frame in self.socket:
            message = json.loads(frame)
            kind, payload = message["type"], message["payload"]
            if kind == "tool.list":  # the relay asks what there is
                announced = await self.send("tool.list", {"tools": [TOOL]})
            elif kind == "tool.call":
                await self.answer(payload)
            elif kind == "error" and payload["code"] == "unauthenticated":
                print("The relay does not know this token.", flush=True)
                raise SystemExit(1)
            elif kind in ("tool.refused", "error") or payload.get("accepted") is False:
                print(f"refused: {payload}", flush=True)
            elif kind == "system.ack" and payload["ref"] == announced:
                print("the calculator is offered", flush=True)

    async def answer(self, call: dict[str, Any]) -> None:
        call_id = call["call_id"]
        await self.send("tool.receipt", {"call_id": call_id, "phase": "accepted"})
        if call_id not in self.results:
            self.results[call_id] = compute(call)
            print(f"{call['action']}: {self.results[call_id]['result']['message']}", flush=True)
        await self.send("tool.result", self.results[call_id])


def compute(call: dict[str, Any]) -> dict[str, Any]:
    """The result of a call; what goes wrong is a result too, in words."""
    result = {key: call[key] for key in ("name", "action", "call_id")}
    _, operation = ACTIONS[call["action"]]
    # As text, because 0.1 as a float is not 0.1.
    a, b = (Decimal(str(call["arguments"][name])) for name in ("a", "b"))
    try:
        return {**result, "result": {"message": str(operation(a, b))}}
    except (ZeroDivisionError, InvalidOperation):
        return {**result, "result": {"message": "Division by zero."}, "failed": True}


async def main() -> None:
    parser = argparse.ArgumentParser(description="Offer a calculator to agents.")
    parser.add_argument("url", help="the relay, ws://HOST:PORT/ws")
    parser.add_argument("--token", required=True)
    options = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    # Comes back by itself when the relay was away, and is asked anew what it offers.
    async for socket in connect(options.url):
        try:
            await App(socket, results).run(options.token)
        except ConnectionClosed:
            continue


if __name__ == "__main__":
    asyncio.run(main())

"""Writes the samples as files: `python -m tests.wire.write_golden`.

Each as the bytes on the wire and as JSON with the proto's field names, for people and clients.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from google.protobuf import json_format

from tests.wire.samples import from_app, from_relay

if TYPE_CHECKING:
    from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

FOLDER: Final = Path(__file__).parent.parent / "golden" / "wire"


def samples() -> dict[str, WebsocketMessage]:
    """All samples by file name, without its ending."""
    return {f"app_{name}": message for name, message in from_app().items()} | {
        f"relay_{name}": message for name, message in from_relay().items()
    }


def as_bytes(message: WebsocketMessage) -> bytes:
    """The bytes on the wire, maps in order."""
    return message.SerializeToString(deterministic=True)


def as_json(message: WebsocketMessage) -> str:
    """The same for people: proto names, integers of 64 bits as texts, bytes as base64."""
    said = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, message in samples().items():
        (FOLDER / f"{name}.bin").write_bytes(as_bytes(message))
        (FOLDER / f"{name}.json").write_text(as_json(message), encoding="utf-8")


if __name__ == "__main__":
    main()

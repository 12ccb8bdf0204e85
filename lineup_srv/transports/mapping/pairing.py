"""The joining of a device ↔ protobuf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.service.pairing import PairingState
from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from lineup_srv.service.pairing import PairingTold

__all__ = ["pairing_message", "wish_from_wire"]

_STATES: Final = {
    PairingState.OFFERED: client_pb2.PAIRING_STATE_OFFERED,
    PairingState.CLAIMED: client_pb2.PAIRING_STATE_CLAIMED,
    PairingState.JOINED: client_pb2.PAIRING_STATE_JOINED,
    PairingState.REFUSED: client_pb2.PAIRING_STATE_REFUSED,
    PairingState.EXPIRED: client_pb2.PAIRING_STATE_EXPIRED,
}


def pairing_message(told: PairingTold, base_url: str, ref: str) -> WebsocketMessage:
    """What a device that shows a code is told; `ref` of what it asked, if this answers that."""
    offered = told.state is PairingState.OFFERED
    pairing = client_pb2.Pairing(
        state=_STATES[told.state],
        code=told.code,
        expires_unix_ms=told.expires_unix_ms,
        base_url=base_url if offered else "",
    )
    if told.guest is not None:
        pairing.name, pairing.platform = told.guest.name, told.guest.platform
    return WebsocketMessage(Cmd=Cmd.PAIRING.value, pairing=pairing, ref=ref)


def wish_from_wire(pairing: client_pb2.Pairing) -> bool | None:
    """Whether the guest is to be let in; None: a code is wanted.

    Raises:
        LineUpError: INVALID_ARGUMENT: a state that only the relay tells.
    """
    match pairing.state:
        case client_pb2.PAIRING_STATE_UNSPECIFIED:
            return None
        case client_pb2.PAIRING_STATE_JOINED:
            return True
        case client_pb2.PAIRING_STATE_REFUSED:
            return False
        case _:
            message = "must be JOINED, REFUSED or not set"
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, message, field="pairing.state")

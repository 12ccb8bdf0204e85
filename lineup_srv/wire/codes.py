"""Our error codes ↔ `lineup.v1.ErrorCode`."""

from __future__ import annotations

from typing import cast

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2

__all__ = ["ERROR_METADATA_KEY", "code_from_wire", "code_to_wire", "error_detail", "status_name"]

ERROR_METADATA_KEY = "lineup-error-bin"
"""The trailing metadata of a failed gRPC call; holds an ErrorDetail."""

_PREFIX = "ERROR_CODE_"
_TO_WIRE: dict[ErrorCode, error_pb2.ErrorCode] = {
    code: cast("error_pb2.ErrorCode", error_pb2.ErrorCode.Value(_PREFIX + code.name))
    for code in ErrorCode
}
_FROM_WIRE: dict[int, ErrorCode] = {int(number): code for code, number in _TO_WIRE.items()}
_STATUS = {
    ErrorCode.INVALID_ARGUMENT: "invalid_argument",
    ErrorCode.TOO_LARGE: "invalid_argument",
    ErrorCode.UNAUTHENTICATED: "unauthenticated",
    ErrorCode.UNKNOWN_REQUEST: "not_found",
    ErrorCode.UNKNOWN_TOOL: "not_found",
    ErrorCode.ID_CONFLICT: "already_exists",
    ErrorCode.RATE_LIMITED: "resource_exhausted",
    ErrorCode.LOG_UNAVAILABLE: "unavailable",
    ErrorCode.NOT_SUPPORTED: "unimplemented",
}


def code_to_wire(code: ErrorCode) -> error_pb2.ErrorCode:
    """The protobuf value of a code."""
    return _TO_WIRE[code]


def code_from_wire(number: int) -> ErrorCode:
    """The code of a protobuf value; UNSPECIFIED for one that a newer peer knows."""
    return _FROM_WIRE.get(number, ErrorCode.UNSPECIFIED)


def status_name(code: ErrorCode) -> str:
    """The status of a call that ends with this code; gRPC and Connect have the same ones."""
    return _STATUS.get(code, "failed_precondition")


def error_detail(error: LineUpError) -> bytes:
    """The serialized ErrorDetail of an error."""
    return error_pb2.ErrorDetail(
        code=code_to_wire(error.code),
        message=error.message,
        next_step=error.next_step,
        field=error.field,
    ).SerializeToString()

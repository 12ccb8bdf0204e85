"""Our error codes as gRPC failures: a status and an ErrorDetail in the trailing metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

import grpc

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire.codes import ERROR_METADATA_KEY, error_detail

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from lineup_srv.contract.errors import LineUpError

__all__ = ["abort"]

_STATUS: Final = {
    ErrorCode.INVALID_ARGUMENT: grpc.StatusCode.INVALID_ARGUMENT,
    ErrorCode.TOO_LARGE: grpc.StatusCode.INVALID_ARGUMENT,
    ErrorCode.UNAUTHENTICATED: grpc.StatusCode.UNAUTHENTICATED,
    ErrorCode.UNKNOWN_REQUEST: grpc.StatusCode.NOT_FOUND,
    ErrorCode.UNKNOWN_TOOL: grpc.StatusCode.NOT_FOUND,
    ErrorCode.ID_CONFLICT: grpc.StatusCode.ALREADY_EXISTS,
    ErrorCode.RATE_LIMITED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    ErrorCode.LOG_UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    ErrorCode.NOT_SUPPORTED: grpc.StatusCode.UNIMPLEMENTED,
}


async def abort(
    context: grpc.aio.ServicerContext[Message, Message], error: LineUpError
) -> NoReturn:
    """End the call with the error."""
    await context.abort(
        _STATUS.get(error.code, grpc.StatusCode.FAILED_PRECONDITION),
        str(error),
        ((ERROR_METADATA_KEY, error_detail(error)),),
    )
    raise AssertionError("abort always raises")

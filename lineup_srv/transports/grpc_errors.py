"""Our error codes as gRPC failures: a status and an ErrorDetail in the trailing metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

import grpc

from lineup_srv.contract.errors import LineUpError
from lineup_srv.transports.tokens import revocable
from lineup_srv.wire.codes import ERROR_METADATA_KEY, error_detail, status_name

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from google.protobuf.message import Message

__all__ = ["abort", "answered"]

A = TypeVar("A")


async def answered(call: Awaitable[A], context: grpc.aio.ServicerContext[Message, Message]) -> A:
    """The call's answer; a refusal ends the gRPC call with its status."""
    try:
        with revocable():
            return await call
    except LineUpError as error:
        await abort(context, error)


async def abort(
    context: grpc.aio.ServicerContext[Message, Message], error: LineUpError
) -> NoReturn:
    """End the call with the error."""
    await context.abort(
        grpc.StatusCode[status_name(error.code).upper()],
        error.in_full,
        ((ERROR_METADATA_KEY, error_detail(error)),),
    )
    raise AssertionError("abort always raises")

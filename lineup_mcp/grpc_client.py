"""RelayService by gRPC. The only module of the bridge that knows grpc."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, TypeVar

# Before grpc is imported: its C core must not install fork handlers (a relay may be started), and
# says nothing unless something is wrong.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio
from google.protobuf.message import DecodeError, Message

from lineup_mcp.transport import SERVICE, RelayUnreachable, failed
from lineup_mcp.whereabouts import address
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire.codes import ERROR_METADATA_KEY, code_from_wire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from lineup_mcp.config import BridgeConfig

__all__ = ["GrpcClient"]

A = TypeVar("A", bound=Message)


class GrpcClient:
    """A Transport.

    Args:
        config: where the relay is and the token.
        port: the port, if it was found to differ from the configured one; 0 = as configured.
    """

    def __init__(self, config: BridgeConfig, port: int) -> None:
        self.target = address(config.host, port or config.grpc_port)
        options = _channel_options(loopback=is_loopback(config.host))
        if config.tls:
            roots = config.ca.read_bytes() if config.ca else None
            credentials = grpc.ssl_channel_credentials(root_certificates=roots)
            self._channel = grpc.aio.secure_channel(self.target, credentials, options=options)
        else:
            self._channel = grpc.aio.insecure_channel(self.target, options=options)
        self._metadata = (("authorization", f"Bearer {config.token}"),)

    async def call(self, rpc: str, request: Message, answer: type[A], seconds: float) -> A:
        """Make a call that has one answer."""
        callable_ = self._channel.unary_unary(
            f"{SERVICE}/{rpc}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        try:
            return await callable_(request, timeout=seconds, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error
        except asyncio.CancelledError:
            raise _cancelled() from None

    async def stream(self, rpc: str, request: Message, answer: type[A]) -> AsyncGenerator[A]:
        """Make a call that has many answers."""
        callable_ = self._channel.unary_stream(
            f"{SERVICE}/{rpc}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=answer.FromString,
        )
        call = callable_(request, metadata=self._metadata)
        try:
            async for event in call:
                yield event
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error
        except asyncio.CancelledError:
            raise _cancelled() from None
        finally:
            call.cancel()

    async def connects(self, within_seconds: float) -> bool:
        """Whether the port takes a connection; false as soon as it was refused."""
        try:
            async with asyncio.timeout(within_seconds):
                while True:
                    state = self._channel.get_state(try_to_connect=True)
                    if state is grpc.ChannelConnectivity.READY:
                        return True
                    if state is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
                        return False
                    await self._channel.wait_for_state_change(state)
        except TimeoutError:
            return False

    async def close(self) -> None:
        """Drop the connection."""
        await self._channel.close()


def _cancelled() -> BaseException:
    """Whose cancel it was: of the task, or of a channel that was closed under its calls."""
    task = asyncio.current_task()
    if task is not None and not task.cancelling():
        return RelayUnreachable("the connection was closed")
    return asyncio.CancelledError()


def _translated(error: grpc.aio.AioRpcError) -> Exception:
    """Our own error for a failed call; the detail in the trailing metadata decides."""
    for key, value in error.trailing_metadata() or ():
        if key == ERROR_METADATA_KEY and isinstance(value, bytes):
            try:
                detail = error_pb2.ErrorDetail.FromString(value)
            except DecodeError:
                break
            code = code_from_wire(detail.code)
            if code is ErrorCode.UNSPECIFIED:  # of a newer relay
                break
            return LineUpError(code, detail.message, field=detail.field)
    status = error.code().name.lower()
    return failed(status, error.details() or status)


def _channel_options(*, loopback: bool) -> list[tuple[str, int]]:
    options = [
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        # Newer cores go by this one instead.
        ("grpc.http2.ping_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.max_send_message_length", limits.MESSAGE_BYTES),
        ("grpc.max_receive_message_length", limits.MESSAGE_BYTES),
        # A relay that was just started is to be found at once.
        ("grpc.initial_reconnect_backoff_ms", 50),
        ("grpc.min_reconnect_backoff_ms", 2_000),
        ("grpc.max_reconnect_backoff_ms", 500),
    ]
    if loopback:
        options.append(("grpc.enable_http_proxy", 0))
    return options

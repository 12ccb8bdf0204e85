"""The relay as the bridge calls it: gRPC in, our own errors out. The only module that knows grpc.

Every method takes and returns the messages of `lineup.v1`; the token travels in the metadata.
Importing this module costs a tenth of a second: import it when the first call is made.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeVar, cast

# Before grpc is imported: its C core must not install fork handlers (a relay may be started), and
# says nothing unless something is wrong.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2, relay_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Sequence

    from lineup_mcp.config import BridgeConfig

__all__ = ["RelayClient", "RelayUnreachable"]

_ERROR_KEY: Final = "lineup-error-bin"
_MILLISECONDS: Final = 1000
_CALL_SECONDS: Final = 10.0
_MARGIN_SECONDS: Final = 10.0
_UNREACHABLE: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.ABORTED,
    }
)
_BY_STATUS: Final = {
    grpc.StatusCode.UNAUTHENTICATED: ErrorCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED: ErrorCode.UNAUTHENTICATED,
    grpc.StatusCode.NOT_FOUND: ErrorCode.UNKNOWN_REQUEST,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ErrorCode.RATE_LIMITED,
    grpc.StatusCode.INVALID_ARGUMENT: ErrorCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED: ErrorCode.NOT_SUPPORTED,
}

_T = TypeVar("_T")


class RelayUnreachable(Exception):
    """No relay answers, or the connection to it broke. Trying again may help."""


class RelayClient:
    """A connection to one relay; it reconnects by itself.

    Args:
        config: where the relay is and the token.
        grpc_port: the port, if it was found to differ from the configured one; 0 = as configured.
    """

    def __init__(self, config: BridgeConfig, *, grpc_port: int = 0) -> None:
        host = f"[{config.host}]" if ":" in config.host else config.host
        self.target = f"{host}:{grpc_port or config.grpc_port}"
        options = _channel_options(loopback=is_loopback(config.host))
        if config.tls:
            roots = config.ca.read_bytes() if config.ca else None
            credentials = grpc.ssl_channel_credentials(root_certificates=roots)
            self._channel = grpc.aio.secure_channel(self.target, credentials, options=options)
        else:
            self._channel = grpc.aio.insecure_channel(self.target, options=options)
        # At run time there is one stub class; the async one exists for type checkers only.
        stub = relay_pb2_grpc.RelayServiceStub(self._channel)
        self._stub = cast("relay_pb2_grpc.RelayServiceAsyncStub", stub)
        self._metadata = (("authorization", f"Bearer {config.token}"),)

    async def attach(
        self, request: relay_pb2.AttachRequest
    ) -> AsyncGenerator[relay_pb2.AttachResponse]:
        """Hold the lease and yield what the agent is told, until the stream ends.

        Raises:
            RelayUnreachable: nothing answers, or the stream broke.
            LineUpError: the relay refuses.
        """
        call = self._stub.Attach(request, metadata=self._metadata)
        try:
            async for event in call:
                yield event
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error
        finally:
            call.cancel()

    async def open_request(
        self, request: relay_pb2.OpenRequestRequest
    ) -> relay_pb2.OpenRequestResponse:
        """Open a question or report and wait `wait_ms` for its outcome."""
        seconds = request.wait_ms / _MILLISECONDS + _MARGIN_SECONDS
        return await _call(self._stub.OpenRequest(request, **self._with(seconds)))

    async def await_request(
        self, request: relay_pb2.AwaitRequestRequest
    ) -> relay_pb2.AwaitRequestResponse:
        """Wait `wait_ms` for the outcome of a request that is open."""
        seconds = request.wait_ms / _MILLISECONDS + _MARGIN_SECONDS
        return await _call(self._stub.AwaitRequest(request, **self._with(seconds)))

    async def set_waiting(self, agent_id: str, waiting_ids: Sequence[str]) -> None:
        """Replace the list of requests the agent waits for."""
        request = relay_pb2.SetWaitingRequest(agent_id=agent_id, waiting_ids=waiting_ids)
        await _call(self._stub.SetWaiting(request, **self._with(_CALL_SECONDS)))

    async def cancel_request(self, agent_id: str, request_id: str) -> None:
        """Withdraw a request because the host cancelled the call."""
        request = relay_pb2.CancelRequestRequest(
            agent_id=agent_id, request_id=request_id, reason=error_pb2.ERROR_CODE_CANCELLED
        )
        await _call(self._stub.CancelRequest(request, **self._with(_CALL_SECONDS)))

    async def take_messages(
        self, agent_id: str, *, within_seconds: float
    ) -> relay_pb2.TakeMessagesResponse:
        """Take what waits in the agent's mailbox, without waiting."""
        request = relay_pb2.TakeMessagesRequest(agent_id=agent_id, wait_ms=0)
        return await _call(self._stub.TakeMessages(request, **self._with(within_seconds)))

    async def ack_messages(
        self, agent_id: str, request_ids: Sequence[str], text_ids: Sequence[str]
    ) -> None:
        """Confirm that outcomes and texts reached the agent program."""
        request = relay_pb2.AckMessagesRequest(
            agent_id=agent_id, request_ids=request_ids, text_ids=text_ids
        )
        await _call(self._stub.AckMessages(request, **self._with(_CALL_SECONDS)))

    async def goodbye(self, agent_id: str, *, within_seconds: float) -> None:
        """End the agent."""
        request = relay_pb2.GoodbyeRequest(agent_id=agent_id)
        await _call(self._stub.Goodbye(request, **self._with(within_seconds)))

    async def close(self) -> None:
        """Drop the connection."""
        await self._channel.close()

    def _with(self, seconds: float) -> _Options:
        return {"metadata": self._metadata, "timeout": seconds}


if TYPE_CHECKING:
    from typing import TypedDict

    class _Options(TypedDict):
        metadata: tuple[tuple[str, str], ...]
        timeout: float


async def _call(call: Awaitable[_T]) -> _T:
    """Await one rpc.

    Raises:
        RelayUnreachable: nothing answered.
        LineUpError: the relay refuses.
    """
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise _translated(error) from error


def _translated(error: grpc.aio.AioRpcError) -> Exception:
    """Our own error for a failed call; the detail in the trailing metadata decides."""
    for key, value in error.trailing_metadata() or ():
        if key == _ERROR_KEY and isinstance(value, bytes):
            try:
                detail = error_pb2.ErrorDetail.FromString(value)
                name = error_pb2.ErrorCode.Name(detail.code).removeprefix("ERROR_CODE_")
                return LineUpError(ErrorCode[name], detail.message, field=detail.field)
            except (DecodeError, ValueError, KeyError):
                break
    if error.code() in _UNREACHABLE:
        return RelayUnreachable(error.details() or error.code().name)
    code = _BY_STATUS.get(error.code(), ErrorCode.UNSPECIFIED)
    return LineUpError(code, error.details() or error.code().name)


def _channel_options(*, loopback: bool) -> list[tuple[str, int]]:
    options = [
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
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

"""Chat, typing and forwarding ↔ signals (wire §2, §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import ClientId, CommandId, Ref, RequestId
from lineup_srv.domain.commands import PassSignal
from lineup_srv.domain.signals import (
    Chat,
    ForwardFailed,
    ForwardMode,
    ForwardQuery,
    ForwardState,
    ForwardTarget,
    ForwardWindow,
    Typing,
)
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineup_srv.domain.effects import ShowSignal
    from lineup_srv.domain.signals import Signal

__all__ = ["SIGNAL_CMDS", "signal_from_wire", "signal_to_wire"]

_TO_WIRE = {
    ForwardMode.UNSPECIFIED: ws.FORWARD_TARGET_MODE_UNSPECIFIED,
    ForwardMode.FOCUSED_WINDOW: ws.FORWARD_TARGET_MODE_FOCUSED_WINDOW,
    ForwardMode.SPECIFIC_WINDOW: ws.FORWARD_TARGET_MODE_SPECIFIC_WINDOW,
}
_FROM_WIRE = {int(number): mode for mode, number in _TO_WIRE.items()}


def signal_from_wire(
    message: ws.WebsocketMessage, by: ClientId, command_id: CommandId
) -> PassSignal:
    """The command for one of `SIGNAL_CMDS`.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    receiver, signal = _READ[message.Cmd](message, command_id)
    return PassSignal(
        command_id=command_id, by=by, receiver=receiver, signal=signal, ref=Ref(message.ref)
    )


def _receiver(text: str, field: str) -> ClientId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no receiver", field=field)
    return ClientId(checked(text, field, limits.ID_CHARACTERS))


def _chat(message: ws.WebsocketMessage, command_id: CommandId) -> tuple[ClientId, Signal]:
    sent = message.SendChatMessageRequest
    field = "SendChatMessageRequest"
    if not sent.content:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is empty", field=f"{field}.content")
    target = None
    if sent.HasField("forward_target"):
        mode = _FROM_WIRE.get(sent.forward_target.mode, ForwardMode.UNSPECIFIED)
        target = ForwardTarget(mode, checked(sent.forward_target.window_id, f"{field}.window_id"))
    content = checked(sent.content, f"{field}.content", limits.QUESTION_CHARACTERS)
    receiver = _receiver(sent.receiver_client_id, f"{field}.receiver_client_id")
    return receiver, Chat(command_id, content, target)


def _typing(message: ws.WebsocketMessage, _: CommandId) -> tuple[None, Signal]:
    request_id = message.typing.request_id
    if not request_id:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no request", field="typing.request_id")
    return None, Typing(RequestId(checked(request_id, "typing.request_id", limits.ID_CHARACTERS)))


def _query(message: ws.WebsocketMessage, _: CommandId) -> tuple[ClientId, Signal]:
    query, field = message.ForwardStateQueryRequest, "ForwardStateQueryRequest"
    query_id = checked(query.request_id, f"{field}.request_id", limits.ID_CHARACTERS)
    receiver = _receiver(query.target_client_id, f"{field}.target_client_id")
    return receiver, ForwardQuery(query_id)


def _answer(message: ws.WebsocketMessage, _: CommandId) -> tuple[ClientId, Signal]:
    answer, field = message.ForwardStateQueryResponse, "ForwardStateQueryResponse"
    query_id = checked(answer.request_id, f"{field}.request_id", limits.ID_CHARACTERS)
    state = ForwardState(query_id, answer.forward_enabled, _windows(answer.windows, field))
    return _receiver(answer.target_client_id, f"{field}.target_client_id"), state


def _changed(message: ws.WebsocketMessage, _: CommandId) -> tuple[None, Signal]:
    changed, field = message.ForwardStateChangedNotification, "ForwardStateChangedNotification"
    return None, ForwardState("", changed.forward_enabled, _windows(changed.windows, field))


def _failed(message: ws.WebsocketMessage, _: CommandId) -> tuple[ClientId, Signal]:
    failed, field = message.ForwardDeliveryErrorNotification, "ForwardDeliveryErrorNotification"
    failure = ForwardFailed(
        checked(failed.invalid_window_id, f"{field}.invalid_window_id"),
        checked(failed.reason, f"{field}.reason", limits.REASON_CHARACTERS),
    )
    return _receiver(failed.target_client_id, f"{field}.target_client_id"), failure


def _windows(items: Iterable[ws.ForwardWindowItem], field: str) -> tuple[ForwardWindow, ...]:
    windows = tuple(
        ForwardWindow(
            checked(item.window_id, f"{field}.windows.window_id"),
            checked(item.title, f"{field}.windows.title", limits.REASON_CHARACTERS),
        )
        for item in items
    )
    if len(windows) > limits.FORWARD_WINDOWS:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.FORWARD_WINDOWS} windows",
            field=f"{field}.windows",
        )
    return windows


_READ: dict[str, Callable[[ws.WebsocketMessage, CommandId], tuple[ClientId | None, Signal]]] = {
    Cmd.SEND_CHAT_MESSAGE.value: _chat,
    Cmd.TYPING.value: _typing,
    Cmd.FORWARD_STATE_QUERY.value: _query,
    Cmd.FORWARD_STATE_QUERY_RESPONSE.value: _answer,
    Cmd.FORWARD_STATE_CHANGED.value: _changed,
    Cmd.FORWARD_DELIVERY_ERROR.value: _failed,
}
SIGNAL_CMDS = tuple(_READ)


def signal_to_wire(
    shown: ShowSignal, clock_unix_ms: int, *, extended: bool
) -> list[ws.WebsocketMessage]:
    """The frame of a signal; typing is LineUp's own and for clients with client_info only."""
    sender, signal = shown.sender.author, shown.signal
    match signal:
        case Chat():
            return [_chat_to_wire(shown, signal, clock_unix_ms)]
        case Typing():
            if not extended:
                return []
            typing = client_pb2.Typing(request_id=signal.request_id, nickname=sender.nickname)
            return [ws.WebsocketMessage(Cmd=Cmd.TYPING.value, typing=typing)]
        case ForwardQuery():
            query = ws.ForwardStateQueryRequest(
                request_id=signal.query_id,
                target_client_id=_client_id(shown),
                requester_client_id=sender.client_id,
            )
            return [
                ws.WebsocketMessage(
                    Cmd=Cmd.FORWARD_STATE_QUERY.value, ForwardStateQueryRequest=query
                )
            ]
        case ForwardState():
            return [_state_to_wire(shown, signal)]
        case ForwardFailed():
            failed = ws.ForwardDeliveryErrorNotification(
                target_client_id=_client_id(shown),
                peer_client_id=sender.client_id,
                invalid_window_id=signal.window_id,
                reason=signal.reason,
            )
            return [
                ws.WebsocketMessage(
                    Cmd=Cmd.FORWARD_DELIVERY_ERROR.value, ForwardDeliveryErrorNotification=failed
                )
            ]
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(signal)


def _client_id(shown: ShowSignal) -> str:
    return "" if shown.receiver is None else shown.receiver.author.client_id


def _chat_to_wire(shown: ShowSignal, chat: Chat, clock_unix_ms: int) -> ws.WebsocketMessage:
    sender = shown.sender.author
    message = ws.ChatMessage(
        message_id=chat.message_id,
        sender_client_id=sender.client_id,
        sender_nickname=sender.nickname,
        receiver_client_id=_client_id(shown),
        receiver_nickname="" if shown.receiver is None else shown.receiver.author.nickname,
        content=chat.content,
        sent_at=clock_unix_ms // 1000,
    )
    if chat.forward is not None:
        message.forward_target.mode = _TO_WIRE[chat.forward.mode]
        message.forward_target.window_id = chat.forward.window_id
    return ws.WebsocketMessage(
        Cmd=Cmd.CHAT_MESSAGE_NOTIFICATION.value,
        ChatMessageNotification=ws.ChatMessageNotification(chat_message=message),
    )


def _state_to_wire(shown: ShowSignal, state: ForwardState) -> ws.WebsocketMessage:
    sender = shown.sender.author
    windows = [
        ws.ForwardWindowItem(window_id=window.window_id, title=window.title)
        for window in state.windows
    ]
    if shown.receiver is None:
        changed = ws.ForwardStateChangedNotification(
            source_client_id=sender.client_id, forward_enabled=state.enabled, windows=windows
        )
        return ws.WebsocketMessage(
            Cmd=Cmd.FORWARD_STATE_CHANGED.value, ForwardStateChangedNotification=changed
        )
    answer = ws.ForwardStateQueryResponse(
        request_id=state.query_id,
        target_client_id=_client_id(shown),
        responder_client_id=sender.client_id,
        forward_enabled=state.enabled,
        windows=windows,
    )
    return ws.WebsocketMessage(
        Cmd=Cmd.FORWARD_STATE_QUERY_RESPONSE.value, ForwardStateQueryResponse=answer
    )

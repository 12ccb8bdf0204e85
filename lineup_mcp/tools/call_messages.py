"""Makes the message of a call from an action and its arguments. Pure, but for a random id."""

from __future__ import annotations

import json
import secrets
import uuid
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import tool_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.identity import Identity
    from lineup_mcp.tools.apps import AppAction

__all__ = ["call_message"]

_CALL_IDS: Final = uuid.UUID("5d3f4c1e-6f0c-5b5f-9f53-2a6f0f0e8a57")
"""The namespace of call ids."""


def call_message(
    action: AppAction,
    arguments: Mapping[str, object],
    *,
    identity: Identity,
    use_id: str,
    revision: int,
) -> tool_pb2.ToolCall:
    """The call, without its time.

    Args:
        action: what is called.
        arguments: of the action.
        identity: who calls.
        use_id: what the agent program calls this very call; may be empty.
        revision: of the catalog that the caller saw.

    Raises:
        LineUpError: TOO_LARGE: the arguments.
    """
    text = json.dumps(arguments, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if len(text.encode()) > limits.ARGUMENTS_BYTES:
        message = f"has more than {limits.ARGUMENTS_BYTES} bytes"
        raise LineUpError(ErrorCode.TOO_LARGE, message, field="arguments")
    instance = arguments.get("instance_id")
    return tool_pb2.ToolCall(
        call_id=_call_id(action, text, identity, use_id),
        name=action.key.tool,
        action=action.key.action,
        arguments_json=text,
        instance_id=instance if isinstance(instance, str) else "",
        application_id=action.key.application,
        agent_id=identity.agent_id,
        catalog_revision=revision,
    )


def _call_id(action: AppAction, arguments: str, identity: Identity, use_id: str) -> str:
    """The same for the same call, when the agent program says which one it is."""
    if not use_id:
        return secrets.token_urlsafe(18)
    key = action.key
    parts = (
        *(identity.machine, identity.client, identity.session, use_id),
        *(key.application, key.tool, key.action, arguments),
    )
    return str(uuid.uuid5(_CALL_IDS, "\0".join(parts)))

"""Every limit of the product, in one place. Names end in their unit."""

from __future__ import annotations

from typing import Final

# Messages. Both legs of an answer (WebSocket, gRPC) take the same size, or an answer could pass
# one and die on the other.
MESSAGE_BYTES: Final = 32 * 1024 * 1024
FRAME_BYTES: Final = MESSAGE_BYTES - 256 * 1024
"""What a device may send: with the relay's own words around it, it still fits the other leg."""
QUESTION_CHARACTERS: Final = 100_000
QUESTIONS_PER_REQUEST: Final = 50
OPTIONS_PER_QUESTION: Final = 200
OPTION_CHARACTERS: Final = 4_000
HEADER_CHARACTERS: Final = 30
CONTENTS_PER_MESSAGE: Final = 20
NAME_CHARACTERS: Final = 200
PATH_CHARACTERS: Final = 4_096
REASON_CHARACTERS: Final = 2_000
ID_CHARACTERS: Final = 128
REF_MIN_CHARACTERS: Final = 16
REF_MAX_CHARACTERS: Final = 64
LINKED_BYTES: Final = 64 * 1024
"""Contents over this size go to clients with client_info as links (wire §4)."""
INLINE_BYTES: Final = 4 * 1024
"""Text up to this size stands in its fact; everything else becomes a blob."""

# Time.
DEFAULT_TIMEOUT_SECONDS: Final = 600
MIN_TIMEOUT_SECONDS: Final = 1
MAX_TIMEOUT_SECONDS: Final = 604_800
TOOL_MIN_TIMEOUT_SECONDS: Final = 60
TOOL_MAX_TIMEOUT_SECONDS: Final = 86_400
DEADLINE_HORIZON_SECONDS: Final = 7 * 86_400
"""A human may move a deadline at most this long after the opening."""
RELAY_AWAY_GRACE_SECONDS: Final = 120
"""What an open request gets when its deadline fell into a time the relay was away."""
CLOCK_DRIFT_SECONDS: Final = 5
"""Wall clock and monotonic clock further apart than this: the clock jumped or the machine slept."""
AGENT_LEASE_SECONDS: Final = 30
OPEN_WAIT_MS: Final = 5_000
AWAIT_WAIT_MS: Final = 60_000
LOGIN_SECONDS: Final = 10
LOGIN_REFUSAL_DELAY_SECONDS: Final = 1
WEBSOCKET_PING_SECONDS: Final = 20
WEBSOCKET_DEAD_SECONDS: Final = 25
GRPC_PING_SECONDS: Final = 20
GRPC_DEAD_SECONDS: Final = 10
"""A bridge that answers no ping for so long is gone, though its connection never ended."""
CONNECT_BEAT_SECONDS: Final = 20
"""A Connect stream with nothing to tell says so this often, or a proxy would cut it."""
CONNECT_DEAD_SECONDS: Final = 45
"""A Connect stream that was silent for so long is broken, for the bridge."""
SHUTDOWN_SECONDS: Final = 2
REF_KEPT_SECONDS: Final = 7 * 86_400
ENDED_KEPT_SECONDS: Final = 7 * 86_400
KEEP_DAYS: Final = 90
"""Unless configured, facts that nobody needs leave the log after this long."""
KEEP_BYTES: Final = 2 * 1024 * 1024 * 1024
"""Unless configured, the oldest such facts leave earlier when the log is larger."""
FACT_SETTLED_SECONDS: Final = 3_600
"""No fact leaves the log earlier: its append may still be asked for again."""

# Counts.
OPEN_REQUESTS_PER_AGENT: Final = 256
OPEN_REQUESTS_PER_ROOM: Final = 4_096
ENDED_REQUESTS_PER_ROOM: Final = 20_000
UNDELIVERED_TEXTS_PER_ROOM: Final = 1_000
WAITING_IDS_PER_AGENT: Final = 512
AGENTS_PER_ROOM: Final = 256
AGENTS_GONE: Final = 50
DIRECTORIES_PER_AGENT: Final = 32
FORWARD_WINDOWS: Final = 200
IDS_PER_CHECK: Final = 1_000
MEMBERS_PER_ROOM: Final = 10_000
ROOMS: Final = 1_000
OPEN_MODE_TOKEN_CHARACTERS: Final = 16
OPEN_ROOM_IDLE_SECONDS: Final = 3_600
LOGINS_PENDING_PER_ADDRESS: Final = 32
LOGINS_PENDING_PER_TRUSTED_ADDRESS: Final = 1_024
MALFORMED_FRAMES_PER_MINUTE: Final = 20
PRESENCE_PER_SECOND: Final = 20
"""Notices of who comes and goes that a device gets in a second; beyond it only final states."""
MESSAGES_PER_SECOND: Final = 200
MESSAGES_AT_ONCE: Final = 1_000
"""A connection that sends more is read more slowly; nothing is dropped, nobody else waits."""
JSON_VALUES_PER_MESSAGE: Final = 200_000
"""Brackets and commas of a message in JSON; reading one value costs thousands of bytes' time."""
JSON_DEPTH: Final = 32
"""Objects and arrays of a message in JSON that stand in each other, itself included."""
ENVELOPE_IDS: Final = 1_024
"""Ids of JSON messages whose Acks a connection remembers."""
AGENT_ENVELOPE_IDS: Final = 256
"""Ids of what a room's JSON agents said, remembered over their connections."""
FEATURES_PER_CLIENT: Final = 32
TOOLS_PER_LIST: Final = 256
ACTIONS_PER_TOOL: Final = 100
APPLICATIONS_PER_LIST: Final = 64
CONNECTION_QUEUE_MESSAGES: Final = 1_024
CONNECTION_QUEUE_BYTES: Final = 2 * MESSAGE_BYTES
AGENT_STREAM_QUEUE_MESSAGES: Final = 2_048
HISTORY_PAGE_MESSAGES: Final = 200
SNAPSHOT_FACTS: Final = 1_000
"""A room writes a snapshot after this many facts."""
BLOB_CACHE_BYTES: Final = 64 * 1024 * 1024
PENDING_COMMANDS_PER_ROOM: Final = 10_000
"""Commands that wait for their commit; above it a room refuses with RATE_LIMITED."""
SETTINGS_PER_ROOM: Final = 100
SETTING_KEY_CHARACTERS: Final = 64
SETTING_BYTES: Final = 64 * 1024
KNOWN_DEVICES_PER_ROOM: Final = 200
ROOMS_IN_MEMORY: Final = 256
"""Rooms without members, agents and pending commands beyond this number are dropped from memory."""

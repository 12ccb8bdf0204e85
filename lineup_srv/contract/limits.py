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
PICTURES_PER_CALL: Final = 10
PICTURE_BYTES: Final = 8 * 1024 * 1024
PICTURES_BYTES: Final = 20 * 1024 * 1024
"""All pictures of one question or report; as base64 they still fit a message."""
MAIL_BYTES: Final = 20 * 1024 * 1024
"""What a mailbox hands over at once; as base64 it still fits a message. One item always goes."""
NAME_CHARACTERS: Final = 200
PATH_CHARACTERS: Final = 4_096
REASON_CHARACTERS: Final = 2_000
ID_CHARACTERS: Final = 128
REF_MIN_CHARACTERS: Final = 16
REF_MAX_CHARACTERS: Final = 64
QUOTED_CHARACTERS: Final = 2_000
"""What an outcome repeats of its question."""
SHORT_QUOTE_CHARACTERS: Final = 500
"""What a result for an agent program repeats of its question or call."""
LINKED_BYTES: Final = 64 * 1024
"""Contents over this size go to clients with client_info as links (wire §4)."""
INLINE_BYTES: Final = 4 * 1024
"""Text up to this size stands in its fact; everything else becomes a blob."""
RESULT_PICTURE_SIDE_PIXELS: Final = 1_568
"""Models scale larger pictures down; larger ones only cost tokens and time."""
RESULT_PICTURE_BYTES: Final = 360 * 1024
"""Of one picture in a result for an agent program; in base64 less than 500 kB."""
PICTURE_PIXELS: Final = 100_000_000
"""A bridge decodes no larger picture."""
RESUMABLE_PICTURES_BYTES: Final = 4 * PICTURES_BYTES
"""Pictures of the questions that a bridge can open again."""
KEPT_FILES: Final = 200
KEPT_FILES_BYTES: Final = 512 * 1024 * 1024
KEPT_FILE_DAYS: Final = 7
"""Files that the bridge writes for its agent program: long answers, sounds, attachments."""
OPEN_PERMISSIONS: Final = 32
"""Questions for permission of one session that are shown at a time."""
STANDING_PERMISSIONS: Final = 500
"""What humans allowed for sessions, on one machine."""

# Time.
PERMISSION_SECONDS: Final = 3_600
"""How long a human has to allow or deny a step; then it is left to the program, or denied."""
STANDING_PERMISSION_SECONDS: Final = 7 * 86_400
"""A session that is older asks again."""
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
HEARTBEAT_SECONDS: Final = 15
"""Unless configured, a call that waits gives its agent program a sign of life this often."""
UNREACHABLE_SECONDS: Final = 10
"""How long a call of an agent that nobody has seen yet looks for a relay."""
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
CALL_ACCEPT_SECONDS: Final = 5
"""A device takes a call in this time, or the next one is asked (design §4.2)."""
CALL_APP_SECONDS: Final = 10
"""A call of a tool that nobody offers now waits so long for a device."""
CALL_OWNER_SECONDS: Final = 30
"""A call waits so long for a device that was lost while it ran."""
APP_HOME_SECONDS: Final = 3_600
"""A MiniApp's calls go to the tab that ran its last one, for this long."""
CALL_ATTACH_SECONDS: Final = 60
"""An equal call attaches to one whose bridge vanished, for this long."""
CALL_KEPT_SECONDS: Final = 86_400
SECRET_KEPT_SECONDS: Final = 86_400
CALL_PROGRESS_MS: Final = 500
"""A call's progress is logged and told at most this often."""
CATALOG_TOLD_MS: Final = 250
"""Changes of the catalog reach agents merged, this long after the first."""
FETCH_CONNECT_SECONDS: Final = 5
FETCH_SECONDS: Final = 30
"""A picture from the web: to reach its server, and in all."""
SHUTDOWN_SECONDS: Final = 2
REF_KEPT_SECONDS: Final = 7 * 86_400
ENDED_KEPT_SECONDS: Final = 7 * 86_400
KEEP_DAYS: Final = 90
"""Unless configured, facts that nobody needs leave the log after this long."""
KEEP_BYTES: Final = 2 * 1024 * 1024 * 1024
"""Unless configured, the oldest such facts leave earlier when the log is larger."""
FACT_SETTLED_SECONDS: Final = 3_600
"""No fact leaves the log earlier: its append may still be asked for again."""

PAIRING_CODE_SECONDS: Final = 300
"""How long a code by which a device joins is good."""
PAIRING_DECISION_SECONDS: Final = 60
"""How long a device that presented one waits to be let in."""

# Counts.
PAIRING_BODY_BYTES: Final = 4 * 1024
WRONG_CODES_PER_MINUTE: Final = 10
"""Wrong codes from one address; a code has 128 random bits, so this only spares work."""
ADDRESSES_REMEMBERED: Final = 1_024
TOKENS_PER_ROOM: Final = 1_000
"""Tokens that are issued for a room and not revoked."""
OPEN_REQUESTS_PER_AGENT: Final = 256
OPEN_REQUESTS_PER_ROOM: Final = 4_096
ENDED_REQUESTS_PER_ROOM: Final = 20_000
UNDELIVERED_TEXTS_PER_ROOM: Final = 1_000
WAITING_IDS_PER_AGENT: Final = 512
AGENTS_PER_ROOM: Final = 256
AGENTS_GONE: Final = 50
DIRECTORIES_PER_AGENT: Final = 32
FETCH_REDIRECTS: Final = 5
UNREAD_MESSAGES: Final = 256
"""Messages of an agent program that wait in its bridge; beyond them it is not read."""
DELIVERED_REMEMBERED: Final = 4_096
"""Answers and texts that a bridge knows to have handed over."""
UNCONFIRMED_CALLS: Final = 256
"""Ends of calls that a bridge has yet to confirm; the relay keeps an older one for its time."""
RELAY_LOG_BYTES: Final = 5 * 1024 * 1024
"""A relay that a bridge starts begins its log file anew when it is larger."""
FORWARD_WINDOWS: Final = 200
IDS_PER_CHECK: Final = 1_000
MEMBERS_PER_ROOM: Final = 10_000
ROOMS: Final = 1_000
OPEN_MODE_TOKEN_CHARACTERS: Final = 16
TOKEN_BYTES: Final = 32
"""Random bytes of a token that LineUp makes."""
SHORT_ID_CHARACTERS: Final = 8
"""How much of the id of a token or room names it on the command line."""
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
REFUSALS_PER_LIST: Final = 256
OFFER_CHARACTERS: Final = 1024 * 1024
"""All definitions of one list, as compact JSON."""
TOOL_DESCRIPTION_CHARACTERS: Final = 2_000
"""What agent programs take of a description."""
TOOL_VERSION_CHARACTERS: Final = 64
"""A longer version is none: it cannot be compared."""
SCHEMA_CHARACTERS: Final = 64 * 1024
SCHEMA_DEPTH: Final = 20
"""Objects and arrays of a schema that stand in each other, itself included."""
SCHEMA_CHECK_MS: Final = 250
"""Processor time that one check of a value may take; the usual one takes less than 1 ms."""
PATTERN_CHARACTERS: Final = 1_000
PATTERN_BYTES: Final = 64 * 1024
"""Memory that one compiled pattern may take."""
SCHEMAS_READY: Final = 256
PATTERNS_READY: Final = 512
"""Schemas and patterns that stay compiled, the ones that were used last."""
PATTERNS_PER_LIST: Final = 256
"""Patterns in all definitions of one list: compiling one takes up to some milliseconds."""
HOST_SCHEMA_CHARACTERS: Final = 16 * 1024
"""A schema as agent programs are shown it, references inlined."""
MCP_NAME_CHARACTERS: Final = 40
"""With the prefixes that agent programs add, a tool's name stays below 60."""
CATALOG_KEPT_DAYS: Final = 14
"""A bridge remembers so long what devices offered."""
CATALOG_FILE_BYTES: Final = 1024 * 1024
"""What it remembers, on disk."""
REMEMBERED_ACTIONS: Final = 2_048
"""Actions of which a bridge keeps the name after no device offers them any more."""
MANIFEST_BYTES: Final = 1024 * 1024
"""A MiniApp's manifest.json."""
ARGUMENTS_BYTES: Final = 1024 * 1024
"""The arguments of a call, as JSON."""
TOOLS_PER_ROOM: Final = 1_024
TOOLS_LOST: Final = 256
"""Tools whose devices are gone that a room knows: a call of one is told so, and not unknown."""
REMEMBERED_TOOLS_PER_ROOM: Final = 64
"""Interactive tools that stay in the catalog while their devices sleep."""
INSTANCES_PER_ROOM: Final = 256
OPEN_CALLS_PER_AGENT: Final = 64
OPEN_CALLS_PER_ROOM: Final = 1_024
ENDED_CALLS_PER_ROOM: Final = 2_000
ENDED_CALLS_BYTES: Final = 256 * 1024 * 1024
RESULT_BYTES: Final = 1024 * 1024
"""The result of a call, as JSON; pictures and files stand beside it."""
CONNECTION_QUEUE_MESSAGES: Final = 1_024
CONNECTION_QUEUE_BYTES: Final = 2 * MESSAGE_BYTES
AGENT_STREAM_QUEUE_MESSAGES: Final = 2_048
HISTORY_PAGE_MESSAGES: Final = 200
SNAPSHOT_FACTS: Final = 1_000
"""A room writes a snapshot after this many facts."""
LOG_QUEUE_JOBS: Final = 16_384
LOG_QUEUE_BYTES: Final = 256 * 1024 * 1024
"""What waits for the log's writer; above it the log refuses."""
EXPORTED_TEXT_BYTES: Final = 1024 * 1024
"""An export names a longer text and its size, and does not hold it."""
BLOB_CACHE_BYTES: Final = 64 * 1024 * 1024
PENDING_COMMANDS_PER_ROOM: Final = 10_000
"""Commands that wait for their commit; above it a room refuses with RATE_LIMITED."""
SETTINGS_PER_ROOM: Final = 100
SETTING_KEY_CHARACTERS: Final = 64
SETTING_BYTES: Final = 64 * 1024
KNOWN_DEVICES_PER_ROOM: Final = 200
CONFIG_FILE_BYTES: Final = 1024 * 1024
ROOMS_IN_MEMORY: Final = 256
"""Rooms without members, agents and pending commands beyond this number are dropped from memory."""

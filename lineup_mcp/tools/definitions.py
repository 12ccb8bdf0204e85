"""The bridge's own tools as `tools/list` shows them, and the server's instructions. Plain data.

No root oneOf and no `$ref`, a type on every property, all four hints: several agent programs and
model providers refuse anything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ASK_QUESTION",
    "CHECK_MESSAGES",
    "INSTRUCTIONS",
    "META",
    "PERMISSION_PROMPT",
    "SEND_MESSAGE",
    "SHOW_IMAGE",
    "TIMEOUT",
    "TOOLS",
    "UNLISTED",
    "WORK_REPORT",
    "Definition",
    "argument_names",
    "is_closed",
    "own_tool",
]

Definition = dict[str, object]
"""One tool as MCP spells it in JSON."""

ASK_QUESTION: Final = "ask_question"
WORK_REPORT: Final = "work_report"
SEND_MESSAGE: Final = "send_message"
SHOW_IMAGE: Final = "show_image"
CHECK_MESSAGES: Final = "check_messages"
PERMISSION_PROMPT: Final = "permission_prompt"

INSTRUCTIONS: Final = """\
LineUp connects you with the human you work for, who is away from this terminal and answers on a \
phone or another computer.

Use ask_question whenever you need a decision, a fact or a permission from the human: instead of \
ending your turn with a question, and before anything risky. Give options where you can; ask \
several things in one call with `questions`. Use work_report when a task is finished or you are \
about to end your turn: the human confirms it or replies with the next task, which you then do.

Both wait for the human, for minutes or hours; that is normal. If a result says "Not answered \
yet", call ask_question again with the question_id it names. No answer is never consent. Any \
result may end with messages the human wrote meanwhile: read and follow them. check_messages asks \
for them in a long task.

send_message and show_image tell and show something without waiting.

Where a tool takes them, always pass project_directory (absolute path), and agent_name and \
reasoning_model_name if you know them.

The human's devices may also offer tools that you can operate (a canvas, a calculator, small \
apps). They stand among your tools as they come and go; lineup_list_tools lists all of them, and \
lineup_call_tool calls any of them by name."""

_OPTION: Final[Definition] = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "description": "What is chosen, a few words."},
        "description": {"type": "string", "description": "What choosing it means."},
    },
    "required": ["label"],
    "additionalProperties": False,
}

_OPTIONS: Final[Definition] = {
    "type": "array",
    "items": _OPTION,
    "description": "Choices. The human can always answer in own words as well.",
}

TIMEOUT: Final[Definition] = {
    "type": "integer",
    # In words only: by minimum and maximum, programs would refuse what is understood.
    "description": (
        f"Seconds to wait, {limits.TOOL_MIN_TIMEOUT_SECONDS} to {limits.TOOL_MAX_TIMEOUT_SECONDS}; "
        f"less or more is taken as the nearest. Default {limits.DEFAULT_TIMEOUT_SECONDS}."
    ),
}
"""How long a call waits for a human or a device."""

_COMMON: Final[Definition] = {
    "project_directory": {
        "type": "string",
        "description": "Absolute path of the project you work in.",
    },
    "timeout": TIMEOUT,
    "agent_name": {"type": "string", "description": "Your name, e.g. Claude Code."},
    "reasoning_model_name": {"type": "string", "description": "The model you are."},
}

_IMAGES: Final[Definition] = {
    "type": "array",
    "items": {"type": "string"},
    "description": (
        f"Paths of pictures to show with it (PNG, JPEG, GIF, WebP; at most "
        f"{limits.PICTURES_PER_CALL}), inside the project or the temporary directory."
    ),
}

# It asks and changes nothing; some programs ask for approval of every tool without hints, and some
# run only read-only tools in parallel.
_HINTS: Final[Definition] = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": False,
    "openWorldHint": False,
}

# Claude Code hides tools behind a search unless told otherwise, and cuts long results.
META: Final[Definition] = {
    "anthropic/alwaysLoad": True,
    "anthropic/maxResultSizeChars": 200_000,
}


UNLISTED: Final = frozenset({"project_directory", "agent_name", "reasoning_model_name", "multiple"})
"""What models give to tools of ours whose schemas do not name it: who they are, and what is called
`multi_select` outside a list."""


def own_tool(
    name: str,
    title: str,
    description: str,
    properties: Definition,
    *,
    required: Sequence[str] = (),
    hints: Definition = _HINTS,
    closed: bool = True,
) -> Definition:
    """A tool of the bridge itself, as MCP spells it.

    Args:
        name: unique.
        title: for people.
        description: for the agent.
        properties: the schema of each argument, by name.
        required: those that every call needs.
        hints: about what it does; those of a question unless given.
        closed: other arguments are refused.
    """
    schema: Definition = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    schema["additionalProperties"] = not closed
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": schema,
        "annotations": {"title": title, **hints},
        "_meta": META,
    }


def argument_names(schema: object) -> tuple[str, ...]:
    """The arguments that an input schema names, in order."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return tuple(properties) if isinstance(properties, dict) else ()


def is_closed(tool: Definition) -> bool:
    """Whether a tool takes no arguments but those that its schema names."""
    schema = tool["inputSchema"]
    return isinstance(schema, dict) and schema.get("additionalProperties") is False


TOOLS: Final[tuple[Definition, ...]] = (
    own_tool(
        ASK_QUESTION,
        "Ask the human",
        "Asks the human, who may be away from this computer, and waits for the answer (text, "
        "choices, pictures). Use it for every decision, missing fact or permission instead of "
        "ending your turn with a question. Give `question` with optional `options`, or several "
        "`questions` in one call. If the result says it is not answered yet, call again with its "
        "`question_id` only. A result without an answer is never consent.",
        {
            "question": {"type": "string", "description": "The question, markdown."},
            "options": _OPTIONS,
            "multi_select": {
                "type": "boolean",
                "description": "More than one option may be chosen.",
            },
            "questions": {
                "type": "array",
                "description": "Several questions on one card, instead of `question`.",
                "items": {
                    "type": "object",
                    "properties": {
                        "question": {"type": "string", "description": "The question, markdown."},
                        "header": {
                            "type": "string",
                            "description": f"Short title, ≤ {limits.HEADER_CHARACTERS} characters.",
                        },
                        "options": _OPTIONS,
                        "multiple": {
                            "type": "boolean",
                            "description": "More than one option may be chosen.",
                        },
                        "custom": {
                            "type": "boolean",
                            "description": 'Offer an "Other" line; default true.',
                        },
                    },
                    "required": ["question"],
                    "additionalProperties": False,
                },
            },
            "on_timeout": {
                "type": "string",
                "enum": ["continue", "abort"],
                "description": (
                    "What you do without an answer in time. abort: the result is an error and you "
                    "must not take the step. Default continue."
                ),
            },
            "question_id": {
                "type": "string",
                "description": (
                    "Go on waiting for an earlier question or report; from its result. Leave "
                    "everything else out then."
                ),
            },
            "images": _IMAGES,
            **_COMMON,
        },
    ),
    own_tool(
        WORK_REPORT,
        "Report finished work",
        "Shows the human a report of finished work and waits until it is confirmed or answered. "
        "Call it when a task is done, before you end your turn. If the human replies with more "
        "work, do it. With wait=false it returns at once and the reply comes with a later call.",
        {
            "summary": {
                "type": "string",
                "description": "What was done, what was not, what is next; markdown.",
            },
            "wait": {
                "type": "boolean",
                "description": "Wait for the confirmation or reply; default true.",
            },
            "images": _IMAGES,
            **_COMMON,
        },
        required=["summary"],
    ),
    own_tool(
        SEND_MESSAGE,
        "Tell the human",
        "Shows the human a text and returns at once; nobody waits for an answer. For progress in "
        "a long task and for what is good to know. To ask something, call ask_question.",
        {"message": {"type": "string", "description": "The text, markdown."}},
        required=["message"],
    ),
    own_tool(
        SHOW_IMAGE,
        "Show a picture",
        "Shows the human a picture (PNG, JPEG, GIF, WebP) and returns at once. Give one of path, "
        "url and base64.",
        {
            "path": {
                "type": "string",
                "description": "A file inside the project or the temporary directory.",
            },
            "url": {"type": "string", "description": "An http or https address; public ones."},
            "base64": {"type": "string", "description": "The picture itself."},
            "alt": {"type": "string", "description": "What it shows, for who cannot see it."},
            "caption": {"type": "string", "description": "The line below it."},
            "project_directory": _COMMON["project_directory"],
        },
    ),
    own_tool(
        CHECK_MESSAGES,
        "Messages of the human",
        "Gives what the human wrote since your last call, and answers to questions you stopped "
        "waiting for. Every other LineUp call gives the same; use this one now and then in a long "
        "task, or with `wait` to wait for the next message.",
        {
            "wait": {
                "type": "integer",
                "description": "Seconds to wait for a message if there is none; default 0.",
            },
        },
    ),
    {
        **own_tool(
            PERMISSION_PROMPT,
            "Permission for an agent program",
            "Not for models: the agent program itself calls it (Claude Code's "
            "--permission-prompt-tool) to have a human allow or deny a tool call.",
            {
                "tool_name": {"type": "string", "description": "The tool to be allowed."},
                "input": {"type": "object", "description": "The arguments it would run with."},
                "tool_use_id": {"type": "string", "description": "The program's id of the call."},
            },
            required=["tool_name"],
            # A later version of the program may say more, and a refusal denies every step.
            closed=False,
        ),
        # Behind the program's search for tools: no model has to know of it.
        "_meta": {},
    },
)

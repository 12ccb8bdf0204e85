"""Tools, and the commands about them, for conversations of the core; see `playbook`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import ApplicationId, CallId, CommandId, InstanceId, Ref
from lineup_srv.contract.tools import ActionDefinition, Hints, ToolDefinition, ToolType
from lineup_srv.domain.call import (
    Called,
    CallPhase,
    CallResult,
    OfferedTool,
    Progress,
    Provider,
    ToolKey,
)
from lineup_srv.domain.call_commands import (
    AckCalls,
    Announce,
    AwaitCall,
    CallChecked,
    CallDeadlineReached,
    CallTool,
    CallWaitOver,
    CancelCall,
    HangUpCall,
    MatchCalls,
    UpdateCall,
)
from lineup_srv.domain.call_flow import provider_of
from lineup_srv.domain.commands import Logout
from tests.domain.playbook import ADA, PHONE, Play, Step, logs_in, member, text_ref

if TYPE_CHECKING:
    from lineup_srv.contract.offers import Refusal
    from lineup_srv.domain.call import Call, CallWait
    from lineup_srv.domain.people import AgentIdentity, Author

NONE: Final = CommandId("")
CALL_MS: Final = 60_000
OBJECT: Final = '{"type":"object"}'
OTHER_SCHEMA: Final = '{"type":"object","required":["x"]}'
WRITES: Final = Hints()
READS: Final = Hints(read_only=True)
REPEATS: Final = Hints(idempotent=True)


def action(
    name: str,
    *,
    schema: str = OBJECT,
    hints: Hints = WRITES,
    interactive: bool = False,
    description: str = "",
) -> ActionDefinition:
    return ActionDefinition(
        name=name,
        description=description,
        input_schema_json=schema,
        hints=hints,
        interactive=interactive,
    )


def toolset(
    name: str, *actions: ActionDefinition, version: str = "", description: str = ""
) -> OfferedTool:
    definition = ToolDefinition(
        name=name,
        type=ToolType.TOOLSET,
        description=description,
        actions=actions or (action("do"),),
        version=version,
    )
    return OfferedTool(ApplicationId(""), "", "", definition)


def of_type_action(
    name: str, *, schema: str = OBJECT, interactive: bool = True, version: str = ""
) -> OfferedTool:
    definition = ToolDefinition(
        name=name,
        type=ToolType.ACTION,
        description="",
        input_schema_json=schema,
        interactive=interactive,
        version=version,
    )
    return OfferedTool(ApplicationId(""), "", "", definition)


def app(name: str, *actions: ActionDefinition) -> OfferedTool:
    definition = ToolDefinition(
        name=name,
        type=ToolType.APP,
        description="",
        actions=actions or (action("open"), action("draw"), action("close")),
    )
    return OfferedTool(ApplicationId(""), "", "", definition)


MAIL: Final = toolset("mail", action("send"), action("list", hints=READS))
LIGHT: Final = toolset("light", action("on", hints=REPEATS))
CHOICE: Final = of_type_action("choice")
CANVAS: Final = app("canvas")
POMODORO: Final = OfferedTool(
    ApplicationId("pomodoro"), "Pomodoro", "1.0.0", toolset("timer", action("start")).definition
)


def announces(
    who: Author, *tools: OfferedTool, ref: str = "", refused: tuple[Refusal, ...] = ()
) -> Announce:
    return Announce(NONE, who.client_id, tools, refused, Ref(ref))


def matches(who: Author) -> MatchCalls:
    return MatchCalls(NONE, who.client_id)


def called(
    tool: OfferedTool,
    action_name: str = "",
    *,
    arguments: str = "{}",
    instance_id: str = "",
    secret: bool = False,
) -> Called:
    return Called(
        tool=tool.key,
        action=action_name or tool.definition.operations()[0].name,
        arguments=text_ref(arguments),
        instance_id=InstanceId(instance_id),
        secret=secret,
    )


def calls(
    call_id: str,
    tool: OfferedTool,
    action_name: str = "",
    *,
    by: AgentIdentity = ADA,
    arguments: str = "{}",
    instance_id: str = "",
    schema: str | None = None,
    misfit: str = "",
    timeout_ms: int = CALL_MS,
    secret: bool = False,
) -> CallTool:
    wanted = called(tool, action_name, arguments=arguments, instance_id=instance_id, secret=secret)
    found = tool.definition.operation(wanted.action)
    return CallTool(
        command_id=NONE,
        call_id=CallId(call_id),
        called=wanted,
        agent=by,
        agent_name="Ada",
        schema_json=schema or (OBJECT if found is None else found.input_schema_json),
        misfit=misfit,
        timeout_ms=timeout_ms,
    )


def awaits_call(call_id: str, *, by: AgentIdentity = ADA) -> AwaitCall:
    return AwaitCall(NONE, CallId(call_id), by)


def hangs_up_call(call_id: str, holder: str) -> HangUpCall:
    return HangUpCall(NONE, CallId(call_id), CommandId(holder))


def cancels_call(
    call_id: str, *, by: AgentIdentity = ADA, reason: ErrorCode = ErrorCode.CANCELLED
) -> CancelCall:
    return CancelCall(NONE, by.agent_id, CallId(call_id), reason)


def acknowledges_calls(*call_ids: str, by: AgentIdentity = ADA) -> AckCalls:
    return AckCalls(NONE, by.agent_id, tuple(CallId(i) for i in call_ids))


def call_deadline_reached(call_id: str, deadline_unix_ms: int) -> CallDeadlineReached:
    return CallDeadlineReached(NONE, CallId(call_id), deadline_unix_ms)


def wait_over(call_id: str, wait: CallWait) -> CallWaitOver:
    return CallWaitOver(NONE, CallId(call_id), wait)


def checked(call_id: str, who: Author, schema: str, misfit: str = "") -> CallChecked:
    return CallChecked(NONE, CallId(call_id), who.client_id, schema, misfit)


def receipt(
    call_id: str, phase: CallPhase, *, by: Author = PHONE, ref: str = "", message: str = ""
) -> UpdateCall:
    return UpdateCall(
        command_id=NONE,
        call_id=CallId(call_id),
        by=by,
        ref=Ref(ref),
        phase=phase,
        progress=None,
        result=None,
        code=ErrorCode.UNSPECIFIED,
        message=message,
        misfit="",
    )


def accepts(call_id: str, *, by: Author = PHONE, ref: str = "") -> UpdateCall:
    return receipt(call_id, CallPhase.ACCEPTED, by=by, ref=ref)


def progresses(call_id: str, progress: float, *, by: Author = PHONE, ref: str = "") -> UpdateCall:
    return UpdateCall(
        command_id=NONE,
        call_id=CallId(call_id),
        by=by,
        ref=Ref(ref),
        phase=None,
        progress=Progress(progress, 10, ""),
        result=None,
        code=ErrorCode.UNSPECIFIED,
        message="",
        misfit="",
    )


def result(text: str = '{"message":"done"}', *, instance_id: str = "") -> CallResult:
    return CallResult(text_ref(text), (), InstanceId(instance_id), "")


def secret_result(secret_id: str) -> CallResult:
    return CallResult(None, (), InstanceId(""), secret_id)


def succeeds(
    call_id: str,
    text: str = '{"message":"done"}',
    *,
    by: Author = PHONE,
    ref: str = "",
    instance_id: str = "",
    misfit: str = "",
    kept: CallResult | None = None,
) -> UpdateCall:
    return UpdateCall(
        command_id=NONE,
        call_id=CallId(call_id),
        by=by,
        ref=Ref(ref),
        phase=CallPhase.SUCCEEDED,
        progress=None,
        result=result(text, instance_id=instance_id) if kept is None else kept,
        code=ErrorCode.UNSPECIFIED,
        message="",
        misfit=misfit,
    )


def fails(
    call_id: str,
    code: ErrorCode = ErrorCode.UNSPECIFIED,
    *,
    by: Author = PHONE,
    ref: str = "",
    message: str = "no paper",
) -> UpdateCall:
    return UpdateCall(
        command_id=NONE,
        call_id=CallId(call_id),
        by=by,
        ref=Ref(ref),
        phase=CallPhase.FAILED,
        progress=None,
        result=None,
        code=code,
        message=message,
        misfit="",
    )


def tab_of(who: Author) -> Provider:
    """The tab that a device of the playbook has."""
    return provider_of(member(who))


def key(name: str, application_id: str = "") -> ToolKey:
    return ToolKey(ApplicationId(application_id), name)


class ToolPlay(Play):
    """A conversation about tools. A device is here, with its tools, after `here`."""

    __slots__ = ()

    def here(self, who: Author, *tools: OfferedTool) -> Step:
        """A device logs in and announces; the step is that of MatchCalls."""
        self.do(logs_in(who))
        return self.offers(who, *tools)

    def offers(self, who: Author, *tools: OfferedTool) -> Step:
        """A device that is here announces; the step is that of MatchCalls."""
        self.do(announces(who, *tools))
        return self.do(matches(who))

    def gone(self, who: Author) -> Step:
        """A device's connection is over."""
        return self.do(Logout(NONE, who.client_id))

    def call(self, call_id: str = "call") -> Call:
        """A call that is known, by id or alias."""
        found = self.room.logged.calls.find(CallId(call_id))
        assert found is not None, f"{call_id} is not known"
        return found

    def wait(self, call_id: str = "call") -> CallWait | None:
        """What a call waits for beside its deadline."""
        return self.room.live.call_waits.get(CallId(call_id))

    def waits_out(self, call_id: str = "call") -> Step:
        """What a call waits for does not come in time."""
        wait = self.wait(call_id)
        assert wait is not None, f"{call_id} waits for nothing"
        self.now = wait.until_unix_ms
        return self.do(wait_over(call_id, wait))

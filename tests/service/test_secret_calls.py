"""Secret answers: told, never logged, gone when they were received."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.service.ports import LogRefused
from lineup_srv.service.tool_calls import SECRET_GONE
from tests.domain.playbook import ADA, LAPTOP, logs_in
from tests.domain.toolbook import (
    of_type_action,
)
from tests.service.stage import ROOM
from tests.service.toolstage import (
    DONE,
    Caller,
    here,
    said,
    wanted,
)

if TYPE_CHECKING:
    from tests.service.stage import Stage


# Secrets ----------------------------------------------------------------------------------------

SECRET = '{"text":"correct horse"}'


async def ask_secret(stage: Stage) -> Caller:
    await here(stage)
    return await Caller(stage).call(wanted("call", "input", arguments='{"secret":true}'))


@pytest.mark.requirement("design:calls:secrets")
async def test_a_secret_answer_is_told_once_and_never_logged(stage: Stage) -> None:
    caller = await ask_secret(stage)

    await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET, message="correct horse")

    end = (await caller.rest())[-1]
    assert end.secret_json == SECRET
    assert end.call.result is not None
    assert end.call.result.json is None
    assert "correct horse" not in repr(stage.log.facts(ROOM))
    assert "correct horse" not in repr(stage.devices.sent)
    again = await Caller(stage).go_on("call")
    assert (await again.rest())[-1].secret_json == SECRET
    await stage.relay.tools.received(ROOM, ADA.agent_id, [CallId("call")])
    await stage.settled()
    assert stage.secrets.kept == {}
    last = await Caller(stage).go_on("call")
    gone = (await last.rest())[-1]
    assert (gone.secret_json, gone.call.message) == ("", SECRET_GONE)
    for stream in (caller, again, last):
        await stream.hang_up()


async def test_only_the_secret_that_counts_is_kept(stage: Stage) -> None:
    caller = await ask_secret(stage)
    await stage.do(logs_in(LAPTOP))
    await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET)
    await said(stage, "call", CallPhase.SUCCEEDED, by=LAPTOP, result='{"text":"other"}')
    assert list(stage.secrets.kept.values()) == [SECRET]
    assert (await caller.rest())[-1].secret_json == SECRET
    await caller.hang_up()


async def test_a_secret_that_came_too_late_is_not_kept(stage: Stage) -> None:
    caller = await ask_secret(stage)
    await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)
    await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET)
    assert stage.secrets.kept == {}
    await caller.hang_up()


async def test_a_secret_answer_is_text_only(stage: Stage) -> None:
    caller = await ask_secret(stage)
    picture = Content(ContentKind.IMAGE, ContentRef("0" * 64, 3, "image/png", None), "")
    await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET, contents=(picture,))
    end = (await caller.rest())[-1]
    assert (end.call.code, end.secret_json) == (ErrorCode.INVALID_RESULT, "")
    assert end.call.message == "a secret answer is text only"
    assert stage.secrets.kept == {}
    await caller.hang_up()


async def test_a_dismissed_secret_keeps_nothing(stage: Stage) -> None:
    caller = await ask_secret(stage)
    await said(stage, "call", CallPhase.FAILED, code=ErrorCode.DECLINED, message="no horse")
    end = (await caller.rest())[-1].call
    assert (end.code, end.message, end.result) == (ErrorCode.DECLINED, "", None)
    await caller.hang_up()


async def test_secrets_that_cannot_be_kept_or_read_are_refused(stage: Stage) -> None:
    caller = await ask_secret(stage)
    stage.secrets.fault = LogRefused("disk full")
    with pytest.raises(LineUpError) as caught:
        await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET)
    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    stage.secrets.fault = None
    await said(stage, "call", CallPhase.SUCCEEDED, result=SECRET)
    stage.secrets.fault = LogRefused("disk full")
    with pytest.raises(LineUpError) as caught:
        await caller.rest()
    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    await caller.hang_up()


@pytest.mark.parametrize(
    ("schema", "arguments", "secret"),
    [
        ('{"type":"object"}', "{}", False),
        ('{"type":"object"}', '{"secret":1}', False),
        ('{"type":"object"}', '{"secret":true}', True),
        ('{"type":"object","properties":{"secret":{"default":true}}}', "{}", True),
        ('{"type":"object","properties":{"secret":{"default":true}}}', '{"secret":false}', False),
        ('{"type":"object","properties":{"secret":true}}', "{}", False),
    ],
)
async def test_a_call_is_secret_by_its_arguments_or_by_its_definition(
    stage: Stage, schema: str, arguments: str, secret: bool
) -> None:
    await here(stage, of_type_action("input", schema=schema))
    caller = await Caller(stage).call(wanted("call", "input", arguments=arguments))
    assert (await caller.next()).call.called.secret is secret
    await caller.hang_up()
    await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)


async def test_what_no_human_answers_is_not_secret(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "mail", "send", arguments='{"secret":true}'))
    assert not (await caller.next()).call.called.secret
    await caller.hang_up()
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)

/** Calls of tools as the timeline shows them: what one agent calls without a word between is one run. */
import type { CallView } from './callLog'

export interface CallRun {
  readonly type: 'calls'
  readonly key: string
  /** When its first call came. */
  readonly atMs: number
  readonly agentId: string
  readonly calls: readonly CallView[]
}

/** A run for each call; one of which nobody knows when it came has no place. */
export function runsOf(calls: Iterable<CallView>): CallRun[] {
  return [...calls]
    .filter(({ atMs }) => atMs > 0)
    .map((call) => ({ type: 'calls', key: `call:${call.callId}`, atMs: call.atMs, agentId: call.agentId, calls: [call] }))
}

/** Joins the runs that stand side by side, if their beginnings are no further apart. */
export function joinRuns<T extends { readonly type: string }>(items: readonly (T | CallRun)[], apartMs: number): (T | CallRun)[] {
  const joined: (T | CallRun)[] = []
  for (const item of items) {
    const last = joined.at(-1)
    if (isRun(item) && last && isRun(last) && last.agentId === item.agentId && item.atMs - last.atMs <= apartMs) {
      joined[joined.length - 1] = { ...last, calls: [...last.calls, ...item.calls] }
    } else joined.push(item)
  }
  return joined
}

function isRun(item: { readonly type: string }): item is CallRun {
  return item.type === 'calls'
}

const SHOWN = 3

/** The newest calls of a run; more of them stand behind a button. */
export function shownCalls({ calls }: CallRun, isOpen: boolean): readonly CallView[] {
  return isOpen || calls.length <= SHOWN ? calls : calls.slice(1 - SHOWN)
}

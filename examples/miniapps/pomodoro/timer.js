// The timer as pure functions of a plain state, which is what the page keeps over a reload.

const MINUTE = 60_000

/** A fresh timer whose first focus begins now. */
export function started({ label = '', focus_minutes = 25, break_minutes = 5, rounds = 4 }, now) {
  const focusMs = focus_minutes * MINUTE
  return { label, focusMs, breakMs: break_minutes * MINUTE, rounds, round: 1, phase: 'focus', endsAt: now + focusMs, leftMs: 0 }
}

/** The timer at this instant: a phase that is over is followed by the next, the last by nothing. */
export function at(timer, now) {
  let next = timer
  while (next && next.endsAt > 0 && next.endsAt <= now) {
    if (next.phase === 'break') next = { ...next, phase: 'focus', round: next.round + 1, endsAt: next.endsAt + next.focusMs }
    else if (next.round < next.rounds) next = { ...next, phase: 'break', endsAt: next.endsAt + next.breakMs }
    else next = null
  }
  return next
}

export function paused(timer, now) {
  return timer.endsAt > 0 ? { ...timer, leftMs: timer.endsAt - now, endsAt: 0 } : timer
}

export function resumed(timer, now) {
  return timer.endsAt > 0 ? timer : { ...timer, endsAt: now + timer.leftMs, leftMs: 0 }
}

export function leftOf(timer, now) {
  return timer.endsAt > 0 ? timer.endsAt - now : timer.leftMs
}

/** The share of the phase that is left, from 1 to 0. */
export function shareOf(timer, now) {
  return leftOf(timer, now) / (timer.phase === 'focus' ? timer.focusMs : timer.breakMs)
}

/** 17:42 */
export function clock(ms) {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

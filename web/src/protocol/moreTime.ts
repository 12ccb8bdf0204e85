/** How much time a human may give with one tap. */

const MORNING_HOUR = 9

/** The next 9:00 on this device's wall clock after both now and the deadline, as seconds to add. */
export function secondsTillMorning(deadlineMs: number, nowMs: number): number {
  const morning = new Date(Math.max(deadlineMs, nowMs))
  morning.setHours(MORNING_HOUR, 0, 0, 0)
  if (morning.getTime() <= Math.max(deadlineMs, nowMs)) morning.setDate(morning.getDate() + 1)
  return Math.ceil((morning.getTime() - deadlineMs) / 1000)
}

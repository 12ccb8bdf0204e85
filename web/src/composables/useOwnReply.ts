import type { ReplyFacts } from '../protocol/view'
import { useSettings } from '../stores/settings'

/** Tells this device's own answers from others, also those that an earlier load of the page gave: the log has their name. */
export function useOwnReply() {
  const settings = useSettings()

  function isOwnName(device: string): boolean {
    return device === settings.nickname
  }

  /** The device that answered; "" for this one, and if it is not known. */
  function otherDevice(reply: ReplyFacts): string {
    return reply.mine || isOwnName(reply.by) ? '' : reply.by
  }

  return { isOwnName, otherDevice }
}

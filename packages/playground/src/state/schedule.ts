import type { Draft, Messages } from './messages.ts'

export interface ScheduledMessage {
  id: string
  /** Unix seconds. */
  postAt: number
  createdAt: number
  draft: Draft
}

export type Schedule = ReturnType<typeof createSchedule>

const CHECK_INTERVAL_MS = 500

/**
 * The app's scheduled messages. Twice a second, and whenever the clock is set, posts the messages that are due. Drops those that the app
 * can no longer post, because the channel was archived or the app was uninstalled.
 */
export function createSchedule(messages: Messages, now: () => Date, canPostIn: (channel: string) => boolean) {
  let pending: ScheduledMessage[] = []

  function postDue(): void {
    const nowSeconds = now().getTime() / 1000
    const due = pending.filter(({ postAt }) => postAt <= nowSeconds)
    pending = pending.filter((message) => !due.includes(message))
    for (const { draft } of due.sort((a, b) => a.postAt - b.postAt))
      if (canPostIn(draft.channel)) messages.post(draft)
  }
  const timer = setInterval(postDue, CHECK_INTERVAL_MS)
  timer.unref()

  return {
    add: (scheduled: ScheduledMessage): void => void pending.push(scheduled),
    /** The pending messages, soonest first. */
    list: (): ScheduledMessage[] => [...pending].sort((a, b) => a.postAt - b.postAt),
    remove(id: string, channel: string): boolean {
      const remaining = pending.filter((message) => message.id !== id || message.draft.channel !== channel)
      const exists = remaining.length < pending.length
      pending = remaining
      return exists
    },
    postDue,
    close: (): void => clearInterval(timer),
  }
}

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

interface ScheduleDeps {
  messages: Messages
  now: () => Date
  /** Why the app can no longer post in a channel, as Slack's error code; undefined if it can. */
  findPostError: (channel: string) => string | undefined
  /** Called for a message that is due but can't be posted, which Slack reports to nobody. */
  onDropped: (scheduled: ScheduledMessage, error: string) => void
}

/**
 * The app's scheduled messages. Twice a second, and whenever the clock is set, posts the messages that are due. Drops those that the app
 * can no longer post, because the channel was archived or the app was uninstalled.
 */
export function createSchedule({ messages, now, findPostError, onDropped }: ScheduleDeps) {
  let pending: ScheduledMessage[] = []

  function postDue(): void {
    const nowSeconds = now().getTime() / 1000
    const due = pending.filter(({ postAt }) => postAt <= nowSeconds)
    pending = pending.filter((message) => !due.includes(message))
    for (const scheduled of due.sort((a, b) => a.postAt - b.postAt)) {
      const error = findPostError(scheduled.draft.channel)
      if (error === undefined) messages.post(scheduled.draft)
      else onDropped(scheduled, error)
    }
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

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

/** Messages that the app has scheduled; checked twice a second, and whenever the clock is set. */
export function createSchedule(messages: Messages, now: () => Date) {
  let waiting: ScheduledMessage[] = []

  function postDue(): void {
    const nowSeconds = now().getTime() / 1000
    const due = waiting.filter(({ postAt }) => postAt <= nowSeconds)
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { draft } of due.sort((a, b) => a.postAt - b.postAt)) messages.post(draft)
  }
  const timer = setInterval(postDue, CHECK_INTERVAL_MS)
  timer.unref()

  return {
    add: (scheduled: ScheduledMessage): void => void waiting.push(scheduled),
    /** Unsent messages, soonest first. */
    list: (): ScheduledMessage[] => [...waiting].sort((a, b) => a.postAt - b.postAt),
    remove(id: string, channel: string): boolean {
      const remaining = waiting.filter((one) => one.id !== id || one.draft.channel !== channel)
      const exists = remaining.length < waiting.length
      waiting = remaining
      return exists
    },
    postDue,
    close: (): void => clearInterval(timer),
  }
}

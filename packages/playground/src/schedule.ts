import type { Draft, Messages } from './messages.ts'

export interface Scheduled {
  id: string
  /** Unix seconds. */
  postAt: number
  madeAt: number
  draft: Draft
}

export type Schedule = ReturnType<typeof createSchedule>

const LOOK_MS = 500

/** Messages that the app has scheduled; checked twice a second, and whenever the clock is set. */
export function createSchedule(messages: Messages, now: () => Date) {
  let waiting: Scheduled[] = []

  function postDue(): void {
    const nowSeconds = now().getTime() / 1000
    const due = waiting.filter(({ postAt }) => postAt <= nowSeconds)
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { draft } of due.sort((a, b) => a.postAt - b.postAt)) messages.post(draft)
  }
  const looking = setInterval(postDue, LOOK_MS)
  looking.unref()

  return {
    add: (one: Scheduled): void => void waiting.push(one),
    /** Those that aren't sent yet, soonest first. */
    list: (): Scheduled[] => [...waiting].sort((a, b) => a.postAt - b.postAt),
    remove(id: string, channel: string): boolean {
      const found = waiting.some((one) => one.id === id && one.draft.channel === channel)
      waiting = waiting.filter((one) => one.id !== id)
      return found
    },
    postDue,
    close: (): void => clearInterval(looking),
  }
}

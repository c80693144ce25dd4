import { startDemo } from '@signalman/demo'
import type { PressAnswer } from '@signalman/playground'
import { createDriver, type User } from '@signalman/playground/driver'
import { LONG_DEADLINES, LONG_SLACK_TIMEOUTS } from '../relaxed-limits.ts'

const TEN_MINUTES_MS = 600_000

/** Starts the demo, and moves the clocks of the app and of Slack ten minutes ahead, as if the page had been open for that long. */
export async function startLateDemo() {
  let aheadMs = 0
  const demo = await startDemo({
    port: 0,
    logLevel: 'silent',
    now: () => new Date(Date.now() + aheadMs),
    requestDeadlines: LONG_DEADLINES,
    limits: LONG_SLACK_TIMEOUTS,
    pollMs: 200,
  })
  async function advance(ms: number): Promise<void> {
    await createDriver(demo.page).clock({ advanceMs: ms })
    aheadMs += ms
  }
  await advance(TEN_MINUTES_MS)
  return Object.assign(demo, { advance })
}

export async function pressPanel(page: string, person: User, actionId: string): Promise<PressAnswer> {
  const response = await fetch(`${page}/_playground/panel`, {
    method: 'POST',
    headers: { 'x-playground': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ user: person.id, name: 'Start here', actionId }),
  })
  return (await response.json()) as PressAnswer
}

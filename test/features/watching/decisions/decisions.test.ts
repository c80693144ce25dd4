import { expect, it } from 'vitest'
import { runs } from '../../../long.ts'
import { seedOf } from '../../../random.ts'
import { Broken, history, newStats } from './histories.ts'

const SEED = seedOf()
const HISTORIES = runs('DECISION_HISTORIES', { quick: 30, long: 2500 })

it(`keeps every channel’s messages, pages, and reminders right in ${HISTORIES} random histories (SEED=${SEED})`, {
  timeout: 7_200_000,
}, async () => {
  const stats = newStats()
  const broken: string[] = []
  for (let nth = 0; nth < HISTORIES; nth += 1)
    await history(SEED + nth, stats).catch((error: unknown) => {
      if (!(error instanceof Broken)) throw error
      broken.push(error.message)
    })
  expect(broken).toEqual([])
  // Histories in which nothing happens would test nothing.
  for (const many of [stats.posts, stats.edits, stats.calls, stats.reminders]) expect(many).toBeGreaterThan(0)
})

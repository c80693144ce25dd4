import { expect, it } from 'vitest'
import { quickOrLong } from '../../../long.ts'
import { readSeed } from '../../../random.ts'
import { BrokenRule, newStats, runRandomHistory } from './histories.ts'

const SEED = readSeed()
const HISTORIES = quickOrLong('DECISION_HISTORIES', { quick: 30, long: 2500 })

it(`keeps every channel’s messages, pages, and reminders correct in ${HISTORIES} random histories (SEED=${SEED})`, {
  timeout: 7_200_000,
}, async () => {
  const stats = newStats()
  const broken: string[] = []
  for (let nth = 0; nth < HISTORIES; nth += 1)
    await runRandomHistory(SEED + nth, stats).catch((error: unknown) => {
      if (!(error instanceof BrokenRule)) throw error
      broken.push(error.message)
    })
  expect(broken).toEqual([])
  // Histories in which nothing happens would test nothing.
  for (const count of [stats.posts, stats.edits, stats.calls, stats.reminders])
    expect(count).toBeGreaterThan(0)
})

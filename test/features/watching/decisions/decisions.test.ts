import { expect, it } from 'vitest'
import { quickOrLong } from '../../../long.ts'
import { readSeed } from '../../../random.ts'
import { InvariantViolation, newStats, runRandomHistory } from './random-history.ts'

const SEED = readSeed()
const HISTORIES = quickOrLong('DECISION_HISTORIES', { quick: 30, long: 2500 })

it(`keeps every channel’s messages, pages, and reminders correct in ${HISTORIES} random histories (SEED=${SEED})`, {
  timeout: 7_200_000,
}, async () => {
  const stats = newStats()
  const violations: string[] = []
  for (let index = 0; index < HISTORIES; index += 1)
    await runRandomHistory(SEED + index, stats).catch((error: unknown) => {
      if (!(error instanceof InvariantViolation)) throw error
      violations.push(error.message)
    })
  expect(violations).toEqual([])
  // Makes sure that the histories cover posts, edits, pages, and reminders.
  for (const count of [stats.posts, stats.edits, stats.calls, stats.reminders])
    expect(count).toBeGreaterThan(0)
})

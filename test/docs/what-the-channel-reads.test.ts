import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { QUIET_MS } from '../../src/domain/outages/observe.ts'
import { BLIND_AFTER_MS } from '../../src/domain/outages/outage.ts'
import { AFRESH_MS, SPACING_MS } from '../../src/features/watching/rules/environment-state.ts'
import { ANNOUNCE_MS } from '../../src/features/watching/rules/silence-windows.ts'

const page = (await readFile('docs/what-the-channel-reads.md', 'utf8')).replace(/\s+/g, ' ')
const minutes = (ms: number): string => `${ms / 60_000} minutes`

it.each([
  `closes after ${minutes(QUIET_MS)} of good polls`,
  `at most one every ${minutes(SPACING_MS)}`,
  `at least ${minutes(QUIET_MS)} after the last`,
  `stays down for ${minutes(QUIET_MS)}`,
  `as soon as the last message is ${minutes(AFRESH_MS)} old`,
  `for ${minutes(BLIND_AFTER_MS)}`,
])('states the same times as the code: %s', (words) => expect(page).toContain(words))

it('says how far ahead maintenance is announced', () => {
  expect(ANNOUNCE_MS).toBe(60 * 60_000)
  expect(page).toContain('announced an hour before')
})

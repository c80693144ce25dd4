import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { REPORT_UNREACHABLE_AFTER_MS } from '../../src/domain/outages/outage.ts'
import { GROUPING_MS, RELAPSE_MS, STORM_SIZE } from '../../src/features/watching/rules/decide.ts'
import { ANNOUNCE_MS } from '../../src/features/watching/rules/silence-windows.ts'
import { REMINDER_HOURS } from '../../src/features/watching/rules/watch.ts'

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']
const page = (await readFile('docs/what-the-channel-reads.md', 'utf8')).replace(/\s+/g, ' ')

describe('docs/what-the-channel-reads.md', () => {
  it.each([
    `For ${GROUPING_MS / 1000} seconds, Signalman also adds checks that go down later`,
    `Once a card has ${NUMBERS[STORM_SIZE]} or more outages, Signalman keeps adding new ones to it for ${RELAPSE_MS / 60_000} minutes`,
    `goes down again within ${RELAPSE_MS / 60_000} minutes`,
    `still going on after ${RELAPSE_MS / 60_000} minutes`,
    `doesn’t answer for ${REPORT_UNREACHABLE_AFTER_MS / 60_000} minutes`,
  ])('states the same times as the code: %s', (words) => expect(page).toContain(words))

  it('says how far ahead maintenance is announced', () => {
    expect(ANNOUNCE_MS).toBe(60 * 60_000)
    expect(page).toContain('announced an hour before')
  })

  it('uses a reminder interval that exists', () => {
    const [, hours] = /`--remind (\d+)`/.exec(page) ?? []
    expect(REMINDER_HOURS).toContain(Number(hours))
    expect(page).toContain(`one message every ${hours} hours`)
  })
})

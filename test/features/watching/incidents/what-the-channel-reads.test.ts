import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createChannels } from './channel.ts'
import { COMBINATIONS } from './combinations.ts'
import { HISTORIES } from './written-histories.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/what-the-channel-reads.md'), 'utf8')

it.each(Object.entries({ ...HISTORIES, ...COMBINATIONS }))(
  'follows from the ten rules: %s',
  async (_, history) => {
    const channels = await createChannels(history.watches)
    await history.happens(channels)
    expect(channels.reads()).toEqual(history.reads)
    for (const [channel, reads] of Object.entries(history.elsewhere ?? {}))
      expect(channels.reads(channel)).toEqual(reads)
  },
)

it('has twenty histories or more, which use all ten rules of the page', () => {
  expect(Object.keys(HISTORIES).length).toBeGreaterThanOrEqual(20)
  const rules = [...PAGE.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  expect(rules).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const used = new Set(Object.values(HISTORIES).flatMap(({ by }) => by))
  expect([...used].sort((left, right) => left - right)).toEqual(rules)
})

import { expect, it } from 'vitest'
import { countPosts } from '../../../src/domain/watching/count-posts.ts'
import { EVERY_CHECK } from '../../../src/domain/watching/watch.ts'

const TERMS = { filter: EVERY_CHECK, afterBadPolls: 1, notify: 'once', reminderHours: 0 } as const
const MINUTE_MS = 60_000
const at = (minute: number): Date => new Date(minute * MINUTE_MS)
const outage = (uuid: string, from: number, to: number, badPolls = 5, isBaseline = false) => ({
  id: `${uuid} ${from}`,
  check: { uuid, name: `web-${uuid}` },
  status: 'UNHEALTHY' as const,
  startedAt: at(from),
  endedAt: at(to),
  isBaseline,
  badPolls,
})
const ONLY_DB = { include: [{ field: 'name', pattern: 'db*' }], exclude: [] } as const

it.each([
  { what: 'two apart', outages: [outage('a', 0, 5), outage('a', 60, 65)], posts: 2 },
  { what: 'two in half an hour', outages: [outage('a', 0, 5), outage('a', 20, 25)], posts: 1 },
  {
    what: 'the same, each of them told',
    terms: { notify: 'every' as const },
    outages: [outage('a', 0, 5), outage('a', 20, 25)],
    posts: 2,
  },
  { what: 'five at once', outages: ['a', 'b', 'c', 'd', 'e'].map((uuid) => outage(uuid, 0, 5)), posts: 1 },
  { what: 'one that was there before', outages: [outage('a', 0, 5, 5, true)], posts: 0 },
  { what: 'one of a single poll', terms: { afterBadPolls: 2 }, outages: [outage('a', 0, 1, 1)], posts: 0 },
  { what: 'one of another name', terms: { filter: ONLY_DB }, outages: [outage('a', 0, 5)], posts: 0 },
])('$what come to $posts', ({ terms, outages, posts }) => {
  expect(countPosts({ ...TERMS, ...terms }, outages, MINUTE_MS)).toBe(posts)
})

import { expect, it } from 'vitest'
import { inTurns } from '../../../../packages/runtime/src/turns.ts'
import { countPosts } from '../../../../src/features/watching/rules/replay.ts'
import { EVERY_CHECK } from '../../../../src/features/watching/rules/watch.ts'

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
const DAY = 24 * 60
const { endedAt: _endedAt, ...goingOn } = outage('a', 30, 0)
const ONLY_DB = { include: [{ field: 'name', pattern: 'db*' }], exclude: [] } as const

const FIVE = ['a', 'b', 'c', 'd', 'e']
const FLIPPING_STORM = [
  ...FIVE.map((uuid) => outage(uuid, 0, 2)),
  ...Array.from({ length: 80 }, (_, index) => outage('a', index * 4 + 4, index * 4 + 6)),
  outage('payments-db', 300, 330),
]
const LONG_STORM = [
  ...FIVE.map((uuid) => outage(uuid, 0, 60)),
  ...Array.from({ length: 9 }, (_, index) => outage(`after-${index}`, index * 4 + 4, 60)),
]

it.each([
  { what: 'two apart', outages: [outage('a', 0, 5), outage('a', 60, 65)], posts: 2 },
  { what: 'two in half an hour', outages: [outage('a', 0, 5), outage('a', 20, 25)], posts: 1 },
  {
    what: 'the same, each of them told',
    terms: { notify: 'every' as const },
    outages: [outage('a', 0, 5), outage('a', 20, 25)],
    posts: 2,
  },
  { what: 'five at once', outages: FIVE.map((uuid) => outage(uuid, 0, 5)), posts: 1 },
  { what: 'a storm, one of which flips, and one five hours later', outages: FLIPPING_STORM, posts: 2 },
  { what: 'checks that go on falling one after the other for 40 minutes', outages: LONG_STORM, posts: 3 },
  {
    what: 'five at once that recover, and another four minutes later',
    outages: [...FIVE.map((uuid) => outage(uuid, 0, 2)), outage('db', 6, 20)],
    posts: 2,
  },
  {
    what: 'one that is down for 35 of every 63 min through a week',
    outages: Array.from({ length: 160 }, (_, index) => outage('a', index * 63, index * 63 + 35)),
    days: 7,
    posts: 7,
  },
  { what: 'one that was there before', outages: [outage('a', 0, 5, 5, true)], posts: 0 },
  { what: 'one of a single poll', terms: { afterBadPolls: 2 }, outages: [outage('a', 0, 1, 1)], posts: 0 },
  { what: 'one of another name', terms: { filter: ONLY_DB }, outages: [outage('a', 0, 5)], posts: 0 },
  {
    what: 'one of two, reminded of after 1 h and then daily',
    terms: { reminderHours: 1 as const },
    outages: [outage('a', 0, 5), outage('a', 100, 2000)],
    posts: 3,
  },
  { what: 'one that goes on', outages: [goingOn], posts: 1 },
])('$what come to $posts', async ({ terms, outages, days = 1, posts }) => {
  const span = { from: at(-1), to: at(days * DAY), pollMs: MINUTE_MS }
  expect((await inTurns(countPosts({ ...TERMS, ...terms }, outages, span))).posts).toBe(posts)
})

it.each([
  { what: 'what began before', outages: [outage('a', -10, 20)], posts: 0, told: 0 },
  {
    what: 'what is an edit of a message of before',
    outages: [outage('a', -10, -5), outage('a', 10, 20)],
    posts: 0,
    told: 1,
  },
  {
    what: 'what is confirmed in it',
    terms: { afterBadPolls: 3 },
    outages: [outage('a', -1, 20)],
    posts: 1,
    told: 1,
  },
  {
    what: 'what is not confirmed yet',
    terms: { afterBadPolls: 3 },
    outages: [{ ...goingOn, startedAt: at(59) }],
    posts: 0,
    told: 0,
  },
  {
    what: 'a reminder of what began before',
    terms: { reminderHours: 1 as const },
    outages: [outage('a', -10, 58)],
    posts: 1,
    told: 0,
  },
])('of an hour: $what', async ({ terms, outages, posts, told }) => {
  const span = { from: at(0), to: at(60), pollMs: MINUTE_MS }
  const found = await inTurns(countPosts({ ...TERMS, ...terms }, outages, span))
  expect({ posts: found.posts, told: found.outages.length }).toEqual({ posts, told })
})

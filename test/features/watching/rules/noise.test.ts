import { expect, it } from 'vitest'
import {
  observe,
  type Sighting,
  type SubjectChange,
  type SubjectKey,
  type SubjectState,
  subjectKey,
} from '../../../../src/domain/outages/observe.ts'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { EVERY_CHECK, type Watch } from '../../../../src/features/watching/rules/watch.ts'
import { seeded } from '../../../random.ts'
import { createReplay } from './replay.ts'

const MINUTE_MS = 60_000
const DAY_OF_POLLS = 24 * 60
const BEGIN = Date.UTC(2026, 2, 1)
const CHECK = { uuid: 'u1', name: 'web-1' }
const KEY = subjectKey(CHECK.uuid, 'UNHEALTHY')

const watchOf = (terms: Partial<Watch>): Watch => ({
  id: 'w',
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
  filter: EVERY_CHECK,
  afterBadPolls: 1,
  notify: 'once',
  reminderHours: 0,
  ownerId: 'U1',
  madeAt: new Date(BEGIN),
  changedAt: new Date(BEGIN),
  baselinePoll: 1,
  ...terms,
})

/** The one check, polled each minute and bad whenever `isBad` says so; the first poll is its baseline. */
function startCheck(isBad: (poll: number) => boolean) {
  const states = new Map<SubjectKey, SubjectState>()
  const outages = new Map<string, Outage>()

  function sightingOf(poll: number): Sighting {
    const isDown = poll > 1 && isBad(poll)
    return {
      poll,
      at: new Date(BEGIN + poll * MINUTE_MS),
      bad: new Map(isDown ? [[KEY, { check: CHECK, status: 'UNHEALTHY' as const }] as const] : []),
      good: new Set(isDown ? [] : [KEY]),
      installing: new Set<SubjectKey>(),
      deleted: new Set<SubjectKey>(),
      partsFlips: true,
      baseline: new Set(poll === 1 ? (['UNHEALTHY'] as const) : []),
    }
  }

  function take({ key, state, opened, outage }: SubjectChange): Outage[] {
    if (opened) outages.set(opened.id, opened)
    if (state) states.set(key, state)
    else states.delete(key)
    const known = outage?.ended && outages.get(outage.id)
    if (!known) return []
    const over = { ...known, endedAt: outage.ended?.at, ending: outage.ended?.ending }
    outages.set(over.id, over)
    return [over]
  }

  return {
    outages,
    poll(poll: number) {
      const sighting = sightingOf(poll)
      const changes = observe(states, sighting, () => `o${poll}`)
      const ended = changes.flatMap(take)
      const candidates = [...states.values()].flatMap((state) => {
        const outage = outages.get(state.outageId)
        return outage ? [{ outage, state }] : []
      })
      const flips = changes.filter(({ outage, opened }) => outage?.ended ?? opened).length
      return { at: sighting.at, candidates, ended, flips }
    },
  }
}

function allOf<T>(slices: Generator<void, T, void>): T {
  for (let slice = slices.next(); ; slice = slices.next()) if (slice.done) return slice.value
}

/** Posts and edits in one channel. */
function tellOf(polls: number, isBad: (poll: number) => boolean, terms: Partial<Watch> = {}) {
  const replay = createReplay(watchOf(terms))
  const check = startCheck(isBad)
  const count = { posts: 0, edits: 0, flips: 0, kind: '' }
  for (let poll = 1; poll <= polls; poll += 1) {
    const { at, candidates, ended, flips } = check.poll(poll)
    count.flips += flips
    for (const { isNew, card } of allOf(replay.poll(poll, at, candidates, ended))) {
      count[isNew ? 'posts' : 'edits'] += 1
      count.kind = card.kind
    }
  }
  const downMs = [...check.outages.values()].reduce(
    (sum, { startedAt, endedAt = startedAt }) => sum + endedAt.getTime() - startedAt.getTime(),
    0,
  )
  return { ...count, downPolls: downMs / MINUTE_MS }
}

it('is quiet about 2 % of bad polls: 12 messages a day at most, of some 60 flips', () => {
  const days = Array.from({ length: 50 }, (_, seed) => {
    const random = seeded(seed).next
    return tellOf(DAY_OF_POLLS, () => random() < 0.02)
  })
  const mean = days.reduce((sum, { posts }) => sum + posts, 0) / days.length
  expect(mean).toBeLessThanOrEqual(12)
})

it('posts once for a check that flips each 2 minutes for an hour', () => {
  expect(tellOf(180, (poll) => poll < 62 && poll % 4 < 2)).toMatchObject({ posts: 1 })
})

it.each([
  { every: 2, down: 1 },
  { every: 3, down: 2 },
])(
  'says of a check that is bad in $down of $every polls that it flaps, and counts them',
  ({ every, down }) => {
    const polls = 120
    const told = tellOf(polls, (poll) => poll % every < down)
    expect(told).toMatchObject({ posts: 1, kind: 'flapping' })
    expect(Math.abs(told.downPolls - (polls * down) / every)).toBeLessThan(5)
  },
)

it('posts once for a check that flips each 25 minutes all day', () => {
  expect(tellOf(DAY_OF_POLLS, (poll) => Math.floor(poll / 25) % 2 === 1)).toMatchObject({
    posts: 1,
    flips: 57,
  })
})

it('says nothing of single bad polls when two must confirm', () => {
  const random = seeded(1).next
  let before = false
  const isBad = () => {
    before = !before && random() < 0.02
    return before
  }
  expect(tellOf(DAY_OF_POLLS, isBad, { afterBadPolls: 2 })).toMatchObject({ posts: 0, edits: 0 })
})

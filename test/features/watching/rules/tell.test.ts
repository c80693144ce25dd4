import { expect, it } from 'vitest'
import { candidateOf } from '../../../../src/features/watching/rules/replay.ts'
import { readyWatch } from '../../../../src/features/watching/rules/subjects.ts'
import { type CardChange, tell } from '../../../../src/features/watching/rules/tell.ts'
import { EVERY_CHECK, type ReminderHours, type Watch } from '../../../../src/features/watching/rules/watch.ts'

const MINUTE_MS = 60_000
const at = (minute: number): Date => new Date(minute * MINUTE_MS)
const PLACE = { channelId: 'C1', environment: 'production' } as const
const ANN = { by: 'U1', name: 'Ann', at: at(1) }

const watchOf = (reminderHours: ReminderHours, name: string): Watch => ({
  ...PLACE,
  id: `watch of ${name}`,
  workspaceId: 'T1',
  filter: name === '' ? EVERY_CHECK : { include: [{ field: 'name', pattern: name }], exclude: [] },
  afterBadPolls: 1,
  notify: 'once',
  reminderHours,
  ownerId: 'U1',
  madeAt: at(0),
  changedAt: at(0),
  baselinePoll: 0,
})

const fall = (names: readonly string[], minute: number) =>
  names.map((name) => ({
    id: `${name} ${minute}`,
    check: { uuid: name, name },
    status: 'UNHEALTHY' as const,
    startedAt: at(minute),
    isBaseline: false,
    badPolls: 1,
  }))

/** Five checks fall, and two minutes later, on the card of that storm, one that is reminded of after an hour. */
function laterOnStorm(firstHours: ReminderHours, change: Partial<CardChange['card']> = {}): CardChange[] {
  const watches = [watchOf(firstHours, ''), watchOf(1, 'db')].map(readyWatch)
  const view = { place: PLACE, watches, mutes: [], cards: [], told: new Set<string>() }
  const first = fall(['a', 'b', 'c', 'd', 'e'], 0)
  const news = { poll: 1, at: at(0), candidates: first.map(candidateOf), ended: [] }
  const [storm] = tell(view, news, () => 'storm')
  if (storm?.card.kind !== 'storm') throw new Error('Five at once are a storm.')
  const open = new Set(first.map(({ id }) => id))
  const told = { ...storm, card: { ...storm.card, ...change }, outages: first, open, openElse: 0 }
  const candidates = fall(['db'], 2).map(candidateOf)
  return tell({ ...view, cards: [told] }, { poll: 3, at: at(2), candidates, ended: [] }, () => 'another')
}

it.each<{
  what: string
  hours: ReminderHours
  change?: Partial<CardChange['card']>
  remindAt: Date | undefined
}>([
  { what: 'was to be reminded of never', hours: 0, remindAt: at(62) },
  { what: 'was to be reminded of later', hours: 24, remindAt: at(62) },
  { what: 'is to be reminded of earlier', hours: 1, remindAt: at(60) },
  {
    what: 'somebody is on',
    hours: 0,
    change: { acknowledged: ANN, remindAt: undefined },
    remindAt: undefined,
  },
])('the next reminder of a storm that $what, once another check joins it', ({ hours, change, remindAt }) => {
  const changes = laterOnStorm(hours, change)
  expect(changes).toMatchObject([{ isNew: false, card: { kind: 'storm', id: 'storm' } }])
  expect(changes[0]?.card.remindAt).toEqual(remindAt)
})

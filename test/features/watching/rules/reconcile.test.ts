import { expect, it } from 'vitest'
import type { CardChange, CardState, ToldCard } from '../../../../src/features/watching/rules/card.ts'
import {
  type ChannelView,
  type PollNews,
  reconcile,
} from '../../../../src/features/watching/rules/reconcile.ts'
import type { Occasion } from '../../../../src/features/watching/rules/settle-cards.ts'
import { readyWatch } from '../../../../src/features/watching/rules/subjects.ts'
import {
  EVERY_CHECK,
  type Mute,
  type ReminderHours,
  type Watch,
} from '../../../../src/features/watching/rules/watch.ts'
import { candidateOf } from './replay.ts'

/** All of it in one turn. */
function tell(view: ChannelView, news: PollNews, newId: () => string, occasion?: Occasion): CardChange[] {
  const slices = reconcile(view, news, newId, occasion)
  for (let slice = slices.next(); ; slice = slices.next()) if (slice.done) return slice.value
}

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

const upAt = (name: string, minute: number, ended: number) =>
  fall([name], minute).map((one) => ({ ...one, endedAt: at(ended), ending: 'recovered' as const }))

/** A channel in which one check fell and recovered on this card, and falls again four minutes later. */
function again(card: Partial<CardChange['card']>, mutes: Mute[] = []): CardChange[] {
  const outages = upAt('web', 0, 1)
  const state = { ...PLACE, id: 'card', kind: 'outage', openedAt: at(0), changedAt: at(1), closedAt: at(1) }
  const told = { card: { ...state, ...card } as CardState, outages, open: new Set<string>(), openElse: 0 }
  const watches = [readyWatch(watchOf(1, ''))]
  const view = { place: PLACE, watches, mutes, cards: [told], told: new Set(['web 0']) }
  const candidates = fall(['web'], 5).map(candidateOf)
  return tell(view, { poll: 6, at: at(5), candidates, ended: [] }, () => 'another')
}

const MUTED: Mute = {
  ...PLACE,
  id: 'mute',
  workspaceId: 'T1',
  about: { kind: 'all' },
  until: at(60),
  by: 'U1',
  madeAt: at(2),
}

it('a new outage drops who was on the last one, and is reminded of', () => {
  const [change] = again({ acknowledged: ANN })
  expect(change?.card).toMatchObject({ id: 'card', remindAt: at(65) })
  expect(change?.card).not.toHaveProperty('acknowledged')
})

it('a card says the truth about a check that falls while it is muted, and no message is posted', () => {
  expect(again({}, [MUTED])).toMatchObject([{ isNew: false, card: { id: 'card' }, outageIds: ['web 5'] }])
  expect(again({}, [MUTED])[0]?.card).not.toHaveProperty('closedAt')
  expect(again({ kind: 'flapping', closedAt: undefined }, [MUTED])).toMatchObject([{ isNew: false }])
  expect(again({ unwatchedAt: at(1) }, [MUTED])).toEqual([])
})

it.each(['mute-ended', 'resumed', 'reminder'] as const)(
  'a card of what was still down (%s) takes up no new outage',
  (reason) => {
    expect(again({ kind: 'still-down', reason })).toMatchObject([
      { isNew: true, card: { id: 'another', kind: 'outage' } },
    ])
  },
)

it('a card is not opened again for ever', () => {
  expect(again({ openedAt: at(5 - 24 * 60) })).toMatchObject([{ isNew: false }])
  expect(again({ openedAt: at(4 - 24 * 60) })).toMatchObject([{ isNew: true }])
})

/** A channel in which a check has been down since 0 min, to be reminded of at 60 min, at some time after that. */
function remindedAt(minute: number, mutes: Mute[], cards: ToldCard[] = [], occasion: Occasion = {}) {
  const outages = fall(['web'], 0)
  const state = { ...PLACE, id: 'card', kind: 'outage', openedAt: at(0), changedAt: at(0), remindAt: at(60) }
  const told = { card: state as CardState, outages, open: new Set(['web 0']), openElse: 0 }
  const watches = [readyWatch(watchOf(1, ''))]
  const view = { place: PLACE, watches, mutes, cards: [told, ...cards], told: new Set(['web 0']) }
  const changes = tell(view, { poll: 9, at: at(minute), candidates: [], ended: [] }, () => 'new', occasion)
  return new Map(changes.map((change) => [change.card.id, change]))
}

it('a reminder that falls into a mute comes when that ends', () => {
  const until = (end: number): Mute => ({ ...MUTED, until: at(end) })
  expect([...remindedAt(61, [until(75)]).values()]).toMatchObject([
    { card: { id: 'card', remindAt: at(75) }, isShown: false },
  ])
  // Another mute, or the end of this one, tells of it then: not both.
  expect(remindedAt(76, []).get('new')?.card.reason).toBe('reminder')
  const dues = fall(['web'], 0).map((outage) => ({ outage, isEvery: false, reminderMs: undefined }))
  const ended = remindedAt(76, [], [], {
    unmuted: { subjects: [{ kind: 'all' }], dues, reason: 'mute-ended' },
  })
  expect(ended.get('new')?.card.reason).toBe('mute-ended')
  expect(ended.size).toBe(2)
})

it('nobody is reminded of what somebody is on, though they said so on another card', () => {
  const outages = fall(['web'], 0)
  const card = {
    ...{ ...PLACE, id: 'other', kind: 'still-down', reason: 'mute-ended', acknowledged: ANN },
    ...{ openedAt: at(50), changedAt: at(50) },
  }
  const other = { card: card as CardState, outages, open: new Set(['web 0']), openElse: 0 }
  const changes = remindedAt(61, [], [other])
  expect([...changes.values()]).toMatchObject([{ isShown: false, card: { remindAt: at(61 + 24 * 60) } }])
})

it('a reminder takes the place of the one before, which is not kept up to date any more', () => {
  const outages = fall(['web'], 0)
  const card = {
    ...PLACE,
    id: 'last',
    kind: 'still-down',
    reason: 'reminder',
    openedAt: at(50),
    changedAt: at(50),
  }
  const last = { card: card as CardState, outages, open: new Set(['web 0']), openElse: 0 }
  const changes = remindedAt(61, [], [last])
  expect(changes.get('last')?.card).toMatchObject({ reason: 'replaced', closedAt: at(61) })
  expect(changes.get('new')?.card).toMatchObject({ reason: 'reminder' })
  expect(changes.get('card')).toMatchObject({ isShown: false, card: { remindAt: at(61 + 24 * 60) } })
})

it('nothing is reminded of, or called quiet, while nothing is seen', () => {
  const [since, why] = [at(30), 'unreachable' as const]
  const card: CardState = {
    ...PLACE,
    id: 'blind',
    kind: 'blind',
    openedAt: since,
    changedAt: since,
    reason: why,
  }
  const told = [{ card, outages: [], open: new Set<string>(), openElse: 0 }]
  expect(remindedAt(61, [], told, { unseenMs: () => 1 }).size).toBe(0)
})

it('a card of what is not watched any more is closed, and says so', () => {
  const view = {
    place: PLACE,
    watches: [readyWatch(watchOf(1, 'other'))],
    mutes: [],
    told: new Set<string>(),
  }
  const outages = fall(['web'], 0)
  const card: CardState = { ...PLACE, id: 'card', kind: 'outage', openedAt: at(0), changedAt: at(0) }
  const cards = [{ card, outages, open: new Set(['web 0']), openElse: 0 }]
  const changes = tell({ ...view, cards }, { poll: 9, at: at(5), candidates: [], ended: [] }, () => '', {})
  expect(changes).toMatchObject([{ card: { unwatchedAt: at(5), closedAt: at(5) }, isShown: true }])
})

it('what nobody has read is put onto one card, and what of the rest is over is dropped', () => {
  const outages = fall(['a', 'b'], 0)
  const card = (id: string, kind: CardState['kind'], closedAt?: Date): CardState => ({
    ...{ ...PLACE, id, kind, openedAt: at(0), changedAt: at(0) },
    ...(closedAt && { closedAt }),
  })
  const unread = (one: CardState, index?: number): ToldCard => {
    const own = outages.slice(index ?? 2, index === undefined ? 2 : index + 1)
    return { card: one, outages: own, open: new Set(own.map(({ id }) => id)), openElse: 0, isUnread: true }
  }
  const cards = [
    unread(card('a', 'outage'), 0),
    unread(card('b', 'outage'), 1),
    unread(card('blind', 'blind', at(3))),
    unread(card('yesterday', 'digest', at(1))),
    unread(card('today', 'digest', at(2))),
    { ...unread(card('read', 'blind', at(3))), isUnread: false },
    // Somebody has deleted its message: as long as they are on it, it is posted again as it was.
    unread({ ...card('taken', 'outage'), takings: [ANN] }, 1),
  ]
  const view = {
    place: PLACE,
    watches: [readyWatch(watchOf(0, ''))],
    mutes: [],
    cards,
    told: new Set<string>(),
  }
  const news = { poll: 9, at: at(5), candidates: [], ended: [] }
  const changes = tell(view, news, () => 'new', { isResumed: true })
  const dropped = changes.flatMap(({ card: { id }, isDropped }) => (isDropped ? id : []))
  expect(dropped.toSorted()).toEqual(['a', 'b', 'blind', 'yesterday'])
  expect(changes.filter(({ isDropped }) => !isDropped)).toMatchObject([
    { isNew: true, card: { kind: 'still-down', reason: 'resumed' }, outageIds: outages.map(({ id }) => id) },
  ])
})

it('a card has an id of its own, also where a watch or a mute names its channel', () => {
  const place = { ...PLACE, id: 'watch' }
  const view = { place, watches: [readyWatch(watchOf(0, ''))], mutes: [], cards: [], told: new Set<string>() }
  const blindness = { since: at(1), why: 'unreachable' as const }
  const news = { poll: 1, at: at(5), candidates: fall(['web'], 5).map(candidateOf), ended: [] }
  const cards = tell(view, news, () => 'new', { blindness }).map(({ card }) => card)
  expect(cards.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['outage new', 'blind new'])
})

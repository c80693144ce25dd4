import { expect } from 'vitest'
import { inTurns } from '../../../../packages/runtime/src/turns.ts'
import type { Outage, PollFailure } from '../../../../src/domain/outages/outage.ts'
import type { CardState, CardWithOutages } from '../../../../src/features/watching/rules/card.ts'
import type { CardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { cardModel, type DetailsModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { flipsOf } from '../../../../src/features/watching/rules/flapping.ts'
import { CALLED_AFTER, WHO } from './calls.ts'
import { CHANNELS, type Model } from './model.ts'

const WORKSPACE = 'T1'

/** What must be so once everything has been quiet for a while: each told once, nothing else, and every last word true. */
export async function holds(model: Model): Promise<void> {
  expect(model.faults).toEqual([])
  await expectTold(model)
  await expectLastWords(model)
  await expectRetold(model)
  await expectCalled(model)
  expectMaintenance(model)
  await expectCards(model)
  for (const [cardId, times] of model.channels.posted)
    expect({ cardId, times }).toEqual({
      cardId,
      times: Math.min(times, 1 + (model.channels.excused.get(cardId) ?? 0)),
    })
}

/** Two good polls end an outage, and its end is that of the first. */
const LATE_MS = 3 * 60_000
/** After an hour a card that goes on is edited, and posted anew where somebody has deleted it. */
const HOUR_MINUTES = 65

/** Nobody is on what fell after all was over, a storm that is over takes up nothing, and no card that goes on is missing. */
async function expectCards(model: Model): Promise<void> {
  if (model.channels.excused.size > 0) await model.quietly(HOUR_MINUTES)
  const { cards } = model.store.watching
  for (const id of model.channels.posted.keys()) {
    const found = await cards.find(WORKSPACE, id)
    if (found && found.card.kind !== 'still-down' && !model.isSetBack()) expectOfItsOwn(found)
  }
  for (const { id, kind, channelId } of await cards.open(WORKSPACE, { limit: 1000 })) {
    const isThere = [...model.channels.standing.values()].some((one) => one.model.cardId === id)
    expect({ id, kind, channelId, isThere }).toEqual({ id, kind, channelId, isThere: true })
  }
}

function expectOfItsOwn({ card, outages }: CardWithOutages): void {
  const { id, kind, acknowledged } = card
  const mayFlap = kind === 'flapping' || flipsOf(outages).length >= FLAPPING
  for (const [index, { startedAt, check }] of outages.entries()) {
    const before = outages.slice(0, index)
    const isOver = ({ endedAt }: Outage): boolean =>
      endedAt !== undefined && endedAt.getTime() + LATE_MS < startedAt.getTime()
    if (index === 0 || !before.every(isOver)) continue
    expect({ id, kind, of: before.map((one) => one.check.uuid) }).toMatchObject({
      of: expect.arrayContaining([check.uuid]),
    })
    if (!mayFlap && acknowledged) expect(acknowledged.at >= startedAt, `who is on ${id}`).toBe(true)
  }
}

/** So many flips, and a card may have been one of flapping. */
const FLAPPING = 4

/** What must be so once checks cannot be seen: each channel that watches says so on one card, and why. */
export function holdsBlind({ channels, reference }: Model, why: PollFailure): void {
  for (const channel of CHANNELS) {
    const open = [...channels.standing.values()].filter(
      ({ channelId, model }) =>
        channelId === channel && model.kind === 'blind' && !model.endedAt && !model.unwatchedAt,
    )
    const wanted = reference.channels().has(channel) ? [{ model: { why } }] : []
    expect(open, `in ${channel}`).toMatchObject(wanted)
  }
}

async function expectTold(model: Model): Promise<void> {
  const { names } = model
  const told = new Map<string, string[]>(CHANNELS.map((channel) => [channel, []]))
  /** In which channel a card was posted for what; what is muted there comes by an edit alone. */
  const first = new Set<string>()
  for (const id of model.channels.posted.keys()) {
    const found = await model.store.watching.cards.find(WORKSPACE, id)
    // What a mute kept back, or what was down when it ended, is told once more then.
    if (!found || found.card.kind === 'still-down') continue
    first.add(`${found.card.channelId} ${names.get(found.outages[0]?.id ?? '') ?? '?'}`)
    for (const outage of found.outages) told.get(found.card.channelId)?.push(names.get(outage.id) ?? '?')
  }
  for (const channel of CHANNELS) {
    const own = told.get(channel) ?? []
    expect(new Set(own).size, `twice in ${channel}`).toBe(own.length)
    const late = await toldLate(model, channel, names)
    const wanted = model.reference.told(channel)
    const muted = model.reference.silenced(channel)
    const isEdit = (name: string): boolean =>
      muted.has(name) && !wanted.has(name) && !first.has(`${channel} ${name}`)
    expect(new Set([...own, ...late].filter((name) => !isEdit(name)))).toEqual(wanted)
  }
}

async function toldLate(model: Model, channel: string, names: Map<string, string>): Promise<string[]> {
  const late: string[] = []
  for (const id of model.channels.posted.keys()) {
    const found = await model.store.watching.cards.find(WORKSPACE, id)
    if (found?.card.channelId !== channel || found.card.kind !== 'still-down') continue
    late.push(...found.outages.map((outage) => names.get(outage.id) ?? '?'))
  }
  return late
}

/** How many bad polls it came to, and who was on it somewhere, is stored and shown by no card; who is called next is looked at apart. */
const asShown = (model: object): unknown =>
  JSON.parse(
    JSON.stringify(model, (name, value) =>
      ['badPolls', 'taken', 'muted', 'call'].includes(name) ? undefined : value,
    ),
  )

async function expectLastWords(model: Model): Promise<void> {
  const { names } = model
  const lastOf = new Map([...model.channels.standing.values()].map((one) => [one.model.cardId, one]))
  for (const [cardId, { model: shown }] of lastOf) {
    if (maintenanceOf(shown)) continue
    const found = await model.store.watching.cards.find(WORKSPACE, cardId)
    if (!found) throw new Error(`There is no card ${cardId}.`)
    // What a channel does not watch any more is left as it was then, and says so.
    if (found.card.unwatchedAt) {
      expect(shown.unwatchedAt).toBeDefined()
      continue
    }
    expect(asShown(shown)).toEqual(asShown(await inTurns(cardModel(found))))
    for (const outage of found.outages) expectState(model, outage, names.get(outage.id) ?? '')
    if (shown.kind === 'blind') continue
    expectSaid(model, found, shown)
    expectHandedOver(model, found, shown)
  }
}

/** Who is on it has said so, and nobody is from whom it was taken over; the thread keeps each, and whose it was before. */
function expectHandedOver(
  { calls, names, channels, isSetBack }: Model,
  { card, outages }: CardWithOutages,
  shown: CardModel,
): void {
  const { id, channelId, takings = [], reason } = card
  const all = calls.takings(channelId)
  const said = takings.map(({ name, at, from }) => ({ name, at: at.toISOString(), from }))
  for (const one of said) expect(all.map((taking) => taking.said)).toContainEqual(one)
  for (const one of all) if (one.cardId === id) expect(said).toContainEqual(one.said)
  expect(said.map(({ at }) => at)).toEqual(unique(said.map(({ at }) => at)))
  const taken = 'acknowledged' in shown ? shown.acknowledged : undefined
  if (taken) expect(said.at(-1)).toMatchObject({ name: taken.name })
  const open = outages.flatMap((one) => (one.endedAt ? [] : (names.get(one.id) ?? '')))
  const left = all.findLastIndex(({ over, outages: of }) => over && open.every((name) => of.includes(name)))
  const who = all[left]?.over ?? ''
  const isAgain = all.slice(left + 1).some(({ by }) => by === who)
  if (who && open.length > 0 && !isAgain && !isSetBack()) expect(taken?.by, `on ${id}`).not.toBe(who)
  const isPressed = all.some((one) => one.cardId === id)
  if (reason !== 'replaced') expectThread(channels, id, said, isPressed)
}

interface Said {
  name: string
  at: string
  from: string | undefined
}

/** What is posted gets its thread with the next change. */
function expectThread(
  { standing, threads, excused }: Model['channels'],
  id: string,
  said: readonly Said[],
  isPressed: boolean,
): void {
  const [ts] = [...standing].find(([, one]) => one.model.cardId === id) ?? []
  const reply = [...threads.values()].find((one) => one.cardTs === ts && one.text.startsWith('{'))
  if (!reply && (!isPressed || excused.has(id))) return
  const { lines }: DetailsModel = JSON.parse(reply?.text ?? '{"lines":[]}')
  const told = lines.filter(({ what }) => what === 'acknowledged')
  expect(told.map(({ byName: name, at, from }) => ({ name, at, from }))).toEqual(said.toSorted(byTime))
}

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)]

const byTime = (one: Said, other: Said): number => (one.at < other.at ? -1 : 1)

/** What a card says of mutes, of who is on it, and of whom it calls. */
function expectSaid(
  { names, reference, calls }: Model,
  { card, outages }: CardWithOutages,
  shown: CardModel,
): void {
  const { id, channelId, closedAt, kind } = card
  const open = outages.filter(({ endedAt }) => !endedAt)
  const about = kind === 'storm' || kind === 'still-down' ? open : outages.slice(-1)
  const isSilent =
    !closedAt && about.length > 0 && about.every(({ check }) => reference.isMuted(channelId, check.uuid))
  expect({ id, isSilent: 'muted' in shown }).toEqual({ id, isSilent })
  const isTaken = open.length > 0 && open.every((one) => calls.isTaken(channelId, names.get(one.id) ?? ''))
  const people = 'acknowledged' in shown ? [shown.acknowledged, ...(shown.alsoOnIt ?? [])] : []
  const named = people.map((one) => one?.by)
  const takings = isTaken ? calls.takings(channelId) : []
  for (const one of takings.length > 0 ? open : []) {
    const last = takings.findLast(({ outages: of }) => of.includes(names.get(one.id) ?? ''))
    expect(named, `who is on ${names.get(one.id)}`).toContain(last?.by)
  }
  if ('acknowledged' in shown || open.length === 0) expect(shown).not.toHaveProperty('call')
}

/** What went on through a mute or maintenance is told at its end, as often as one has ended and no more. */
async function expectRetold({ channels, store, reference, names }: Model): Promise<void> {
  const times = new Map<string, number>()
  for (const id of channels.posted.keys()) {
    const found = await store.watching.cards.find(WORKSPACE, id)
    const { reason = '', channelId = '' } = found?.card ?? {}
    if (!['mute-ended', 'maintenance-over'].includes(reason)) continue
    for (const outage of found?.outages ?? []) {
      const key = `${channelId} ${names.get(outage.id)}`
      times.set(key, (times.get(key) ?? 0) + 1)
    }
  }
  for (const [key, many] of times) {
    const [channel = '', ...name] = key.split(' ')
    expect({ key, many }).toEqual({
      key,
      many: Math.min(many, reference.unsilenced(channel, name.join(' '))),
    })
  }
}

/** Whoever is to be called about what goes on, and nobody is on, was called. */
async function expectCalled(model: Model): Promise<void> {
  const { channels, store, reference, names, isSetBack, now } = model
  if (isSetBack()) return
  const long = new Date(now().getTime() - CALLED_AFTER * 60_000)
  for (const id of channels.posted.keys()) {
    const found = await store.watching.cards.find(WORKSPACE, id)
    if (!found || found.card.closedAt || found.card.acknowledged || found.card.openedAt > long) continue
    const { channelId } = found.card
    const own = new Set(found.outages.map((outage) => names.get(outage.id)))
    for (const name of reference.calling(channelId, CALLED_AFTER))
      if (own.has(name)) await expectCalledAbout(model, found.card, name)
  }
}

/** The cards of a channel that go on and tell of an outage: one of them calls about it. */
async function tellingOf({ channels, store, names }: Model, channelId: string, name: string) {
  const ids: string[] = []
  for (const id of channels.posted.keys()) {
    const found = await store.watching.cards.find(WORKSPACE, id)
    const isHere = found?.card.channelId === channelId && !found.card.closedAt
    if (isHere && found.outages.some((outage) => names.get(outage.id) === name)) ids.push(id)
  }
  return ids
}

async function expectCalledAbout(model: Model, { channelId }: CardState, name: string): Promise<void> {
  const { reference, calls } = model
  const [uuid = '', status = '', number = '0'] = name.split(' ')
  // Who is on it may be so on a card that tells of it alone.
  if (reference.isMuted(channelId, uuid) || calls.isTaken(channelId, name)) return
  // What was called about within the hour is not called about again.
  const same = Array.from({ length: Number(number) }, (_, index) => `${uuid} ${status} ${index + 1}`)
  const telling = await tellingOf(model, channelId, name)
  for (const who of WHO) {
    const isCalled =
      telling.some((id) => calls.isCalledOn(id, who)) ||
      same.some((one) => calls.about(channelId, who).has(one))
    expect({ channelId, name, who, isCalled }).toEqual({ channelId, name, who, isCalled: true })
  }
}

interface MaintenanceShown {
  kind: 'maintenance'
  window: { id: string; state: string }
  closedAt?: string
  unwatchedAt?: string
}

/** The renderer of the model writes down what it is given. */
const maintenanceOf = (shown: object): MaintenanceShown | undefined =>
  'kind' in shown && shown.kind === 'maintenance' ? (shown as MaintenanceShown) : undefined

/** One card a window in each channel that it concerns, which says how it stands. */
function expectMaintenance({ channels, planned, reference, now }: Model): void {
  const standing = [...channels.standing.values()].flatMap(({ channelId, model }) => {
    const shown = maintenanceOf(model)
    // What a channel does not watch any more is left as it was then.
    return shown && !shown.unwatchedAt ? [{ channelId, shown }] : []
  })
  const late = [...planned.windows.values()].filter(({ to }) => to < now())
  expect(late, 'maintenance that goes on after its end').toEqual([])
  const keys = standing.map(({ channelId, shown }) => `${channelId} ${shown.window.id}`)
  expect(keys).toEqual([...new Set(keys)])
  for (const { channelId, shown } of standing) {
    const window = planned.windows.get(shown.window.id)
    const isWatched = window && reference.watches(channelId, window.covers)
    if (!window && !shown.closedAt) expect(shown).toMatchObject({ window: { state: 'over' } })
    if (window && isWatched)
      expect({ channelId, state: shown.window.state, from: window.from, now: now() }).toMatchObject({
        state: window.hasBegun() ? 'running' : 'announced',
      })
  }
}

function expectState(model: Model, outage: Outage, name: string): void {
  const [uuid, status, number] = name.split(' ')
  const isOpen = model.reference.isOpen(`${uuid} ${status}`, Number(number))
  expect({ name, isOpen: outage.endedAt === undefined }).toEqual({ name, isOpen })
}

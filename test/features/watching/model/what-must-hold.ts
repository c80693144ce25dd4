import { expect } from 'vitest'
import { inTurns } from '../../../../packages/runtime/src/turns.ts'
import { type Outage, type PollFailure, WATCHED_STATUSES } from '../../../../src/domain/outages/outage.ts'
import type { CardWithOutages } from '../../../../src/features/watching/rules/card.ts'
import type { CardModel } from '../../../../src/features/watching/rules/card-model.ts'
import { cardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { flipsOf } from '../../../../src/features/watching/rules/noise.ts'
import { muteOf } from '../../../../src/features/watching/rules/subjects.ts'
import { CHANNELS, type Model } from './model.ts'

const WORKSPACE = 'T1'

/** What must be so once everything has been quiet for a while: each told once, nothing else, and every last word true. */
export async function holds(model: Model): Promise<void> {
  expect(model.faults).toEqual([])
  await expectTold(model)
  await expectLastWords(model)
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
    if (found && found.card.kind !== 'still-down') expectOfItsOwn(found)
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

/** The outages of each check and status, in order, as the reference numbers them. */
async function numbersOf({ store, now }: Model): Promise<Map<string, string>> {
  const all = await store.watching.history.outages({
    workspaceId: WORKSPACE,
    environment: 'production',
    from: new Date(0),
    to: new Date(now().getTime() + 1),
    statuses: WATCHED_STATUSES,
    limit: 10_000,
  })
  const names = new Map<string, string>()
  for (const [key, own] of Map.groupBy(all, ({ check, status }) => `${check.uuid} ${status}`))
    for (const [index, { id }] of own.entries()) names.set(id, `${key} ${index + 1}`)
  return names
}

async function expectTold(model: Model): Promise<void> {
  const names = await numbersOf(model)
  const told = new Map<string, string[]>(CHANNELS.map((channel) => [channel, []]))
  /** What a card was posted for; what is muted comes by an edit alone. */
  const first = new Set<string>()
  for (const id of model.channels.posted.keys()) {
    const found = await model.store.watching.cards.find(WORKSPACE, id)
    // What a mute kept back, or what was down when it ended, is told once more then.
    if (!found || found.card.kind === 'still-down') continue
    first.add(names.get(found.outages[0]?.id ?? '') ?? '?')
    for (const outage of found.outages) told.get(found.card.channelId)?.push(names.get(outage.id) ?? '?')
  }
  for (const channel of CHANNELS) {
    const own = told.get(channel) ?? []
    expect(new Set(own).size, `twice in ${channel}`).toBe(own.length)
    const late = await toldLate(model, channel, names)
    const wanted = model.reference.told(channel)
    const muted = model.reference.silenced(channel)
    const isEdit = (name: string): boolean => muted.has(name) && !wanted.has(name) && !first.has(name)
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

/** How many bad polls it came to is written when an outage pauses, and shown by no card. */
const asShown = (model: CardModel): unknown =>
  JSON.parse(JSON.stringify(model, (name, value) => (name === 'badPolls' ? undefined : value)))

async function expectLastWords(model: Model): Promise<void> {
  const names = await numbersOf(model)
  const mutes = await model.store.watching.mutes.list(WORKSPACE)
  const lastOf = new Map([...model.channels.standing.values()].map((one) => [one.model.cardId, one]))
  for (const [cardId, { channelId, model: shown }] of lastOf) {
    const found = await model.store.watching.cards.find(WORKSPACE, cardId)
    if (!found) throw new Error(`There is no card ${cardId}.`)
    // What a channel does not watch any more is left as it was then, and says so.
    if (found.card.unwatchedAt) {
      expect(shown.unwatchedAt).toBeDefined()
      continue
    }
    const own = mutes.filter((mute) => mute.channelId === channelId)
    const last = found.outages.at(-1)
    const mute = last && muteOf(own, last.check, model.now())
    const wanted = await inTurns(cardModel(found, mute ? { muted: mute } : {}))
    expect(asShown(shown)).toEqual(asShown(wanted))
    for (const outage of found.outages) expectState(model, outage, names.get(outage.id) ?? '')
  }
}

function expectState(model: Model, outage: Outage, name: string): void {
  const [uuid, status, number] = name.split(' ')
  const isOpen = model.reference.isOpen(`${uuid} ${status}`, Number(number))
  expect({ name, isOpen: outage.endedAt === undefined }).toEqual({ name, isOpen })
}

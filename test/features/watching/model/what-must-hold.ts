import { expect } from 'vitest'
import type { CardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import {
  coversCheck,
  findMatchingWatches,
  prepareWatch,
} from '../../../../src/features/watching/rules/subjects.ts'
import type { Model } from './model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

/** The UUIDs that a message says are down. A reminder repeats what other messages say. */
function downIn(model: CardModel): string[] {
  if (model.kind === 'outage') return model.state === 'down' ? [model.check.uuid] : []
  if (model.kind !== 'many' || model.reason === 'reminder') return []
  return model.rows.flatMap(({ check, endedAt, listed }) =>
    !endedAt && listed === 'here' ? [check.uuid] : [],
  )
}

/** What is down and seen, by what is stored of the polls. */
async function openIn({ store, now }: Model) {
  const to = new Date(now().getTime() + 365 * 24 * 3_600_000)
  const all = await store.watching.history.outages({ ...SCOPE, from: new Date(0), to, limit: 10_000 })
  return all.filter(({ endedAt }) => !endedAt)
}

/** Whether a silence of the channel covers it, by what is stored. */
async function silencesOf({ store }: Model, channelId: string) {
  const silences = await store.watching.silences.list('T1', { channelId })
  return silences.filter(({ state }) => state === 'running').map(({ about }) => about)
}

/**
 * Once all is quiet: every outage that is open, wanted, unsilenced, and reachable is on exactly one message of its channel, nothing else
 * is said to be down, nothing was posted twice, and nobody was called twice about the same step.
 */
export async function holds(model: Model): Promise<void> {
  const { store, channels } = model
  expect(model.faults).toEqual([])
  // A message that somebody deleted is posted again with its next change.
  const isDeleted = channels.excused.size > 0
  const open = await openIn(model)
  const openUuids = new Set(open.map(({ check }) => check.uuid))
  const polling = await store.watching.history.polling('T1', 'production')
  const watches = await store.watching.watches.list('T1')
  for (const channelId of ['C1', 'C2', 'C3']) {
    const own = watches.filter((watch) => watch.channelId === channelId)
    if (own.some(({ paused }) => paused)) continue
    const ready = own.map(prepareWatch)
    const silences = await silencesOf(model, channelId)
    const said = [...channels.standing.values()]
      .filter((one) => one.channelId === channelId)
      .flatMap((one) => downIn(one.model))
    expect(new Set(said).size, `${channelId} says twice that something is down: ${said}`).toBe(said.length)
    for (const uuid of said) expect(openUuids, `${channelId} says that ${uuid} is down`).toContain(uuid)
    for (const { id, check } of open) {
      // A status that says neither up nor down adds no bad poll, so a watch that wants several may never have them.
      const isOdd = model.checks.statuses.get(check.uuid) === 'ODD'
      const asking = findMatchingWatches(ready, check).filter(
        ({ watch }) => !watch.baseline.includes(id) && !(isOdd && watch.afterBadPolls > 1),
      )
      const isSilenced = silences.some((about) => coversCheck(about, check))
      if (findMatchingWatches(ready, check).length === 0)
        expect(said, `${channelId} does not watch ${check.name}`).not.toContain(check.uuid)
      // After so many minutes, every watch has had its bad polls.
      if (asking.length > 0 && !isSilenced && !isDeleted && polling && !polling.isBlind)
        expect(said, `${channelId} says that ${check.name} is down`).toContain(check.uuid)
    }
  }
  const doubled = [...channels.posted].filter(
    ([card, times]) => times > 1 + (channels.excused.get(card) ?? 0),
  )
  expect(doubled).toEqual([])
  const marks = [...channels.threads.values()].map(({ mark }) => mark)
  expect(marks.filter((mark, at) => marks.indexOf(mark) !== at)).toEqual([])
}

/** While nothing can be seen, each channel that watches says so, and why. */
export async function holdsBlind({ channels, store }: Model, why: string): Promise<void> {
  for (const { channelId, paused } of await store.watching.watches.list('T1')) {
    if (paused) continue
    const blind = [...channels.standing.values()].filter(
      ({ model, ...one }) =>
        one.channelId === channelId && model.kind === 'blind' && !model.endedAt && !model.unwatchedAt,
    )
    expect(
      blind.map(({ model }) => model.kind === 'blind' && model.why),
      channelId,
    ).toEqual([why])
  }
}

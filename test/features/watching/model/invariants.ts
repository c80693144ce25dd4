import { expect } from 'vitest'
import type { CardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import {
  coversCheck,
  findMatchingWatches,
  prepareWatch,
} from '../../../../src/features/watching/rules/matching.ts'
import type { Model } from './model.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const

/** The UUIDs that a card lists as down. */
const listDown = ({ kind, rows }: CardModel): string[] =>
  kind === 'card' ? rows.flatMap(({ check, isDown }) => (isDown ? [check.uuid] : [])) : []

/** The stored outages of checks that are down. */
async function readOpenOutages({ store, now }: Model) {
  const to = new Date(now().getTime() + 365 * 24 * 3_600_000)
  const all = await store.watching.history.listOutages({ ...SCOPE, from: new Date(0), to, limit: 10_000 })
  return all.filter(({ endedAt }) => !endedAt)
}

/** The subjects of the channel's running silences. */
async function readRunningSilences({ store }: Model, channelId: string) {
  const silences = await store.watching.silences.list('T1', { channelId })
  return silences.filter(({ state }) => state === 'running').map(({ subject }) => subject)
}

/**
 * Checks all channels, after some minutes without new events. Exactly one message lists each open outage that the channel watches,
 * unless the outage is silenced or the channel can't be reached. No message lists anything else as down, nothing was posted twice, and
 * nobody was paged twice for the same step.
 */
export async function expectCorrectMessages(model: Model): Promise<void> {
  const { store, channels } = model
  expect(model.faults).toEqual([])
  // A deleted message is posted again only with its next change.
  const isDeleted = channels.deletions.size > 0
  const open = await readOpenOutages(model)
  const openUuids = new Set(open.map(({ check }) => check.uuid))
  const polling = await store.watching.history.findPollStatus('T1', 'production')
  const watches = await store.watching.watches.list('T1')
  for (const channelId of ['C1', 'C2', 'C3']) {
    const channelWatches = watches.filter((watch) => watch.channelId === channelId)
    if (channelWatches.some(({ paused }) => paused)) continue
    const prepared = channelWatches.map(prepareWatch)
    const silences = await readRunningSilences(model, channelId)
    const listedDown = [...channels.messages.values()]
      .filter((message) => message.channelId === channelId)
      .flatMap((message) => listDown(message.model))
      // Seeing the checks isn't a check.
      .filter((uuid) => uuid !== '')
    expect(new Set(listedDown).size, `${channelId} says twice that something is down: ${listedDown}`).toBe(
      listedDown.length,
    )
    for (const uuid of listedDown) expect(openUuids, `${channelId} says that ${uuid} is down`).toContain(uuid)
    const adopted = new Set(
      (
        await Promise.all(
          channelWatches.map(
            async (watch) => (await store.watching.watches.findAlreadyDown(watch))?.adopted ?? [],
          ),
        )
      )
        .flat()
        .map(({ id }) => id),
    )
    for (const { id, check } of open) {
      // A status that is neither up nor down doesn't count as a bad poll, so a watch that waits for several may never report it.
      const isOdd = model.checks.statuses.get(check.uuid) === 'ODD'
      const notifying = findMatchingWatches(prepared, check).filter(
        ({ watch }) => !adopted.has(id) && !(isOdd && watch.afterBadPolls > 1),
      )
      const isSilenced = silences.some((subject) => coversCheck(subject, check))
      if (findMatchingWatches(prepared, check).length === 0)
        expect(listedDown, `${channelId} does not watch ${check.name}`).not.toContain(check.uuid)
      // The quiet minutes are long enough for every watch to confirm the outage.
      if (notifying.length > 0 && !isSilenced && !isDeleted && polling && !polling.unseen)
        expect(listedDown, `${channelId} says that ${check.name} is down`).toContain(check.uuid)
    }
  }
  const postedTwice = [...channels.posted].filter(
    ([card, times]) => times > 1 + (channels.deletions.get(card) ?? 0),
  )
  expect(postedTwice).toEqual([])
}

/** Checks that, while the service can't be reached, each watching channel has one message with the reason. */
export async function expectBlindMessages({ channels, store }: Model, reason: string): Promise<void> {
  for (const { channelId, paused } of await store.watching.watches.list('T1')) {
    if (paused) continue
    const blind = [...channels.messages.values()]
      .filter((message) => message.channelId === channelId)
      .filter(({ model }) => model.kind === 'card')
      .flatMap(({ model }) => model.rows.filter(({ check, isDown }) => check.uuid === '' && isDown))
    expect(
      blind.map(({ failure }) => failure),
      channelId,
    ).toEqual([reason])
  }
}

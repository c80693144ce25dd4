import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  schedule,
  selectRows,
  updateRows,
} from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../../../domain/environment.ts'
import type { OnIt, OnItChange, Outage } from '../../../../domain/outages/outage.ts'
import { OUTAGE, WATCH_CLOCK_TIMES } from '../../rows/columns.ts'
import { inBatches } from '../../rows/pages.ts'
import { toOutage, toWatchChannel, type WatchScope } from '../../rows/row.ts'
import { readNow, updateChannels } from '../../rows/update-channels.ts'
import { WATCH_WORK, watchingLock } from '../../rows/watch-work.ts'

interface Person {
  readonly userId: string
  readonly name: string
}

/** The card whose button was pressed. */
export interface PressedCard {
  readonly cardId: string
  /** Limits the change to the outages that this version of the card showed. Undefined: all that it shows now. */
  readonly version?: number | undefined
}

/**
 * `taken`: the person is now on the outages. `over`: every outage has ended. `gone`: the card is no longer stored. `takenBy`: who
 * is already on them. Stored as JSON.
 */
type AcknowledgeOutcome = 'taken' | 'over' | 'gone' | { readonly takenBy: OnIt }

/** Reads and changes who has acknowledged (“is on”) which outages. */
export function createAcknowledgmentStore({ rows, withLock }: Database, time: DatabaseTime) {
  const withCardOutages = <T>(
    workspaceId: string,
    pressed: PressedCard,
    change: (rows: Rows, scope: WatchScope, listed: CardOutage[] | undefined) => Promise<T>,
  ): Promise<T> =>
    withLock(watchingLock(workspaceId), async (transaction) => {
      const found = await readCardOutages(transaction, workspaceId, pressed)
      // Without a card there are no outages to change, so any environment will do.
      return change(transaction, found?.scope ?? { workspaceId, environment: 'production' }, found?.listed)
    })

  return {
    /**
     * Acknowledges the card's outages that nobody is on. If there are none, takes over the outages that `takeOverFrom` is on, or
     * changes nothing if it is undefined.
     */
    acknowledge: (
      workspaceId: string,
      pressed: PressedCard,
      { userId, name }: Person,
      takeOverFrom?: string,
    ): Promise<AcknowledgeOutcome> =>
      withCardOutages(workspaceId, pressed, async (transaction, scope, listed) => {
        if (!listed) return 'gone'
        const open = listed.filter(({ outage }) => !outage.endedAt)
        if (open.length === 0) return 'over'
        const available = selectAvailable(open, userId, takeOverFrom)
        if (available.length === 0) return findWhoIsOnIt(open, userId)
        await saveAcknowledgments(transaction, time, scope, available, {
          userId,
          name,
          cardIds: [pressed.cardId],
        })
        return 'taken'
      }),

    /** Steps down from a card's outages, which restarts escalation at the first step. Returns the number of outages. */
    stepDown: (workspaceId: string, pressed: PressedCard, { userId, name }: Person): Promise<number> =>
      withCardOutages(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const personOutages = listed.filter(
          ({ outage: { onIt, endedAt } }) => !endedAt && onIt?.by === userId,
        )
        await releaseOutages(transaction, time, scope, personOutages, {
          by: userId,
          name,
          kind: 'stepped-down',
        })
        return personOutages.length
      }),

    /** Hands over the card's outages that `from` is on. Returns the number of outages. */
    handOver: (workspaceId: string, pressed: PressedCard, from: string, to: Person): Promise<number> =>
      withCardOutages(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const personOutages = listed.filter(({ outage: { onIt, endedAt } }) => !endedAt && onIt?.by === from)
        if (personOutages.length > 0)
          await saveAcknowledgments(transaction, time, scope, personOutages, {
            ...to,
            cardIds: [pressed.cardId],
          })
        return personOutages.length
      }),

    /** Hands over the outages with these IDs that `from` is on. Returns their IDs. */
    handOverOutages: (
      scope: WatchScope,
      ids: readonly string[],
      from: string,
      to: Person,
    ): Promise<readonly string[]> =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        const requestedIds = new Set(ids)
        const personOutages = (await readAcknowledged(transaction, scope)).filter(
          ({ outage: { id, onIt } }) => requestedIds.has(id) && onIt?.by === from,
        )
        if (personOutages.length === 0) return []
        const cardIds = await findCards(transaction, personOutages)
        await saveAcknowledgments(transaction, time, scope, personOutages, { ...to, cardIds })
        return personOutages.map(({ outage }) => outage.id)
      }),

    /** Ends all acknowledgments of a person who has left. Returns the number of outages. */
    removePerson: (workspaceId: string, userId: string): Promise<number> =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        let count = 0
        for (const environment of ENVIRONMENTS) {
          const scope = { workspaceId, environment }
          const personOutages = (await readAcknowledged(transaction, scope)).filter(
            ({ outage }) => outage.onIt?.by === userId,
          )
          const name = personOutages[0]?.outage.onIt?.name ?? ''
          await releaseOutages(transaction, time, scope, personOutages, { by: userId, name, kind: 'left' })
          count += personOutages.length
        }
        return count
      }),

    /**
     * Finds the card's open outages that this person is on. `onItMs` is the time since they acknowledged the first one. Undefined
     * if there are none.
     */
    async findAcknowledged(workspaceId: string, pressed: PressedCard, userId: string) {
      const found = await readCardOutages(rows, workspaceId, pressed)
      if (!found) return undefined
      const outages = found.listed.flatMap(({ outage }) =>
        !outage.endedAt && outage.onIt?.by === userId ? [outage] : [],
      )
      if (outages.length === 0) return undefined
      const now = await readTime(rows, time)
      const since = Math.min(...outages.map(({ onIt }) => onIt?.at.getTime() ?? now.getTime()))
      return { channel: found.scope, outages, onItMs: Math.max(0, now.getTime() - since) }
    },

    /** The channels that list these outages now, by outage. */
    async listChannels(
      workspaceId: string,
      outageIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const channels = new Map<string, string[]>()
      for await (const ids of inBatches(outageIds)) {
        const alerts = selectRows(rows, 'watch_alert', { workspace_id: workspaceId, removed_at: null })
        for (const { outage_id, channel_id } of await alerts.where('outage_id', 'in', ids).execute())
          channels.set(outage_id, [...(channels.get(outage_id) ?? []), channel_id])
      }
      return channels
    },

    /** Lists the open outages that anyone is on, newest first. */
    async listAcknowledged(
      workspaceId: string,
    ): Promise<readonly { environment: Environment; outage: Outage }[]> {
      const found = await selectRows(rows, 'watch_outage', { workspace_id: workspaceId, ended_at: null })
        .where('on_it', 'is not', null)
        .orderBy('started_at', 'desc')
        .execute()
      return found.map((row) => ({ environment: row.environment, outage: toOutage(row) }))
    },

    /** Lists the open outages that this person is on, newest first. */
    async listAcknowledgedBy(workspaceId: string, userId: string, limit: number) {
      const acknowledged = await this.listAcknowledged(workspaceId)
      return acknowledged.filter(({ outage }) => outage.onIt?.by === userId).slice(0, limit)
    },
  }
}

interface CardOutage {
  readonly outage: Outage
  /** When it began, on the watch clock, which counts only observed time. */
  readonly startedClockMs: number
}

const toCardOutage = (
  row: Parameters<typeof toOutage>[0] & Parameters<typeof WATCH_CLOCK_TIMES.parse>[0],
): CardOutage => ({
  outage: OUTAGE.parse(row),
  startedClockMs: WATCH_CLOCK_TIMES.parse(row).startedClockMs,
})

/** The outages that nobody has acknowledged since they went down. If there are none, those that `takeOverFrom` is on. */
function selectAvailable(
  open: readonly CardOutage[],
  userId: string,
  takeOverFrom: string | undefined,
): readonly CardOutage[] {
  const unacknowledged = open.filter(
    ({ outage: { onIt }, startedClockMs }) => !onIt || onIt.clockMs < startedClockMs,
  )
  if (unacknowledged.length > 0 || takeOverFrom === undefined || takeOverFrom === userId)
    return unacknowledged
  return open.filter(({ outage }) => outage.onIt?.by === takeOverFrom)
}

/** Finds the acknowledgment to report: the person's own if there is one, otherwise that of the first outage. */
function findWhoIsOnIt(open: readonly CardOutage[], userId: string): AcknowledgeOutcome {
  const { onIt } = (open.find(({ outage }) => outage.onIt?.by === userId) ?? open[0])?.outage ?? {}
  return onIt ? { takenBy: onIt } : 'over'
}

/** Reads the outages of a card, and its scope. Undefined if the card isn't stored. */
async function readCardOutages(rows: Rows, workspaceId: string, { cardId, version }: PressedCard) {
  const card = await selectRows(rows, 'watch_card', { id: cardId, workspace_id: workspaceId })
    .where('kind', 'in', ['outage', 'reminder'])
    .executeTakeFirst()
  if (!card) return undefined
  const found = await rows
    .selectFrom('watch_card_outage')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
    .innerJoin('watch_alert', 'watch_alert.outage_id', 'watch_outage.id')
    .selectAll('watch_outage')
    .select(['watch_alert.card_version', 'watch_alert.card_id'])
    .where('watch_card_outage.card_id', '=', cardId)
    .where('watch_alert.channel_id', '=', card.channel_id)
    .execute()
  // `card_version` is a version of the card that lists the outage now. If that isn't this card, the versions can't be compared, so
  // the outage counts as shown.
  const isShown = (alert: { card_id: string | null; card_version: number }): boolean =>
    version === undefined || alert.card_id !== cardId || alert.card_version <= version
  return { scope: toWatchChannel(card), listed: found.filter(isShown).map(toCardOutage) }
}

const readAcknowledged = async (
  rows: Rows,
  { workspaceId, environment }: WatchScope,
): Promise<CardOutage[]> =>
  (
    await selectRows(rows, 'watch_outage', { workspace_id: workspaceId, environment, ended_at: null })
      .where('on_it', 'is not', null)
      .execute()
  ).map(toCardOutage)

/** Finds the cards that list these outages now. */
async function findCards(rows: Rows, listed: readonly CardOutage[]): Promise<string[]> {
  const found = new Set<string>()
  for await (const batch of inBatches(listed)) {
    const ids = batch.map(({ outage }) => outage.id)
    const alerts = rows.selectFrom('watch_alert').select('card_id').where('outage_id', 'in', ids)
    for (const { card_id } of await alerts.where('removed_at', 'is', null).execute())
      if (card_id) found.add(card_id)
  }
  return [...found]
}

/** Saves that a person is on these outages, and schedules the daily message that asks whether they still are. */
async function saveAcknowledgments(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  listed: readonly CardOutage[],
  { userId: by, name, cardIds }: Person & { readonly cardIds: readonly string[] },
): Promise<void> {
  const { at, clockMs } = await readNow(rows, time, scope)
  for await (const batch of inBatches(listed))
    for (const { outage } of batch)
      await saveOnIt(rows, outage, { by, name, at, clockMs }, { by, name, at, kind: 'took' })
  const { workspaceId } = scope
  for (const cardId of cardIds) {
    const question = { workspaceId, kind: WATCH_WORK.stillOnIt, key: `${by} ${cardId}` }
    await schedule(rows, time, question, new Date(at.getTime() + DAY_MS))
  }
  await updateChannels(rows, time, scope)
}

const MAX_ON_IT_CHANGES = 50

async function saveOnIt(
  rows: Rows,
  { id, onIt: before, onItChanges = [] }: Outage,
  onIt: OnIt | undefined,
  change: OnItChange,
): Promise<void> {
  const from = change.kind === 'took' && before && before.by !== change.by ? before.name : undefined
  const { on_it, on_it_changes } = OUTAGE.toRow({
    ...EMPTY_OUTAGE,
    onIt,
    onItChanges: [...onItChanges, { ...change, from }].slice(-MAX_ON_IT_CHANGES),
  })
  await updateRows(rows, 'watch_outage', { id }, { on_it, on_it_changes })
}

/** Required by `toRow`. Only `on_it` and `on_it_changes` are written. */
const EMPTY_OUTAGE: Outage = {
  id: '',
  check: { uuid: '', name: '' },
  status: 'UNHEALTHY',
  startedAt: new Date(0),
  isBaseline: false,
  badPolls: 0,
}

/** Removes the acknowledgments of these outages, which restarts escalation at the first step. */
async function releaseOutages(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  listed: readonly CardOutage[],
  change: Pick<OnItChange, 'by' | 'name' | 'kind'>,
): Promise<void> {
  if (listed.length === 0) return
  const { at, clockMs } = await readNow(rows, time, scope)
  for await (const batch of inBatches(listed)) {
    for (const { outage } of batch) await saveOnIt(rows, outage, undefined, { ...change, at })
    const ids = batch.map(({ outage }) => outage.id)
    // As if they were added by an edit now: if nobody takes them within ten minutes, they get a new message.
    await rows
      .updateTable('watch_alert')
      .set({ listed_clock_ms: clockMs, was_added_by_edit: 1 })
      .where('outage_id', 'in', ids)
      .where('removed_at', 'is', null)
      .execute()
    await rows
      .updateTable('watch_escalation')
      .set({ run: sql<number>`run + 1`, step: 0, waited_ms: 0, running_since_ms: null, call_id: null })
      .where('outage_id', 'in', ids)
      .execute()
  }
  await updateChannels(rows, time, scope)
}

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
import { toOutage, toWatchPlace, type WatchScope } from '../../rows/row.ts'
import { readNow, updateChannels } from '../../rows/update-channels.ts'
import { WATCH_WORK, watchingLock } from '../../rows/watch-work.ts'

/** A person who is or was on an outage. */
interface Person {
  readonly userId: string
  readonly name: string
}

/** The card that a button was pressed on. */
export interface PressedCard {
  readonly cardId: string
  /** Only the outages that this version of the card showed. Undefined: all that it shows now. */
  readonly version?: number | undefined
}

/** `over`: every outage has ended. `takenBy`: somebody else is on it. */
type TakeOutcome = 'taken' | 'over' | 'gone' | { readonly takenBy: OnIt }

/** Reads and changes who is on which outages. */
export function createAcknowledgmentStore({ rows, withLock }: Database, time: DatabaseTime) {
  const withCardOutages = <T>(
    workspaceId: string,
    pressed: PressedCard,
    change: (rows: Rows, scope: WatchScope, listed: CardOutage[] | undefined) => Promise<T>,
  ): Promise<T> =>
    withLock(watchingLock(workspaceId), async (transaction) => {
      const found = await readCardOutages(transaction, workspaceId, pressed)
      return change(transaction, found?.scope ?? { workspaceId, environment: 'production' }, found?.listed)
    })

  return {
    /**
     * Takes the outages that the pressed version of the card showed and nobody is on. If somebody else is on all of them,
     * takes over from `takeOverFrom`. Without that, changes nothing.
     */
    take: (
      workspaceId: string,
      pressed: PressedCard,
      { userId, name }: Person,
      takeOverFrom?: string,
    ): Promise<TakeOutcome> =>
      withCardOutages(workspaceId, pressed, async (transaction, scope, listed) => {
        if (!listed) return 'gone'
        const open = listed.filter(({ outage }) => !outage.endedAt)
        if (open.length === 0) return 'over'
        const taken = selectTakeable(open, userId, takeOverFrom)
        if (taken.length === 0) return findWhoIsOnIt(open, userId)
        await saveTaken(transaction, time, scope, taken, { userId, name, cardIds: [pressed.cardId] })
        return 'taken'
      }),

    /** Steps down from a card's outages: escalation starts again from step one. Returns the number of outages. */
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

    /** Hands a card's outages over to somebody else. Returns the number of outages. */
    handOver: (workspaceId: string, pressed: PressedCard, from: string, to: Person): Promise<number> =>
      withCardOutages(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const personOutages = listed.filter(({ outage: { onIt, endedAt } }) => !endedAt && onIt?.by === from)
        if (personOutages.length > 0)
          await saveTaken(transaction, time, scope, personOutages, { ...to, cardIds: [pressed.cardId] })
        return personOutages.length
      }),

    /** Hands these outages over. Returns the IDs of those that `from` was on. */
    handOverOutages: (
      scope: WatchScope,
      ids: readonly string[],
      from: string,
      to: Person,
    ): Promise<readonly string[]> =>
      withLock(watchingLock(scope.workspaceId), async (transaction) => {
        const requestedIds = new Set(ids)
        const personOutages = (await readTaken(transaction, scope)).filter(
          ({ outage: { id, onIt } }) => requestedIds.has(id) && onIt?.by === from,
        )
        if (personOutages.length === 0) return []
        const cardIds = await findCards(transaction, personOutages)
        await saveTaken(transaction, time, scope, personOutages, { ...to, cardIds })
        return personOutages.map(({ outage }) => outage.id)
      }),

    /** Removes a person who has left from all their outages. Returns the number of outages. */
    removePerson: (workspaceId: string, userId: string): Promise<number> =>
      withLock(watchingLock(workspaceId), async (transaction) => {
        let count = 0
        for (const environment of ENVIRONMENTS) {
          const scope = { workspaceId, environment }
          const personOutages = (await readTaken(transaction, scope)).filter(
            ({ outage }) => outage.onIt?.by === userId,
          )
          const name = personOutages[0]?.outage.onIt?.name ?? ''
          await releaseOutages(transaction, time, scope, personOutages, { by: userId, name, kind: 'left' })
          count += personOutages.length
        }
        return count
      }),

    /**
     * The open outages of a card that this person is on, and for how long, counting from the first. Undefined if there are
     * none.
     */
    async findTaken(workspaceId: string, pressed: PressedCard, userId: string) {
      const found = await readCardOutages(rows, workspaceId, pressed)
      if (!found) return undefined
      const outages = found.listed.flatMap(({ outage }) =>
        !outage.endedAt && outage.onIt?.by === userId ? [outage] : [],
      )
      if (outages.length === 0) return undefined
      const now = await readTime(rows, time)
      const since = Math.min(...outages.map(({ onIt }) => onIt?.at.getTime() ?? now.getTime()))
      return { place: found.scope, outages, onItMs: Math.max(0, now.getTime() - since) }
    },

    /** All open outages that somebody is on. */
    async listTaken(workspaceId: string): Promise<readonly { environment: Environment; outage: Outage }[]> {
      const found = await selectRows(rows, 'watch_outage', { workspace_id: workspaceId, ended_at: null })
        .where('on_it', 'is not', null)
        .orderBy('started_at', 'desc')
        .execute()
      return found.map((row) => ({ environment: row.environment, outage: toOutage(row) }))
    },

    /** The open outages that this person is on, newest first. */
    async listTakenBy(workspaceId: string, userId: string, limit: number) {
      const taken = await this.listTaken(workspaceId)
      return taken.filter(({ outage }) => outage.onIt?.by === userId).slice(0, limit)
    },
  }
}

interface CardOutage {
  readonly outage: Outage
  readonly startedClockMs: number
}

const toCardOutage = (
  row: Parameters<typeof toOutage>[0] & Parameters<typeof WATCH_CLOCK_TIMES.parse>[0],
): CardOutage => ({
  outage: OUTAGE.parse(row),
  startedClockMs: WATCH_CLOCK_TIMES.parse(row).startedClockMs,
})

/** Outages that nobody has taken since they last went down; if there are none, those that `takeOverFrom` is on. */
function selectTakeable(
  open: readonly CardOutage[],
  userId: string,
  takeOverFrom: string | undefined,
): readonly CardOutage[] {
  const untaken = open.filter(
    ({ outage: { onIt }, startedClockMs }) => !onIt || onIt.clockMs < startedClockMs,
  )
  if (untaken.length > 0 || takeOverFrom === undefined || takeOverFrom === userId) return untaken
  return open.filter(({ outage }) => outage.onIt?.by === takeOverFrom)
}

/** Who is on it, preferably this person. */
function findWhoIsOnIt(open: readonly CardOutage[], userId: string): TakeOutcome {
  const { onIt } = (open.find(({ outage }) => outage.onIt?.by === userId) ?? open[0])?.outage ?? {}
  return onIt ? { takenBy: onIt } : 'over'
}

/** The outages of a card; undefined if there is no such card. */
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
  // An outage that moved to another card was on this one before.
  const isShown = (alert: { card_id: string | null; card_version: number }): boolean =>
    version === undefined || alert.card_id !== cardId || alert.card_version <= version
  return { scope: toWatchPlace(card), listed: found.filter(isShown).map(toCardOutage) }
}

const readTaken = async (rows: Rows, { workspaceId, environment }: WatchScope): Promise<CardOutage[]> =>
  (
    await selectRows(rows, 'watch_outage', { workspace_id: workspaceId, environment, ended_at: null })
      .where('on_it', 'is not', null)
      .execute()
  ).map(toCardOutage)

/** The cards that list these outages now. */
async function findCards(rows: Rows, listed: readonly CardOutage[]): Promise<string[]> {
  const found = new Set<string>()
  for await (const batch of inBatches(listed)) {
    const ids = batch.map(({ outage }) => outage.id)
    const alerts = rows.selectFrom('watch_alert').select('card_id').where('outage_id', 'in', ids)
    for (const { card_id } of await alerts.where('left_at', 'is', null).execute())
      if (card_id) found.add(card_id)
  }
  return [...found]
}

/** Puts a person on these outages, and schedules the daily message that asks whether they still are. */
async function saveTaken(
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

/** Fills the columns that aren't written. */
const EMPTY_OUTAGE: Outage = {
  id: '',
  check: { uuid: '', name: '' },
  status: 'UNHEALTHY',
  startedAt: new Date(0),
  isBaseline: false,
  badPolls: 0,
}

/** Takes people off these outages, so that escalation starts again from step one. */
async function releaseOutages(
  rows: Rows,
  time: DatabaseTime,
  scope: WatchScope,
  listed: readonly CardOutage[],
  by: Pick<OnItChange, 'by' | 'name' | 'kind'>,
): Promise<void> {
  if (listed.length === 0) return
  const { at, clockMs } = await readNow(rows, time, scope)
  for await (const batch of inBatches(listed)) {
    for (const { outage } of batch) await saveOnIt(rows, outage, undefined, { ...by, at })
    const ids = batch.map(({ outage }) => outage.id)
    await rows
      .updateTable('watch_alert')
      .set({ since_seen: clockMs, is_by_edit: 1 })
      .where('outage_id', 'in', ids)
      .where('left_at', 'is', null)
      .execute()
    await rows
      .updateTable('watch_escalation')
      .set({ run: sql<number>`run + 1`, step: 0, waited_ms: 0, since_seen: null, call_id: null })
      .where('outage_id', 'in', ids)
      .execute()
  }
  await updateChannels(rows, time, scope)
}

import {
  type Database,
  type DatabaseTime,
  type Rows,
  readTime,
  rowsIn,
  schedule,
  updateIn,
} from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { sql } from 'kysely'
import { ENVIRONMENTS, type Environment } from '../../../../domain/environment.ts'
import type { OnIt, Outage, Taking } from '../../../../domain/outages/outage.ts'
import { OUTAGE, SEEN } from '../../rows/columns.ts'
import { batchesOf } from '../../rows/pages.ts'
import { outageOf, type ScopeOf, watchPlaceOf } from '../../rows/row.ts'
import { momentIn, updateChannels } from '../../rows/update-channels.ts'
import { turnOf, WATCH_WORK } from '../../rows/watch-work.ts'

/** Whoever is on an outage, or was. */
interface Person {
  readonly userId: string
  readonly name: string
}

/** What a person may press a button about: a card as they saw it, or one outage. */
export interface Pressed {
  readonly cardId: string
  /** Only what this version of the card showed; all that it shows now unless given. */
  readonly version?: number | undefined
}

/** `over`: all of it has ended. `already`: another person is on it. */
type Taken = 'taken' | 'over' | 'gone' | { readonly already: OnIt }

/** Who is on what is down. */
export function watchPeople({ rows, inTurn }: Database, time: DatabaseTime) {
  const inCard = <T>(
    workspaceId: string,
    pressed: Pressed,
    work: (rows: Rows, scope: ScopeOf, listed: Listed[] | undefined) => Promise<T>,
  ): Promise<T> =>
    inTurn(turnOf(workspaceId), async (transaction) => {
      const found = await readListed(transaction, workspaceId, pressed)
      return work(transaction, found?.scope ?? { workspaceId, environment: 'production' }, found?.listed)
    })

  return {
    /**
     * A person says “I’m on it”: about what the pressed version of the card showed and nobody is on. Where another person is on all of
     * it, `over` says whose place they take; without it nothing changes.
     */
    take: (workspaceId: string, pressed: Pressed, { userId, name }: Person, over?: string): Promise<Taken> =>
      inCard(workspaceId, pressed, async (transaction, scope, listed) => {
        if (!listed) return 'gone'
        const open = listed.filter(({ outage }) => !outage.endedAt)
        if (open.length === 0) return 'over'
        const taken = takeable(open, userId, over)
        if (taken.length === 0) return alreadyOn(open, userId)
        await writeTaken(transaction, time, scope, taken, { userId, name, cardIds: [pressed.cardId] })
        return 'taken'
      }),

    /** A person is on it no longer: escalation starts again from the first step. Returns from how many outages they stepped down. */
    stepDown: (workspaceId: string, pressed: Pressed, { userId, name }: Person): Promise<number> =>
      inCard(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const own = listed.filter(({ outage: { onIt, endedAt } }) => !endedAt && onIt?.by === userId)
        await release(transaction, time, scope, own, { by: userId, name, what: 'stepped-down' })
        return own.length
      }),

    /** Somebody else is on it from now on. Returns how many outages that are. */
    handOver: (workspaceId: string, pressed: Pressed, from: string, to: Person): Promise<number> =>
      inCard(workspaceId, pressed, async (transaction, scope, listed = []) => {
        const own = listed.filter(({ outage: { onIt, endedAt } }) => !endedAt && onIt?.by === from)
        if (own.length > 0)
          await writeTaken(transaction, time, scope, own, { ...to, cardIds: [pressed.cardId] })
        return own.length
      }),

    /** Somebody else is on these outages of an environment from now on. Returns the IDs of those that `from` was on. */
    handOverOutages: (
      scope: ScopeOf,
      ids: readonly string[],
      from: string,
      to: Person,
    ): Promise<readonly string[]> =>
      inTurn(turnOf(scope.workspaceId), async (transaction) => {
        const wanted = new Set(ids)
        const own = (await readTaken(transaction, scope)).filter(
          ({ outage: { id, onIt } }) => wanted.has(id) && onIt?.by === from,
        )
        if (own.length === 0) return []
        const cardIds = await cardsOf(transaction, own)
        await writeTaken(transaction, time, scope, own, { ...to, cardIds })
        return own.map(({ outage }) => outage.id)
      }),

    /** People have left, or can't be reached any more: nobody is on what they were on. Returns from how many outages they were taken. */
    left: (workspaceId: string, userId: string): Promise<number> =>
      inTurn(turnOf(workspaceId), async (transaction) => {
        let count = 0
        for (const environment of ENVIRONMENTS) {
          const scope = { workspaceId, environment }
          const own = (await readTaken(transaction, scope)).filter(({ outage }) => outage.onIt?.by === userId)
          const name = own[0]?.outage.onIt?.name ?? ''
          await release(transaction, time, scope, own, { by: userId, name, what: 'left' })
          count += own.length
        }
        return count
      }),

    /** What a card lists, is down, and this person is on, and for how long at most; undefined where there is nothing. */
    async takenOn(workspaceId: string, pressed: Pressed, userId: string) {
      const found = await readListed(rows, workspaceId, pressed)
      if (!found) return undefined
      const outages = found.listed.flatMap(({ outage }) =>
        !outage.endedAt && outage.onIt?.by === userId ? [outage] : [],
      )
      if (outages.length === 0) return undefined
      const now = await readTime(rows, time)
      const since = Math.min(...outages.map(({ onIt }) => onIt?.at.getTime() ?? now.getTime()))
      return { place: found.scope, outages, heldMs: Math.max(0, now.getTime() - since) }
    },

    /** What is down and somebody is on, with who that is. */
    async taken(workspaceId: string): Promise<readonly { environment: Environment; outage: Outage }[]> {
      const found = await rowsIn(rows, 'watch_outage', { workspace_id: workspaceId, ended_at: null })
        .where('on_it', 'is not', null)
        .orderBy('started_at', 'desc')
        .execute()
      return found.map((row) => ({ environment: row.environment, outage: outageOf(row) }))
    },

    /** What is down and this person is on, newest first. */
    async held(workspaceId: string, userId: string, limit: number) {
      const all = await this.taken(workspaceId)
      return all.filter(({ outage }) => outage.onIt?.by === userId).slice(0, limit)
    },
  }
}

interface Listed {
  readonly outage: Outage
  readonly startedSeen: number
}

const listedOf = (row: Parameters<typeof outageOf>[0] & Parameters<typeof SEEN.of>[0]): Listed => ({
  outage: OUTAGE.of(row),
  startedSeen: SEEN.of(row).startedSeen,
})

/** What nobody is on, or has been only before it went down again; where there is nothing of that, what is taken `over`. */
function takeable(open: readonly Listed[], userId: string, over: string | undefined): readonly Listed[] {
  const free = open.filter(({ outage: { onIt }, startedSeen }) => !onIt || onIt.seen < startedSeen)
  if (free.length > 0 || over === undefined || over === userId) return free
  return open.filter(({ outage }) => outage.onIt?.by === over)
}

/** Who is on it: the person who asks, if they are on any of it. */
function alreadyOn(open: readonly Listed[], userId: string): Taken {
  const { onIt } = (open.find(({ outage }) => outage.onIt?.by === userId) ?? open[0])?.outage ?? {}
  return onIt ? { already: onIt } : 'over'
}

/** What a card lists; undefined when there is no such card. */
async function readListed(rows: Rows, workspaceId: string, { cardId, version }: Pressed) {
  const card = await rowsIn(rows, 'watch_card', { id: cardId, workspace_id: workspaceId })
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
  // What another card lists by now was on this one before that.
  const isShown = (one: { card_id: string | null; card_version: number }): boolean =>
    version === undefined || one.card_id !== cardId || one.card_version <= version
  return { scope: watchPlaceOf(card), listed: found.filter(isShown).map(listedOf) }
}

const readTaken = async (rows: Rows, { workspaceId, environment }: ScopeOf): Promise<Listed[]> =>
  (
    await rowsIn(rows, 'watch_outage', { workspace_id: workspaceId, environment, ended_at: null })
      .where('on_it', 'is not', null)
      .execute()
  ).map(listedOf)

/** The cards that list these outages now. */
async function cardsOf(rows: Rows, listed: readonly Listed[]): Promise<string[]> {
  const found = new Set<string>()
  for await (const some of batchesOf(listed)) {
    const ids = some.map(({ outage }) => outage.id)
    const alerts = rows.selectFrom('watch_alert').select('card_id').where('outage_id', 'in', ids)
    for (const { card_id } of await alerts.where('left_at', 'is', null).execute())
      if (card_id) found.add(card_id)
  }
  return [...found]
}

/** A person is on these from now on, and is asked in a day whether they still are. */
async function writeTaken(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  listed: readonly Listed[],
  { userId: by, name, cardIds }: Person & { readonly cardIds: readonly string[] },
): Promise<void> {
  const { at, seen } = await momentIn(rows, time, scope)
  for await (const some of batchesOf(listed))
    for (const { outage } of some)
      await write(rows, outage, { by, name, at, seen }, { by, name, at, what: 'took' })
  const { workspaceId } = scope
  for (const cardId of cardIds) {
    const question = { workspaceId, kind: WATCH_WORK.onIt, key: `${by} ${cardId}` }
    await schedule(rows, time, question, new Date(at.getTime() + DAY_MS))
  }
  await updateChannels(rows, time, scope)
}

const MOST_TAKINGS = 50

async function write(
  rows: Rows,
  { id, onIt: before, takings = [] }: Outage,
  onIt: OnIt | undefined,
  taking: Taking,
): Promise<void> {
  const from = taking.what === 'took' && before && before.by !== taking.by ? before.name : undefined
  const { on_it, takings: all } = OUTAGE.row({
    ...NO_OUTAGE,
    onIt,
    takings: [...takings, { ...taking, from }].slice(-MOST_TAKINGS),
  })
  await updateIn(rows, 'watch_outage', { id }, { on_it, takings: all })
}

/** Only for the columns about people. */
const NO_OUTAGE: Outage = {
  id: '',
  check: { uuid: '', name: '' },
  status: 'UNHEALTHY',
  startedAt: new Date(0),
  isBaseline: false,
  badPolls: 0,
}

/** Nobody is on them from now on: people are notified again, and the first step begins. */
async function release(
  rows: Rows,
  time: DatabaseTime,
  scope: ScopeOf,
  listed: readonly Listed[],
  by: Pick<Taking, 'by' | 'name' | 'what'>,
): Promise<void> {
  if (listed.length === 0) return
  const { at, seen } = await momentIn(rows, time, scope)
  for await (const some of batchesOf(listed)) {
    for (const { outage } of some) await write(rows, outage, undefined, { ...by, at })
    const ids = some.map(({ outage }) => outage.id)
    await rows
      .updateTable('watch_alert')
      .set({ since_seen: seen, is_by_edit: 1 })
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

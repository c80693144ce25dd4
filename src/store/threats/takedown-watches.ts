import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import type { TakedownNews, TakedownState } from '../../domain/takedown-watch.ts'
import type { CasePerson } from '../../domain/threat-case.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRows } from '../database/delete-rows.ts'
import type { Schema } from '../database/schema.ts'
import type { TakedownWatchRow } from '../database/threat-rows.ts'
import { whileKeyIsHeld } from '../secrets/save-sealed.ts'
import { type Identity, openedOrWhyNot, type TextOpener, type TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { schedule } from '../work/schedule.ts'
import type { AskedEvent } from './cases.ts'
import type { Erased } from './forget-cases.ts'
import { NOBODY } from './without-person.ts'

/** A look at the health check of each watch, again and again. Its key is the watch's id. */
export const TAKEDOWN_WORK = { look: 'threat.takedown' } as const

/** What is kept of a watch beside its names, sealed. */
export interface TakedownContent {
  readonly checkName: string
  readonly target: string
  /** Who began it, and is told where no thread can be. */
  readonly by: CasePerson
  readonly state: TakedownState
  /** How many pieces of news there were; each is told under its number. */
  readonly told: number
  /** What is to be told before the next look. */
  readonly news: readonly TakedownNews[]
}

/** Watches until what a threat event is about is down, and whether it comes back. */
export interface TakedownWatch extends AskedEvent, TakedownContent {
  readonly id: string
  readonly enterpriseId: string | undefined
  /** Empty while the check is being made. */
  readonly checkUuid: string
  readonly madeAt: Date
}

/** What is about one watch throws SealError where that does not open. */
export interface TakedownWatches {
  /** Undefined, too, where a place was held for a check that nobody is making any more. */
  find(asked: AskedEvent): Promise<TakedownWatch | undefined>
  get(workspaceId: string, id: string): Promise<TakedownWatch | undefined>
  /** How many a workspace has, places for those that are being begun among them. */
  count(workspaceId: string): Promise<number>
  /** Those of a workspace that look for longest, without those that do not open. */
  oldest(workspaceId: string, limit: number): Promise<TakedownWatch[]>
  /** Holds the event's place before its check is made. Where it is held already, whoever holds it is returned. */
  reserve(watch: Omit<TakedownWatch, 'checkUuid'>): Promise<TakedownWatch>
  /** The check is there: from now on it is looked at. False when the place is not held any more. */
  begin(watch: TakedownWatch, checkUuid: string): Promise<boolean>
  /** Gives back a place whose check was not made. */
  giveBack(id: string): Promise<void>
  /** Gives back the places that nobody did, because their process died, and says how many. */
  sweep(): Promise<number>
  /** False when it was stopped meanwhile. Who began it stays as it is stored: they may have been erased since it was read. */
  save(watch: TakedownWatch, content: Omit<TakedownContent, 'by'>): Promise<boolean>
  /** Ends it, and not one that was begun in its place since; the next look finds nothing to do. */
  remove(watch: AskedEvent & { readonly id: string }): Promise<TakedownWatch | undefined>
  /** Takes a person's id and name out of all of a workspace that open. */
  erasePerson(workspaceId: string, userId: string): Promise<Erased>
}

/** A place that is held for so long without a check is held by nobody any more. */
const LEFT_AFTER_MS = 15 * 60_000

const identityOf = (workspaceId: string, id: string): Identity => ['takedown_watch', workspaceId, id]

/** The rows of `takedown_watch`. */
export function takedownWatches(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): TakedownWatches {
  const { rows } = database
  const turnFor = turns(database)

  /** Writes what becomes of the row as it is by then, one change after the other. False when it is not there any more. */
  async function change(
    watch: TakedownWatch,
    next: (current: TakedownWatch) => TakedownContent,
  ): Promise<boolean> {
    const { workspaceId, id } = watch
    return whileKeyIsHeld(turnFor(watch), keys, workspaceId, async (transaction, sealer) => {
      const row = await ofWorkspace(transaction, workspaceId).where('id', '=', id).executeTakeFirst()
      const current = await opened(transaction, keys, row)
      if (!current) return false
      await transaction
        .updateTable('takedown_watch')
        .set({ sealed_state: sealed(current, next(current), sealer) })
        .where('id', '=', id)
        .execute()
      return true
    })
  }

  return {
    save: (watch, content) => change(watch, ({ by }) => ({ ...content, by })),

    find: async (asked) =>
      opened(rows, keys, await eventRows(rows, asked).where(isLive(time)).executeTakeFirst()),

    async get(workspaceId, id) {
      const row = await ofWorkspace(rows, workspaceId).where('id', '=', id).executeTakeFirst()
      return opened(rows, keys, row)
    },

    async oldest(workspaceId, limit) {
      const found = ofWorkspace(rows, workspaceId).where('check_uuid', '<>', '')
      const some = await found.orderBy('made_at').orderBy('id').limit(limit).execute()
      return openedOnes(rows, keys, some)
    },

    async count(workspaceId) {
      const { many } = await rows
        .selectFrom('takedown_watch')
        .select(({ fn }) => fn.countAll().as('many'))
        .where('workspace_id', '=', workspaceId)
        .where(isLive(time))
        .executeTakeFirstOrThrow()
      return Number(many)
    },

    ...takedownPlaces(database, time, keys),

    async erasePerson(workspaceId, userId) {
      const all = await ofWorkspace(rows, workspaceId).execute()
      const open = await openedOnes(rows, keys, all)
      const theirs = open.filter(({ by }) => by.userId === userId)
      for (const watch of theirs) await change(watch, (current) => ({ ...current, by: NOBODY }))
      return { erased: theirs.length, unopened: all.length - open.length }
    },
  }
}

/** Who has an event's place: held before its check is made, so that of two who ask at once one makes it. */
function takedownPlaces(
  database: Database,
  time: DatabaseTime,
  keys: WorkspaceKeys,
): Pick<TakedownWatches, 'reserve' | 'begin' | 'giveBack' | 'sweep' | 'remove'> {
  const { rows, inTurn } = database
  const turnFor = turns(database)
  return {
    async reserve(asked) {
      return whileKeyIsHeld(turnFor(asked), keys, asked.workspaceId, async (transaction, sealer) => {
        const known = await opened(transaction, keys, await rowOf(transaction, asked))
        const isLeft =
          known?.checkUuid === '' && asked.madeAt.getTime() - known.madeAt.getTime() > LEFT_AFTER_MS
        if (known && !isLeft) return known
        if (known) await transaction.deleteFrom('takedown_watch').where('id', '=', known.id).execute()
        const watch = { ...asked, checkUuid: '' }
        await transaction
          .insertInto('takedown_watch')
          .values({
            id: watch.id,
            workspace_id: watch.workspaceId,
            enterprise_id: watch.enterpriseId ?? null,
            environment: watch.environment,
            event_id: watch.eventId,
            check_uuid: '',
            made_at: watch.madeAt.toISOString(),
            sealed_state: sealed(watch, watch, sealer),
          })
          .execute()
        return watch
      })
    },

    begin: (watch, checkUuid) =>
      inTurn(turnOf(watch), async (transaction) => {
        const { workspaceId, id } = watch
        const { numUpdatedRows } = await transaction
          .updateTable('takedown_watch')
          .set({ check_uuid: checkUuid })
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) return false
        await schedule(transaction, time, { workspaceId, kind: TAKEDOWN_WORK.look, key: id })
        return true
      }),

    async giveBack(id) {
      await rows.deleteFrom('takedown_watch').where('id', '=', id).where('check_uuid', '=', '').execute()
    },

    sweep: () => deleteRows(database, 'takedown_watch', (row) => row.not(isLive(time)(row))),

    remove: (asked) =>
      inTurn(turnOf(asked), async (transaction) => {
        const known = await opened(transaction, keys, await rowOf(transaction, asked))
        if (known?.id !== asked.id) return undefined
        await transaction.deleteFrom('takedown_watch').where('id', '=', known.id).execute()
        return known
      }),
  }
}

const opened = async (
  rows: Kysely<Schema>,
  keys: WorkspaceKeys,
  row: TakedownWatchRow | undefined,
): Promise<TakedownWatch | undefined> => row && watchOf(row, await keys.opener(rows, [row.sealed_state]))

async function openedOnes(
  rows: Kysely<Schema>,
  keys: WorkspaceKeys,
  some: readonly TakedownWatchRow[],
): Promise<TakedownWatch[]> {
  const opener = await keys.opener(
    rows,
    some.map((row) => row.sealed_state),
  )
  return some.flatMap((row) => {
    const opened = openedOrWhyNot(() => watchOf(row, opener))
    return 'value' in opened ? [opened.value] : []
  })
}

function sealed({ workspaceId, id }: TakedownWatch, content: TakedownContent, sealer: TextSealer): string {
  const { checkName, target, by, state, told, news } = content
  const body = JSON.stringify({ checkName, target, by, state, told, news })
  return sealer.seal(body, identityOf(workspaceId, id))
}

const turnOf = ({ workspaceId, environment, eventId }: AskedEvent): string =>
  `takedown watch ${workspaceId} ${environment} ${eventId}`

const turns =
  ({ inTurn }: Database) =>
  (asked: AskedEvent) =>
  <T>(work: (transaction: Transaction<Schema>) => Promise<T>): Promise<T> =>
    inTurn(turnOf(asked), work)

const ofWorkspace = (rows: Kysely<Schema>, workspaceId: string) =>
  rows.selectFrom('takedown_watch').selectAll().where('workspace_id', '=', workspaceId)

const eventRows = (rows: Kysely<Schema>, { workspaceId, environment, eventId }: AskedEvent) =>
  ofWorkspace(rows, workspaceId).where('environment', '=', environment).where('event_id', '=', eventId)

const rowOf = (rows: Kysely<Schema>, asked: AskedEvent) => eventRows(rows, asked).executeTakeFirst()

/** Whether it looks, or its check is just being made. */
const isLive = (time: DatabaseTime) => (row: ExpressionBuilder<Schema, 'takedown_watch'>) =>
  row.or([row('check_uuid', '<>', ''), row('made_at', '>', time(-LEFT_AFTER_MS))])

function watchOf(row: TakedownWatchRow, opener: TextOpener): TakedownWatch {
  // Sealed by this store alone, hence of this type; times are text in JSON.
  const content = JSON.parse(
    opener.open(row.sealed_state, identityOf(row.workspace_id, row.id)),
    (key, value) => (TIMES.has(key) && typeof value === 'string' ? new Date(value) : value),
  ) as TakedownContent
  return {
    ...content,
    id: row.id,
    workspaceId: row.workspace_id,
    enterpriseId: row.enterprise_id ?? undefined,
    environment: row.environment,
    eventId: row.event_id,
    checkUuid: row.check_uuid,
    madeAt: new Date(row.made_at),
  }
}

const TIMES = new Set(['at', 'upAt', 'downAt', 'failingSince', 'phaseAt'])

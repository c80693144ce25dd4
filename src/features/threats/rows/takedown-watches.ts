import {
  type Database,
  type DatabaseTime,
  deleteIn,
  isOpened,
  type Rows,
  rowsIn,
  saveSealed,
  schedule,
  sealedRows,
  type TextSealer,
  updateIn,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { TakedownNews, TakedownState } from '../takedown-watch/rules.ts'
import type { AskedEvent } from './cases.ts'
import { ofEvent } from './memory.ts'
import {
  MOST_WATCHES,
  RESERVED_MS,
  TAKEDOWN_WATCH,
  TAKEDOWN_WATCHES,
  type TakedownWatchRow,
} from './tables.ts'

/** Looks at the health check of one watch, again and again. Its key is the watch's id. */
export const TAKEDOWN_WORK = { look: 'threat.takedown' } as const

/** The part of a watch that is stored sealed. */
interface TakedownContent {
  readonly checkName: string
  readonly target: string
  /** The mark of the account in which the check was seen last. */
  readonly account?: string | undefined
  readonly state: TakedownState
  /** How many pieces of news were sent so far; the next one's number is one more. */
  readonly newsSent: number
  /** News to send before the next look. */
  readonly news: readonly TakedownNews[]
}

/** A watch on the site of a threat event: is it taken down, and does it come back? */
export interface TakedownWatch
  extends Omit<ReturnType<typeof TAKEDOWN_WATCH.of>, 'sealedState'>,
    TakedownContent {}

export type TakedownWatches = ReturnType<typeof takedownWatches>

/** A workspace watches as many events as it may. */
export class WatchesFull extends Error {
  override readonly name = 'WatchesFull'
}

const sealedWatches = sealedRows(TAKEDOWN_WATCHES, {
  plain(row: TakedownWatchRow) {
    const { sealedState, ...plain } = TAKEDOWN_WATCH.of(row)
    return plain
  },
  // Sealed by this store alone, hence of this type; times are text in JSON.
  content: (text) =>
    JSON.parse(text, (key, value) =>
      TIMES.has(key) && typeof value === 'string' ? new Date(value) : value,
    ) as TakedownContent,
})

const TIMES = new Set(['at', 'upAt', 'downAt', 'unreachableAt', 'failingSince', 'phaseAt'])

/**
 * The rows of `takedown_watch`. A reservation is a row without a check: it is written before the check is created, so that one of
 * two requests creates it; one that is left behind counts for nothing, and is swept. A method that returns one watch throws SealError where that cannot be decrypted.
 */
export function takedownWatches(database: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const { rows } = database

  return {
    /** False when the watch was stopped meanwhile. */
    save(watch: TakedownWatch, content: TakedownContent): Promise<boolean> {
      const { workspaceId, id } = watch
      const saving = async (transaction: Rows, sealer: TextSealer) => {
        const sealed_state = sealed(watch, content, sealer)
        return (await updateIn(transaction, 'takedown_watch', { id }, { sealed_state })) > 0
      }
      return saveSealed(database, keys, workspaceId, saving, turnOf(watch))
    },

    /** The event's watch or reservation. */
    async find(asked: AskedEvent): Promise<TakedownWatch | undefined> {
      return sealedWatches.one(rows, keys, await rowOf(rows, time, asked))
    },

    async get(workspaceId: string, id: string): Promise<TakedownWatch | undefined> {
      const row = rowsIn(rows, 'takedown_watch', { id, workspace_id: workspaceId })
      return sealedWatches.one(rows, keys, await row.executeTakeFirst())
    },

    /** The oldest watches of a workspace, without those that cannot be decrypted. */
    async oldest(workspaceId: string, limit: number): Promise<TakedownWatch[]> {
      const own = rowsIn(rows, 'takedown_watch', { workspace_id: workspaceId })
      const found = own.where('check_uuid', '<>', '')
      const some = await found.orderBy('made_at').orderBy('id').limit(limit).execute()
      return (await sealedWatches.all(rows, keys, some)).filter(isOpened)
    },

    /** How many watches and reservations a workspace has. */
    count: (workspaceId: string): Promise<number> => countOf(rows, time, workspaceId),

    ...takedownReservations(database, time, keys),
  }
}

function takedownReservations(database: Database, time: DatabaseTime, keys: WorkspaceKeys) {
  const { rows, inTurn } = database
  return {
    /**
     * Reserves the event. Returns the watch or reservation that is there already, where there is one. Throws WatchesFull where there
     * is no room for another.
     */
    async reserve(asked: Omit<TakedownWatch, 'checkUuid'>): Promise<TakedownWatch> {
      const reserving = async (transaction: Rows, sealer: TextSealer) => {
        const known = await sealedWatches.one(transaction, keys, await rowOf(transaction, time, asked))
        if (known) return known
        // One that was left behind.
        await deleteIn(transaction, 'takedown_watch', ofEvent(asked))
        if ((await countOf(transaction, time, asked.workspaceId)) >= MOST_WATCHES) throw new WatchesFull()
        const reservation = { ...asked, checkUuid: '' }
        const sealedState = sealed(reservation, reservation, sealer)
        const row = TAKEDOWN_WATCH.row({ ...reservation, sealedState })
        await transaction.insertInto('takedown_watch').values(row).execute()
        return reservation
      }
      return saveSealed(database, keys, asked.workspaceId, reserving, turnOf(asked))
    },

    /** Turns a reservation into a watch, once the check is created. False when the reservation is gone. */
    begin: (watch: TakedownWatch, checkUuid: string): Promise<boolean> =>
      inTurn(turnOf(watch), async (transaction) => {
        const { workspaceId, id } = watch
        const begun = await updateIn(transaction, 'takedown_watch', { id }, { check_uuid: checkUuid })
        if (begun === 0) return false
        await schedule(transaction, time, { workspaceId, kind: TAKEDOWN_WORK.look, key: id })
        return true
      }),

    /** Deletes a reservation whose check was not created. */
    cancelReservation: (id: string) => deleteIn(rows, 'takedown_watch', { id, check_uuid: '' }),

    /** Deletes the watch of this id, and not a later one of the same event; the next look finds nothing to do. */
    remove: (asked: AskedEvent & { readonly id: string }): Promise<TakedownWatch | undefined> =>
      inTurn(turnOf(asked), async (transaction) => {
        const known = await sealedWatches.one(transaction, keys, await rowOf(transaction, time, asked))
        if (known?.id !== asked.id) return undefined
        await deleteIn(transaction, 'takedown_watch', { id: known.id })
        return known
      }),
  }
}

function sealed({ workspaceId, id }: TakedownWatch, content: TakedownContent, sealer: TextSealer): string {
  const { checkName, target, account, state, newsSent, news } = content
  return sealedWatches.seal({ checkName, target, account, state, newsSent, news }, [workspaceId, id], sealer)
}

/** Of the whole workspace: of two that begin at once only one may have the last place. */
const turnOf = ({ workspaceId }: Pick<AskedEvent, 'workspaceId'>): string =>
  `takedown watches of ${workspaceId}`

async function countOf(rows: Rows, time: DatabaseTime, workspaceId: string): Promise<number> {
  const { many } = await rows
    .selectFrom('takedown_watch')
    .select(({ fn }) => fn.countAll().as('many'))
    .where('workspace_id', '=', workspaceId)
    .where((row) => row.or([row('check_uuid', '<>', ''), row('made_at', '>', time(-RESERVED_MS))]))
    .executeTakeFirstOrThrow()
  return Number(many)
}

const rowOf = (rows: Rows, time: DatabaseTime, asked: AskedEvent) =>
  rowsIn(rows, 'takedown_watch', ofEvent(asked))
    .where((row) => row.or([row('check_uuid', '<>', ''), row('made_at', '>', time(-RESERVED_MS))]))
    .executeTakeFirst()

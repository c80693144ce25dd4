import { createHash } from 'node:crypto'
import { HOUR_MS, newId, toId } from '@signalman/runtime'
import { splitChunks } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import { type Rows, selectRows } from '../database/schema.ts'
import { type Identity, type Sealer, tryOpen } from '../secrets/seal.ts'
import type { InTransaction } from '../secrets/sealed-rows.ts'

export type EphemeralState = ReturnType<typeof createEphemeralState>

const ID = /^[A-Za-z0-9_-]{22}$/
const VALUES_PER_STATEMENT = 200

/** A JSON value of one workspace, until it expires. */
interface State {
  workspaceId: string
  body: unknown
  expiresAt: Date
}

/** Reads and writes rows of `ephemeral_state` by ID. */
function createStateQueries({ rows, relaxed, withLock }: Database, keys: Sealer) {
  const inRelaxedTransaction: InTransaction = (work) => relaxed((rows) => rows.transaction().execute(work))

  /** Stores each text under its ID, replacing an earlier one. Returns the IDs. */
  const store = (
    { workspaceId, expiresAt }: Omit<State, 'body'>,
    jsonById: (rows: Rows) => JsonById | Promise<JsonById>,
    inTransaction = inRelaxedTransaction,
  ): Promise<string[]> =>
    inTransaction(async (transaction) => {
      const newRows = [...(await jsonById(transaction))].map(([id, json]) => ({
        id,
        workspace_id: workspaceId,
        sealed_body: keys.seal(json, stateIdentity(workspaceId, id)),
        expires_at: expiresAt.toISOString(),
      }))
      await transaction
        .insertInto('ephemeral_state')
        .values(newRows)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet(({ ref }) => ({
            sealed_body: ref('excluded.sealed_body'),
            expires_at: ref('excluded.expires_at'),
          })),
        )
        .execute()
      return newRows.map(({ id }) => id)
    })

  /** Finds the unexpired values under these IDs, each as a function that opens it and may throw SealError. */
  async function findUnexpired(
    workspaceId: string,
    ids: readonly string[],
    now: Date,
    db: Rows = rows,
  ): Promise<Map<string, () => unknown>> {
    const found = await selectRows(db, 'ephemeral_state', { workspace_id: workspaceId })
      .where('id', 'in', ids)
      .where('expires_at', '>', now.toISOString())
      .execute()
    const open = ({ id, sealed_body }: { id: string; sealed_body: string }): unknown =>
      JSON.parse(keys.open(sealed_body, stateIdentity(workspaceId, id)))
    return new Map(found.map((row) => [row.id, () => open(row)]))
  }

  return {
    store,
    findUnexpired,
    lockedTransaction:
      (id: string): InTransaction =>
      (work) =>
        withLock(`state ${id}`, work),
  }
}

type JsonById = ReadonlyMap<string, string>

/** State that must survive between two requests. */
export function createEphemeralState(database: Database, keys: Sealer) {
  const { store, findUnexpired, lockedTransaction } = createStateQueries(database, keys)
  return {
    /**
     * Stores a value and returns its ID: 22 characters of `A–Z a–z 0–9 _ -`, 128 random bits. Throws StoreError `bad-value` if
     * the body isn't JSON.
     */
    async save({ body, ...state }: State): Promise<string> {
      const json = jsonText(body, VALUE_NAME)
      const [id = ''] = await store(state, () => new Map([[newId(), json]]))
      return id
    },

    /**
     * Stores a value that many callers may store: equal values of one workspace share a row, which lives for `ttlMs`, or up to
     * an hour less. Storing the same value again extends it at most once an hour.
     */
    async saveOnce({
      workspaceId,
      body,
      now,
      ttlMs,
    }: Omit<State, 'expiresAt'> & { now: Date; ttlMs: number }): Promise<string> {
      const json = jsonText(body, VALUE_NAME)
      const contentId = toId(keys.digest(json, stateIdentity(workspaceId, 'content')))
      // A value that is stored already isn't written again.
      const existing = await database.rows
        .selectFrom('ephemeral_state')
        .select(['id', 'expires_at'])
        .where('id', '=', contentId)
        .executeTakeFirst()
      if (existing && existing.expires_at > new Date(now.getTime() + ttlMs - HOUR_MS).toISOString())
        return existing.id
      const expiresAt = new Date(now.getTime() + ttlMs)
      await store({ workspaceId, expiresAt }, () => new Map([[contentId, json]]))
      return contentId
    },

    /** Stores a value under each of these keys of the workspace, replacing earlier values. */
    async saveByKey(state: Omit<State, 'body'>, byKey: ReadonlyMap<string, unknown>): Promise<void> {
      const jsonEntries = [...byKey].map(
        ([key, body]) => [deriveId(state.workspaceId, key), jsonText(body, VALUE_NAME)] as const,
      )
      for (const chunk of splitChunks(jsonEntries, VALUES_PER_STATEMENT))
        await store(state, () => new Map(chunk))
    },

    /**
     * Replaces the value under a key with the result of `change`. Concurrent changes wait for each other. Expired or
     * unreadable values count as missing. `change` may be called more than once.
     */
    async updateByKey(
      { workspaceId, now, expiresAt }: Omit<State, 'body'> & { now: Date },
      key: string,
      change: (body: unknown) => unknown,
    ): Promise<void> {
      const id = deriveId(workspaceId, key)
      const readAndChange = async (rows: Rows): Promise<string> => {
        const open = (await findUnexpired(workspaceId, [id], now, rows)).get(id)
        const opened = open && tryOpen(open)
        return jsonText(change(opened && 'value' in opened ? opened.value : undefined), VALUE_NAME)
      }
      const readAndChangeById = async (rows: Rows) => new Map([[id, await readAndChange(rows)]])
      await store({ workspaceId, expiresAt }, readAndChangeById, lockedTransaction(id))
    },

    /** Returns the body, or undefined if the ID is unknown, expired, or another workspace's. Throws SealError. */
    find: async (workspaceId: string, id: string, now: Date): Promise<unknown | undefined> =>
      ID.test(id) ? (await findUnexpired(workspaceId, [id], now)).get(id)?.() : undefined,

    /** Returns the unexpired values under these keys, except those that don't open. */
    async findByKeys(
      workspaceId: string,
      stateKeys: readonly string[],
      now: Date,
    ): Promise<Map<string, unknown>> {
      const bodies = new Map<string, unknown>()
      for (const chunk of splitChunks(stateKeys, VALUES_PER_STATEMENT)) {
        const keysById = new Map(chunk.map((key) => [deriveId(workspaceId, key), key]))
        for (const [id, open] of await findUnexpired(workspaceId, [...keysById.keys()], now)) {
          const opened = tryOpen(open)
          if ('value' in opened) bodies.set(keysById.get(id) ?? '', opened.value)
        }
      }
      return bodies
    },
  }
}

/** The name of these values in errors. */
const VALUE_NAME = 'Ephemeral state'

const deriveId = (workspaceId: string, key: string): string =>
  toId(
    createHash('sha256')
      .update(JSON.stringify([workspaceId, key]))
      .digest(),
  )

function stateIdentity(workspaceId: string, id: string): Identity {
  return ['ephemeral_state', workspaceId, id]
}

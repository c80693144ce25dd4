import { createHash } from 'node:crypto'
import { HOUR_MS, idFrom, newId } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import { chunksOf } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import type { EphemeralStateRow, Schema } from '../database/schema.ts'
import { type InTransaction, whileKeyIsHeld } from '../secrets/save-sealed.ts'
import type { Identity, TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'

export interface EphemeralState {
  /**
   * Keeps any JSON value for one workspace until it expires, and returns its id: 22 characters of `A–Z a–z 0–9 _ -`,
   * 128 random bits. Throws StoreError `bad-value` for what JSON cannot hold.
   */
  save(state: { workspaceId: string; body: unknown; expiresAt: Date }): Promise<string>
  /**
   * The same for what many ask to be kept: one row for one value in one workspace, which lives for `liveMs` from now, less
   * an hour at most. To keep again what is kept writes nothing, or its new end once an hour.
   */
  saveOnce(state: { workspaceId: string; body: unknown; now: Date; liveMs: number }): Promise<string>
  /** The body, or undefined when it is unknown here, expired, removed, or another workspace's. Throws SealError. */
  find(workspaceId: string, id: string, now: Date): Promise<unknown | undefined>
  /** The body, for one of several who ask at the same time; for the others, and from then on, it is unknown. */
  take(workspaceId: string, id: string, now: Date): Promise<unknown | undefined>
  remove(workspaceId: string, id: string): Promise<void>
  /** Keeps a value under each key, of this workspace alone, in the place of what was kept there. */
  saveUnder(
    states: { workspaceId: string; expiresAt: Date },
    byKey: ReadonlyMap<string, unknown>,
  ): Promise<void>
  /** What is kept under these keys and has not expired. Throws SealError. */
  findUnder(workspaceId: string, keys: readonly string[], now: Date): Promise<Map<string, unknown>>
}

const ID = /^[A-Za-z0-9_-]{22}$/

/** The rows of `ephemeral_state`: what a button or a window must remember between two requests, and Slack cannot hold. */
export function ephemeralStateStore(database: Database, keys: WorkspaceKeys): EphemeralState {
  const { rows, relaxed } = database
  const inTransaction: InTransaction = (work) => relaxed((rows) => rows.transaction().execute(work))
  const find = async (workspaceId: string, id: string, now: Date): Promise<unknown | undefined> => {
    if (!ID.test(id)) return undefined
    const row = await rows
      .selectFrom('ephemeral_state')
      .select('sealed_body')
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirst()
    if (row === undefined) return undefined
    const opener = await keys.opener(rows, [row.sealed_body])
    return JSON.parse(opener.open(row.sealed_body, stateIdentity(workspaceId, id)))
  }

  return {
    ...statesUnderKeys(rows, inTransaction, keys),

    find,

    async take(workspaceId, id, now) {
      const body = await find(workspaceId, id, now)
      if (body === undefined) return undefined
      // On disk before it is acted on: what was taken is not there again after a power cut.
      const { numDeletedRows } = await rows
        .deleteFrom('ephemeral_state')
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n ? body : undefined
    },

    async save({ workspaceId, body, expiresAt }) {
      const id = newId()
      const json = jsonText(body, 'Ephemeral state')
      await whileKeyIsHeld(inTransaction, keys, workspaceId, (transaction, sealer) =>
        transaction
          .insertInto('ephemeral_state')
          .values(rowOf(sealer, id, workspaceId, json, expiresAt))
          .execute(),
      )
      return id
    },

    async saveOnce({ workspaceId, body, now, liveMs }) {
      const json = jsonText(body, 'Ephemeral state')
      // From memory: to keep again what is kept costs one read.
      const kept = await keptAs(rows, idOf(await keys.sealer(workspaceId), workspaceId, json))
      if (kept && kept.expires_at > new Date(now.getTime() + liveMs - HOUR_MS).toISOString()) return kept.id
      return await whileKeyIsHeld(inTransaction, keys, workspaceId, async (transaction, sealer) => {
        const id = idOf(sealer, workspaceId, json)
        const row = rowOf(sealer, id, workspaceId, json, new Date(now.getTime() + liveMs))
        await transaction
          .insertInto('ephemeral_state')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ expires_at: row.expires_at }))
          .execute()
        return id
      })
    },

    async remove(workspaceId, id) {
      if (!ID.test(id)) return
      await relaxed((rows) =>
        rows
          .deleteFrom('ephemeral_state')
          .where('id', '=', id)
          .where('workspace_id', '=', workspaceId)
          .execute(),
      )
    },
  }
}

function statesUnderKeys(
  rows: Kysely<Schema>,
  inTransaction: InTransaction,
  keys: WorkspaceKeys,
): Pick<EphemeralState, 'saveUnder' | 'findUnder'> {
  return {
    async saveUnder({ workspaceId, expiresAt }, byKey) {
      for (const some of chunksOf([...byKey], IN_A_ROW))
        await whileKeyIsHeld(inTransaction, keys, workspaceId, (transaction, sealer) =>
          transaction
            .insertInto('ephemeral_state')
            .values(
              some.map(([key, body]) => {
                const json = jsonText(body, 'Ephemeral state')
                return rowOf(sealer, idUnder(workspaceId, key), workspaceId, json, expiresAt)
              }),
            )
            .onConflict((conflict) =>
              conflict.column('id').doUpdateSet(({ ref }) => ({
                sealed_body: ref('excluded.sealed_body'),
                expires_at: ref('excluded.expires_at'),
              })),
            )
            .execute(),
        )
    },

    async findUnder(workspaceId, all, now) {
      const found = new Map<string, unknown>()
      for (const some of chunksOf(all, IN_A_ROW)) {
        const keyOf = new Map(some.map((key) => [idUnder(workspaceId, key), key]))
        const there = await rows
          .selectFrom('ephemeral_state')
          .select(['id', 'sealed_body'])
          .where('id', 'in', [...keyOf.keys()])
          .where('workspace_id', '=', workspaceId)
          .where('expires_at', '>', now.toISOString())
          .execute()
        const opener = await keys.opener(
          rows,
          there.map(({ sealed_body }) => sealed_body),
        )
        for (const { id, sealed_body } of there)
          found.set(keyOf.get(id) ?? '', JSON.parse(opener.open(sealed_body, stateIdentity(workspaceId, id))))
      }
      return found
    },
  }
}

const IN_A_ROW = 200

const idUnder = (workspaceId: string, key: string): string =>
  idFrom(
    createHash('sha256')
      .update(JSON.stringify([workspaceId, key]))
      .digest(),
  )

const keptAs = (rows: Kysely<Schema>, id: string) =>
  rows.selectFrom('ephemeral_state').select(['id', 'expires_at']).where('id', '=', id).executeTakeFirst()

/** The same for the same value in the same workspace. */
const idOf = (sealer: TextSealer, workspaceId: string, json: string): string =>
  idFrom(sealer.digest(json, stateIdentity(workspaceId, 'content')))

const rowOf = (
  sealer: TextSealer,
  id: string,
  workspaceId: string,
  json: string,
  expiresAt: Date,
): EphemeralStateRow => ({
  id,
  workspace_id: workspaceId,
  sealed_body: sealer.seal(json, stateIdentity(workspaceId, id)),
  expires_at: expiresAt.toISOString(),
})

function stateIdentity(workspaceId: string, id: string): Identity {
  return ['ephemeral_state', workspaceId, id]
}

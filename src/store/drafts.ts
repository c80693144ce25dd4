import { randomBytes } from 'node:crypto'
import type { Database } from './database.ts'
import { jsonText } from './json.ts'
import type { Identity, Sealer } from './seal.ts'
import { deleteInBatches } from './sweeping.ts'

export interface Drafts {
  /**
   * Keeps any JSON value for one workspace until it expires, and returns its id: 22 characters of `A–Z a–z 0–9 _ -`,
   * 128 random bits. Throws StoreError `bad-value` for what JSON cannot hold.
   */
  save(draft: { workspaceId: string; body: unknown; expiresAt: Date }): Promise<string>
  /** The body, or undefined when it is unknown here, expired, removed, or another workspace's. Throws SealError. */
  find(workspaceId: string, id: string, now: Date): Promise<unknown | undefined>
  /** The body, for one of several who ask at the same time; for the others, and from then on, it is unknown. */
  take(workspaceId: string, id: string, now: Date): Promise<unknown | undefined>
  remove(workspaceId: string, id: string): Promise<void>
  /** Deletes what has expired, and says how many. */
  sweep(now: Date): Promise<number>
}

const ID_BYTES = 16
const ID = /^[A-Za-z0-9_-]{22}$/

/** The rows of `draft`: what a button or a modal must remember between two requests, and Slack must not hold. */
export function draftStore({ rows, relaxed }: Database, sealer: Sealer): Drafts {
  const find = async (workspaceId: string, id: string, now: Date): Promise<unknown | undefined> => {
    if (!ID.test(id)) return undefined
    const row = await rows
      .selectFrom('draft')
      .select('sealed_body')
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .where('expires_at', '>', now.toISOString())
      .executeTakeFirst()
    return row && JSON.parse(sealer.open(row.sealed_body, identityOf(workspaceId, id)))
  }

  return {
    find,

    async take(workspaceId, id, now) {
      const body = await find(workspaceId, id, now)
      if (body === undefined) return undefined
      // On disk before it is acted on: what was taken is not there again after a power cut.
      const { numDeletedRows } = await rows
        .deleteFrom('draft')
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n ? body : undefined
    },

    async save({ workspaceId, body, expiresAt }) {
      const id = randomBytes(ID_BYTES).toString('base64url')
      const row = {
        id,
        workspace_id: workspaceId,
        sealed_body: sealer.seal(jsonText(body, 'A draft'), identityOf(workspaceId, id)),
        expires_at: expiresAt.toISOString(),
      }
      await relaxed((rows) => rows.insertInto('draft').values(row).execute())
      return id
    },

    async remove(workspaceId, id) {
      if (!ID.test(id)) return
      await relaxed((rows) =>
        rows.deleteFrom('draft').where('id', '=', id).where('workspace_id', '=', workspaceId).execute(),
      )
    },

    sweep(now) {
      return deleteInBatches(async (limit) => {
        const expired = rows.selectFrom('draft').select('id').where('expires_at', '<=', now.toISOString())
        const { numDeletedRows } = await relaxed((rows) =>
          rows.deleteFrom('draft').where('id', 'in', expired.limit(limit)).executeTakeFirstOrThrow(),
        )
        return Number(numDeletedRows)
      })
    },
  }
}

function identityOf(workspaceId: string, id: string): Identity {
  return ['draft', workspaceId, id]
}

import { HOUR_MS, toId } from '@signalman/runtime'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import { selectRows, upsertRow } from '../database/schema.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'

export type EphemeralState = ReturnType<typeof createEphemeralState>

const ID = /^[A-Za-z0-9_-]{22}$/

/** State that must survive between two requests, in `ephemeral_state`. */
export function createEphemeralState({ rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>, keys: Sealer) {
  return {
    /**
     * Stores a JSON value until `ttlMs` from now, or up to an hour less, and returns its ID: 22 characters of `A–Z a–z 0–9 _ -`. Equal
     * values of one workspace share a row, whose time is extended at most once an hour. Throws StoreError `bad-value` if it isn't JSON.
     */
    async save({
      workspaceId: workspace_id,
      body,
      now,
      ttlMs,
    }: {
      workspaceId: string
      body: unknown
      now: Date
      ttlMs: number
    }): Promise<string> {
      const json = jsonText(body, 'Ephemeral state')
      const id = toId(keys.digest(json, stateIdentity(workspace_id, 'content')))
      const stored = await selectRows(rows, 'ephemeral_state', { id }).executeTakeFirst()
      // A value that is stored already isn't written again.
      if (stored && stored.expires_at > new Date(now.getTime() + ttlMs - HOUR_MS).toISOString()) return id
      const sealed_body = keys.seal(json, stateIdentity(workspace_id, id))
      const expires_at = new Date(now.getTime() + ttlMs).toISOString()
      const values = { id, workspace_id, sealed_body, expires_at }
      await relaxed((db) => upsertRow(db, 'ephemeral_state', ['id'], values, { sealed_body, expires_at }))
      return id
    },

    /** Returns the body, or undefined if the ID is unknown, expired, or another workspace's. Throws SealError. */
    async find(workspaceId: string, id: string, now: Date): Promise<unknown | undefined> {
      if (!ID.test(id)) return undefined
      const found = await selectRows(rows, 'ephemeral_state', { workspace_id: workspaceId, id })
        .where('expires_at', '>', now.toISOString())
        .executeTakeFirst()
      return found && JSON.parse(keys.open(found.sealed_body, stateIdentity(workspaceId, id)))
    },
  }
}

function stateIdentity(workspaceId: string, id: string): Identity {
  return ['ephemeral_state', workspaceId, id]
}

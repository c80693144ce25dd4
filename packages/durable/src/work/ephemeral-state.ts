import { HOUR_MS, newId, toId } from '@signalman/runtime'
import type { Database } from '../database/database.ts'
import { jsonText } from '../database/json.ts'
import { selectRows } from '../database/schema.ts'
import type { Identity, Sealer } from '../secrets/seal.ts'

export type EphemeralState = ReturnType<typeof createEphemeralState>

const ID = /^[A-Za-z0-9_-]{22}$/

/** A JSON value of one workspace, until it expires. */
interface State {
  workspaceId: string
  body: unknown
  expiresAt: Date
}

/** State that must survive between two requests, in `ephemeral_state`. */
export function createEphemeralState({ rows, relaxed }: Pick<Database, 'rows' | 'relaxed'>, keys: Sealer) {
  /** Stores a text under an ID, replacing an earlier one. Returns the ID. */
  async function store(
    { workspaceId, expiresAt }: Omit<State, 'body'>,
    id: string,
    json: string,
  ): Promise<string> {
    const sealed_body = keys.seal(json, stateIdentity(workspaceId, id))
    const expires_at = expiresAt.toISOString()
    await relaxed((db) =>
      db
        .insertInto('ephemeral_state')
        .values({ id, workspace_id: workspaceId, sealed_body, expires_at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ sealed_body, expires_at }))
        .execute(),
    )
    return id
  }

  return {
    /**
     * Stores a value and returns its ID: 22 characters of `A–Z a–z 0–9 _ -`, 128 random bits. Throws StoreError `bad-value` if
     * the body isn't JSON.
     */
    save: async ({ body, ...state }: State): Promise<string> =>
      store(state, newId(), jsonText(body, VALUE_NAME)),

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
      const existing = await rows
        .selectFrom('ephemeral_state')
        .select(['id', 'expires_at'])
        .where('id', '=', contentId)
        .executeTakeFirst()
      if (existing && existing.expires_at > new Date(now.getTime() + ttlMs - HOUR_MS).toISOString())
        return existing.id
      return store({ workspaceId, expiresAt: new Date(now.getTime() + ttlMs) }, contentId, json)
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

/** The name of these values in errors. */
const VALUE_NAME = 'Ephemeral state'

function stateIdentity(workspaceId: string, id: string): Identity {
  return ['ephemeral_state', workspaceId, id]
}

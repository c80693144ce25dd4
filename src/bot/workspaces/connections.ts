import {
  type Database,
  type Identity,
  type ReadCache,
  type RowProofs,
  StoreError,
  saveSealed,
  type WorkspaceKeys,
} from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'
import { type ConnectionRow, SHOWN_CONNECTION } from './tables.ts'

/** A workspace's connection to one environment of the service. */
export interface Connection {
  readonly workspaceId: string
  readonly environment: Environment
  /** Not enumerable: JSON, logs and copies by spreading leave it out. */
  readonly token: string
  /** The person who stored it. */
  readonly userId: string
  readonly storedAt: Date
}

/** The part of a connection that may be shown. */
export type ConnectionSummary = Omit<Connection, 'token'>

export interface Connections {
  /** The connection with its token opened, or undefined when there is none. Throws SealError. */
  find(workspaceId: string, environment: Environment): Promise<Connection | undefined>
  /** Stores the token and replaces an earlier one; on disk before this returns. */
  save(connection: {
    workspaceId: string
    environment: Environment
    token: string
    userId: string
    now: Date
  }): Promise<void>
  /** True when there was one to forget. */
  forget(workspaceId: string, environment: Environment): Promise<boolean>
  /** The workspace's connections without their tokens, by environment. */
  list(workspaceId: string): Promise<ConnectionSummary[]>
  /** Every connection of every workspace, without its token. */
  everywhere(): Promise<Pick<Connection, 'workspaceId' | 'environment'>[]>
  /** Deletes every connection of the workspace. Returns how many. */
  forgetAll(workspaceId: string): Promise<number>
}

/** The rows of `connection`. */
export function connectionStore(
  database: Database,
  keys: WorkspaceKeys,
  { changing }: Pick<ReadCache, 'changing'>,
  proofs: RowProofs,
): Connections {
  const { rows } = database
  return {
    async find(workspaceId, environment) {
      const row = await rows
        .selectFrom('connection')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('environment', '=', environment)
        .executeTakeFirst()
      if (row === undefined) return undefined
      proofs.check('connection', row)
      const opener = await keys.opener(rows, [row.sealed_token])
      return withHiddenToken(row, opener.open(row.sealed_token, connectionIdentity(row)))
    },

    async save({ workspaceId, environment, token, userId, now }) {
      if (token === '') throw new StoreError('bad-value', 'An empty token cannot be stored.')
      const key = { workspace_id: workspaceId, environment }
      await changing(
        workspaceId,
        saveSealed(database, keys, workspaceId, (transaction, sealer) => {
          const sealed_token = sealer.seal(token, connectionIdentity(key))
          const stored = { sealed_token, user_id: userId, stored_at: now.toISOString() }
          const row = proofs.with('connection', { ...key, ...stored })
          return transaction
            .insertInto('connection')
            .values(row)
            .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doUpdateSet(row))
            .execute()
        }),
      )
    },

    async forget(workspaceId, environment) {
      const { numDeletedRows } = await changing(
        workspaceId,
        rows
          .deleteFrom('connection')
          .where('workspace_id', '=', workspaceId)
          .where('environment', '=', environment)
          .executeTakeFirstOrThrow(),
      )
      return numDeletedRows > 0n
    },

    async list(workspaceId) {
      const found = await rows
        .selectFrom('connection')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .orderBy('environment')
        .execute()
      return found.filter((row) => proofs.isGenuine('connection', row)).map(SHOWN_CONNECTION.of)
    },

    everywhere: () => everywhere(rows),

    async forgetAll(workspaceId) {
      const { numDeletedRows } = await changing(
        workspaceId,
        rows.deleteFrom('connection').where('workspace_id', '=', workspaceId).executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    },
  }
}

function connectionIdentity(row: Pick<ConnectionRow, 'workspace_id' | 'environment'>): Identity {
  return ['connection', row.workspace_id, row.environment]
}

function withHiddenToken(row: ConnectionRow, token: string): Connection {
  const shown = SHOWN_CONNECTION.of(row)
  // defineProperty returns its argument; the type cannot say that it has gained `token`.
  return Object.defineProperty(shown, 'token', { value: token, enumerable: false }) as Connection
}

async function everywhere(rows: Database['rows']): ReturnType<Connections['everywhere']> {
  const found = await rows
    .selectFrom('connection')
    .select(['workspace_id', 'environment'])
    .orderBy('workspace_id')
    .orderBy('environment')
    .execute()
  return found.map((row) => ({ workspaceId: row.workspace_id, environment: row.environment }))
}

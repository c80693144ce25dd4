// This folder stores what belongs to a workspace: its installation, tokens, roles, and the environments of its channels.

import {
  type Database,
  type DecisionTransaction,
  deleteRows,
  type Identity,
  type Sealer,
  StoreError,
  selectRows,
  upsertRow,
} from '@signalman/durable'
import type { Environment } from '../../domain/environment.ts'
import { accountFromToken } from '../../service/service.ts'
import { CONNECTION_SUMMARY, type ConnectionRow, withHidden } from './tables.ts'

/** A connection without its token. */
export type ConnectionSummary = ReturnType<typeof CONNECTION_SUMMARY.parse>

/** A workspace's connection to one environment of the service. */
interface Connection extends ConnectionSummary {
  /** Not enumerable, so that JSON, logs, and spreads leave it out. */
  readonly token: string
}

export type Connections = ReturnType<typeof connectionStore>

/** The store of the `connection` table. It's changed only `within` a decision, after which cached reads are dropped. */
export const connectionStore = (database: Database, keys: Sealer) => ({
  ...connectionReads(database, keys),
  within: (decisions: DecisionTransaction) => ({
    ...connectionReads({ rows: decisions.transaction }, keys),
    ...connectionChanges(decisions, keys),
  }),
})

function connectionReads({ rows }: Pick<Database, 'rows'>, keys: Sealer) {
  return {
    /** The connection with its token decrypted; undefined if there is none. Throws SealError. */
    async find(workspaceId: string, environment: Environment): Promise<Connection | undefined> {
      const key = { workspace_id: workspaceId, environment }
      const row = await selectRows(rows, 'connection', key).executeTakeFirst()
      if (row === undefined) return undefined
      return withHidden(
        CONNECTION_SUMMARY.parse(row),
        'token',
        keys.open(row.sealed_token, connectionIdentity(row)),
      )
    },

    /** The workspace's connections without their tokens, by environment. */
    async list(workspaceId: string): Promise<ConnectionSummary[]> {
      const query = selectRows(rows, 'connection', { workspace_id: workspaceId })
      const connectionRows = await query.orderBy('environment').execute()
      return connectionRows.map(CONNECTION_SUMMARY.parse)
    },

    /** Every connection of every workspace, without its token. */
    async listAll(): Promise<Pick<Connection, 'workspaceId' | 'environment'>[]> {
      const all = rows.selectFrom('connection').select(['workspace_id as workspaceId', 'environment'])
      return all.orderBy('workspace_id').orderBy('environment').execute()
    },
  }
}

const connectionChanges = ({ transaction, workspaceId }: DecisionTransaction, keys: Sealer) => ({
  /** Stores the token, replacing an earlier one. */
  async save(
    connection: Pick<Connection, 'environment' | 'token' | 'userId'> & {
      now: Date
      /** Identifies the account. By default, it is derived from the token. */
      account?: string
    },
  ): Promise<void> {
    const { environment, token, userId, now } = connection
    const { account = accountFromToken(token) } = connection
    if (token === '') throw new StoreError('bad-value', 'An empty token cannot be stored.')
    const key = { workspace_id: workspaceId, environment }
    const sealed_token = keys.seal(token, connectionIdentity(key))
    const row = { ...key, sealed_token, user_id: userId, stored_at: now.toISOString(), account }
    await upsertRow(transaction, 'connection', ['workspace_id', 'environment'], row)
  },

  /** Deletes the connection. False if there was none. */
  async remove(environment: Environment): Promise<boolean> {
    const query = { workspace_id: workspaceId, environment }
    return (await deleteRows(transaction, 'connection', query)) > 0
  },
})

function connectionIdentity(row: Pick<ConnectionRow, 'workspace_id' | 'environment'>): Identity {
  return ['connection', row.workspace_id, row.environment]
}

import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import type { Database } from '../../packages/durable/src/database/database.ts'
import type { Schema } from '../../packages/durable/src/database/schema.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { verifyAll } from '../../src/cli/audit-verify.ts'
import { EVERYONE } from '../../src/domain/roles.ts'
import { createMemoryPlace } from '../audit/memory-place.ts'
import type { TestDatabase } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2126-03-01T12:00:00.000Z')
const LEE = { kind: 'user', id: 'U7' } as const

/** The tables that tests change. They can be emptied in this order. */
const TABLES = ['role_grant', 'setting', 'connection', 'installation', 'audit_entry', 'audit_chain'] as const
type TableRows = Map<keyof Schema, Record<string, unknown>[]>

export interface Scene extends AsyncDisposable {
  /** A direct connection to the database, as someone without an encryption key would use. */
  readonly raw: Database
  /** Rows from the past: a role that has been revoked, and a setting that has been changed. */
  readonly former: TableRows
  /** Returns the grants and settings that take effect, and every line of `audit verify --anchor` and of the app's log. */
  inspect(): Promise<{ state: EffectiveState; reports: readonly string[] }>
  /** Restores all rows. */
  restore(): Promise<void>
}

async function readRows({ rows }: Database): Promise<TableRows> {
  const found: TableRows = new Map()
  for (const name of TABLES) found.set(name, await rows.selectFrom(name).selectAll().execute())
  return found
}

async function writeRows({ rows }: Database, tables: TableRows): Promise<void> {
  for (const [name, tableRows] of tables) {
    await rows.deleteFrom(name).execute()
    // Cast, because the rows were read from this table.
    if (tableRows.length > 0)
      await rows
        .insertInto(name)
        .values(tableRows as never)
        .execute()
  }
}

export async function createScene(database: TestDatabase): Promise<Scene> {
  await using started = new AsyncDisposableStack()
  const raw = started.use(await openDatabase(database.url))
  const records: string[] = []
  let former: TableRows
  {
    await using store = await openStore(database)
    const { grants, settings, anchoring } = store
    const anchor = () => anchoring.anchor(createMemoryPlace(records), NOW)
    await grants.add('T1', 'admin', LEE, 'UADMIN', NOW)
    await settings.set('T1', AUDIT_RETENTION_DAYS, 30)
    await settings.set('T2', AUDIT_RETENTION_DAYS, 30)
    await anchor()
    former = await readRows(raw)
    await grants.remove('T1', 'admin', LEE)
    await settings.set('T1', AUDIT_RETENTION_DAYS, 90)
    await grants.add('T1', 'operator', { kind: 'user', id: 'U1' }, 'UADMIN', NOW, { endsAt: LATER })
    await grants.add('T1', 'approver', EVERYONE, 'UADMIN', NOW)
    const installed = { id: 'T1', kind: 'workspace' } as const
    await store.installations.save({ ...installed, botToken: 'xoxb-1', installedBy: 'U1' })
    for (const environment of ['production', 'ote'] as const)
      await store.connections.save({ workspaceId: 'T1', environment, token: 't', userId: 'U1', now: NOW })
    await anchor()
  }
  const original = await readRows(raw)
  const stack = started.move()
  return {
    raw,
    former,
    async inspect() {
      const reports: string[] = []
      await using store = await openStore({
        ...database,
        onDecryptError: (identity) => reports.push(`What is stored does not open: ${identity.join(' ')}`),
      })
      const state = await readEffectiveState(store)
      const anchor = { path: 'the anchor', text: records.join('\n'), place: 'file:a' }
      await verifyAll(store, anchor, (line) => reports.push(line))
      return { state, reports }
    },
    restore: () => writeRows(raw, original),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type EffectiveState = Awaited<ReturnType<typeof readEffectiveState>>

async function readEffectiveState(store: Store) {
  const describeToken = async (environment: 'production' | 'ote') =>
    await store.connections.find('T1', environment).then(
      (found) => found && 'found',
      (error: Error) => error.name,
    )
  const installed = await store.installations.find({ workspaceId: 'T1' }).catch(() => undefined)
  return {
    installedBy: installed?.installedBy,
    connections: (await store.connections.list('T1')).map(({ environment }) => environment),
    tokens: [await describeToken('production'), await describeToken('ote')],
    grants: (await store.grants.list('T1')).map(({ role, subject }) => `${role} ${subject.id}`),
    grantsOfU1: (await store.grants.find('T1', 'U1')).length,
    cachedGrants: (await store.cached.grants('T1')).length,
    retentionDays: [
      await store.settings.get('T1', AUDIT_RETENTION_DAYS),
      await store.settings.get('T2', AUDIT_RETENTION_DAYS),
    ],
    workspacesWithRetention: (await Array.fromAsync(store.settings.listStored(AUDIT_RETENTION_DAYS)))
      .flat()
      .map(({ workspaceId }) => workspaceId),
    workspacesWith90Days: await store.settings.listWorkspacesWith(AUDIT_RETENTION_DAYS, 90),
  }
}

export const UNCHANGED: EffectiveState = {
  installedBy: 'U1',
  connections: ['ote', 'production'],
  tokens: ['found', 'found'],
  grants: ['approver *', 'operator U1'],
  grantsOfU1: 2,
  cachedGrants: 2,
  retentionDays: [90, 30],
  workspacesWithRetention: ['T1', 'T2'],
  workspacesWith90Days: ['T1'],
}

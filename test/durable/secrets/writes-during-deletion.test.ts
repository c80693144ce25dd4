import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createAudit } from '../../../packages/durable/src/audit/audit.ts'
import { createDatabaseTime } from '../../../packages/durable/src/database/clock.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { WorkspaceDeleted } from '../../../packages/durable/src/database/errors.ts'
import { createReadCache } from '../../../packages/durable/src/database/read-cache.ts'
import { fixedKeys, parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createRowProofs } from '../../../packages/durable/src/secrets/row-proofs.ts'
import { createSealer, type Identity, SealError } from '../../../packages/durable/src/secrets/seal.ts'
import type { WorkspaceKeys } from '../../../packages/durable/src/secrets/workspace-keys.ts'
import { createSettings } from '../../../packages/durable/src/settings.ts'
import { createEphemeralState } from '../../../packages/durable/src/work/ephemeral-state.ts'
import { createHolds } from '../../../packages/durable/src/work/holds.ts'
import { createWorkSteps } from '../../../packages/durable/src/work/job-steps.ts'
import { createWorkStore } from '../../../packages/durable/src/work/work-store.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { connectionStore } from '../../../src/bot/workspaces/connections.ts'
import { installationStore } from '../../../src/bot/workspaces/installations.ts'
import { createStoredOrders } from '../../../src/features/cert-orders/rows/orders.ts'
import { threatCases } from '../../../src/features/threats/rows/cases.ts'
import {
  KEY_A,
  NO_PROCESSES,
  SHARED_DATABASES,
  type TestDatabase,
  workspaceKeysIn,
} from '../../databases/databases.ts'
import { openDatabase, SEALED_COLUMNS } from '../../databases/open.ts'

const NO_AUDIT = { appendInTransaction: async () => undefined, appendMissing: async () => undefined }
const NOW = new Date('2026-03-01T12:00:00.000Z')
const EXPIRES_AT = new Date('2126-03-01T12:00:00.000Z')
const T1 = { workspaceId: 'T1', environment: 'production' } as const
const ACTOR = { userId: 'U1', name: 'Ann' }
const EVENT = { ...T1, enterpriseId: undefined, eventId: 'e1', by: ACTOR, now: NOW }
const REQUEST_EVENT = { kind: 'request', at: NOW, userId: 'U1' }

const buildOrder = () => ({
  ...T1,
  state: 'awaiting' as const,
  requesterId: 'U1',
  bodyHash: 'h',
  content: { request: { action: 'create', csr: 'the request itself' } },
  createdAt: NOW,
})

const installation = {
  id: 'T1',
  kind: 'workspace' as const,
  botToken: 'xoxb-new',
  installedBy: 'U1',
}

/** Creates every store that seals rows of a workspace, with these keys. */
function createStores(database: Database, keys: WorkspaceKeys) {
  const ring = parseKeys(KEY_A)
  const sealer = createSealer(ring)
  const proofs = createRowProofs(MODEL.tables, sealer)
  const time = createDatabaseTime(database.kind)
  const cache = createReadCache()
  return {
    installations: installationStore(
      database,
      keys,
      cache,
      proofs,
      createSettings(database, cache, proofs, createAudit(database, { sealer, keys: fixedKeys(ring), time })),
      async () => undefined,
    ),
    connections: connectionStore(database, keys, cache, proofs),
    cases: threatCases(database, time, keys),
    work: createWorkStore(database, time, keys, NO_PROCESSES),
    steps: createWorkSteps(database, time, keys, createHolds(database, time), NO_AUDIT),
    states: createEphemeralState(database, keys),
    orders: createStoredOrders(database, time, keys, async () => undefined),
  }
}

type Stores = ReturnType<typeof createStores>

/** Every call that saves encrypted rows, by what it saves. */
const WRITES: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  'an installation': ({ installations }) => installations.save(installation),
  'a connection': ({ connections }) => connections.save({ ...T1, token: 'new', userId: 'U1', now: NOW }),
  'a step of a case': ({ cases }) =>
    cases.step({
      ...EVENT,
      kind: 'take',
      reference: 'r',
      newCase: {
        event: { verdict: '', lines: ['event'], notes: [], readAt: '', reportedAt: undefined },
        severity: 1,
      },
    }),
  'a started act': ({ work }) =>
    work.begin({ workspaceId: 'T1', kind: 'act', key: 'k', body: 'typed' }, 'one'),
  async 'a job, its steps, and its next owner'({ work, steps }) {
    const id = await work.add({ workspaceId: 'T1', kind: 'job', body: 'file' }, 'prepared')
    await steps.add(id, [{ line: 2, body: 'row' }])
    await work.start('T1', id, { personId: 'U2', body: 'theirs' })
  },
  async 'the result of a job'({ work }) {
    const { work: begun } = await work.begin(
      { workspaceId: 'T1', kind: 'one', key: 'k', body: 'file' },
      'one',
    )
    await work.replaceBody(begun, 'one', 'file, and how it ended')
  },
  'a job that is added once per key': ({ work }) =>
    work.addOnce({ workspaceId: 'T1', kind: 'once', key: 'k', body: 'file' }),
  'a job that is added unless it is a duplicate': ({ work }) =>
    work.addUnlessDuplicate({ workspaceId: 'T1', kind: 'bulk', body: 'filter' }, () => false),
  'the state of a modal': ({ states }) =>
    states.save({ workspaceId: 'T1', body: 'draft', expiresAt: EXPIRES_AT }),
  'the state shared by several modals': ({ states }) =>
    states.saveOnce({ workspaceId: 'T1', body: 'shared', now: EXPIRES_AT, ttlMs: 86_400_000 }),
  'a value stored under a key': ({ states }) =>
    states.saveByKey({ workspaceId: 'T1', expiresAt: EXPIRES_AT }, new Map([['k', 'kept']])),
  async 'an order, and a step of it'({ orders }) {
    const added = await orders.add(buildOrder(), REQUEST_EVENT)
    await orders.saveStep({ ...added, state: 'rejected' }, { ...REQUEST_EVENT, kind: 'reject' })
  },
}

/** Opens the stores as a second process would. As soon as it has a key for the workspace, a third process deletes the workspace. */
async function openStoresDuringDeletion(address: TestDatabase, store: Store) {
  const database = await openDatabase(address.url)
  const keys = workspaceKeysIn(database, address.keys)
  let sealerCalls = 0
  async function deleteWorkspaceAfter<T>(workspaceId: string, sealer: Promise<T>): Promise<T> {
    await sealer
    sealerCalls += 1
    if (sealerCalls === 1) await store.forgetWorkspace(workspaceId)
    return sealer
  }
  const deletingKeys: WorkspaceKeys = {
    ...keys,
    ensureSealer: (workspaceId) => deleteWorkspaceAfter(workspaceId, keys.ensureSealer(workspaceId)),
  }
  return {
    database,
    ...createStores(database, deletingKeys),
    countSealerCalls: () => sealerCalls,
    listUndecryptable: () => listUndecryptable(database, keys),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Lists the columns in which a sealed text of a workspace can no longer be decrypted. */
async function listUndecryptable(database: Database, keys: WorkspaceKeys): Promise<string[]> {
  const undecryptable: string[] = []
  for (const { table, column, label, identityColumns, owner } of SEALED_COLUMNS) {
    if (owner === undefined) continue
    const { rows } = await sql<Record<string, string | null>>`
      select * from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(database.rows)
    const opener = await keys.createOpener(database.rows, rows, column)
    for (const row of rows) {
      const identity: Identity = [label, ...identityColumns.map((name) => String(row[name]))]
      try {
        opener.open(row[column] ?? '', identity)
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        undecryptable.push(`${table}.${column}`)
      }
    }
  }
  return undecryptable
}

describe.each(SHARED_DATABASES)(
  'an encrypted write while its workspace is deleted, on $name',
  ({ start }) => {
    it.each(Object.keys(WRITES))('leaves a row that can be decrypted, or none: %s', async (name) => {
      await using address = await start()
      await using store = await openStore(address)
      await using stores = await openStoresDuringDeletion(address, store)
      // The write may fail because the deletion also removed the parent row, or the row that a second call updates.
      await WRITES[name]?.(stores).catch(ignoreErrors(/foreign key|no result/i))
      expect(stores.countSealerCalls()).toBeGreaterThan(0)
      expect(await stores.listUndecryptable()).toEqual([])
    })

    it('leaves a row that can be decrypted, or none, whether the write or the deletion finishes first', async () => {
      await using address = await start()
      await using store = await openStore(address)
      await using database = await openDatabase(address.url)
      const keys = workspaceKeysIn(database, address.keys)
      const stores = createStores(database, keys)
      for (let round = 0; round < 6; round += 1) {
        const writes = Object.values(WRITES).map(async (write, index) => {
          for (let turn = 0; turn < (index * 7 + round) % 5; turn += 1) await store.grants.list('T1')
          // On a busy machine, a write may not get a connection in time, and then writes nothing.
          await write(stores).catch(
            ignoreErrors(
              /foreign key|no result|timeout exceeded when trying to connect|still being removed/i,
            ),
          )
        })
        await Promise.all([...writes, store.forgetWorkspace('T1')])
        expect(await listUndecryptable(database, keys)).toEqual([])
      }
    })
  },
)

/** Ignores errors with a matching message, and throws all others. */
const ignoreErrors =
  (expected: RegExp) =>
  (error: unknown): void => {
    if (!(error instanceof Error && expected.test(error.message))) throw error
  }

describe.each(SHARED_DATABASES)('an order whose workspace is deleted, on $name', ({ start }) => {
  const event = { ...REQUEST_EVENT, reference: 'r1' }

  async function beginAct(database: Database, { work }: Pick<Store, 'work'>, reference: string) {
    const begun = await work.begin({ workspaceId: 'T1', kind: 'act', key: reference }, 'one')
    await database.rows.updateTable('work').set({ reference }).where('id', '=', begun.work.id).execute()
  }

  it('isn’t added if its act was deleted, but a later order is', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await using stores = await openStoresDuringDeletion(address, store)
    const { database, orders } = stores
    await beginAct(database, store, 'r1')
    await expect(orders.add(buildOrder(), event)).rejects.toThrow(WorkspaceDeleted)
    expect(stores.countSealerCalls()).toBeGreaterThan(0)
    expect(await store.orders.count({ workspaceId: 'T1' })).toBe(0)
    await beginAct(database, store, 'r2')
    expect(await orders.add(buildOrder(), { ...event, reference: 'r2' })).toMatchObject({ number: 1 })
  })

  it('can’t be decrypted after the deletion even if it was stored just before', async () => {
    await using address = await start()
    await using store = await openStore(address)
    await using database = await openDatabase(address.url)
    for (let n = 0; n < 4; n += 1) {
      await beginAct(database, store, `r${n}`)
      const adding = store.orders.add(buildOrder(), { ...event, reference: `r${n}` })
      const [added] = await Promise.allSettled([adding, store.forgetWorkspace('T1')])
      if (added.status === 'rejected') expect(added.reason).toBeInstanceOf(WorkspaceDeleted)
    }
    const remaining = await store.orders.list({ workspaceId: 'T1', limit: 9 })
    expect(JSON.stringify(remaining)).not.toContain('the request itself')
  })
})

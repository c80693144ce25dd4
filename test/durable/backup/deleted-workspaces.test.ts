import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { readBackupHeader, readWorkspaceKeys } from '../../../packages/durable/src/backup/restore.ts'
import { ownerExpression, WORKSPACE_KEYS } from '../../../packages/durable/src/backup/row-owners.ts'
import { listTables } from '../../../packages/durable/src/database/stored-tables.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ALL_CHECKS } from '../../../src/features/watching/rules/watch.ts'
import {
  EMPTY_DATABASES,
  KEY_A,
  KEY_B,
  makeFolder,
  SHARED_DATABASES,
  type TestDatabase,
} from '../../databases/databases.ts'
import {
  backUp,
  backUpKeys,
  openDatabase,
  restoreBackup,
  rotateKeys,
  verifyBackup,
} from '../../databases/open.ts'
import { eitherOf } from '../../long.ts'

const NOW = new Date()

/** Adds a token, an order, a remembered threat event, an act with a step, a watch, a role, and audit rows. */
async function addRows(store: Store, workspaceId: string): Promise<void> {
  const content = `content of ${workspaceId}`
  await store.connections.save({
    workspaceId,
    environment: 'production',
    token: content,
    userId: 'U1',
    now: NOW,
  })
  await store.grants.add(workspaceId, 'admin', { kind: 'user', id: 'U1' }, 'U1', NOW)
  const order = { environment: 'production', state: 'received', requesterId: 'U1', bodyHash: 'h' } as const
  await store.orders.add(
    { ...order, workspaceId, content: { request: { csr: content } }, createdAt: NOW },
    { kind: 'request', at: NOW, userId: 'U1' },
  )
  await store.watching.watches.add({
    workspaceId,
    channelId: 'C1',
    environment: 'production',
    filter: ALL_CHECKS,
    afterBadPolls: 1,
    notify: 'once',
    reminderHours: 0,
    ownerId: 'U1',
    madeAt: NOW,
  })
  const work = { workspaceId, kind: 'act', key: 'k', body: content }
  const { work: act } = await store.work.begin(work, 'p')
  const begun = await store.recordedSteps.begin('p', { workId: act.id, line: 1, name: 'one' })
  if (begun) await store.recordedSteps.settle({ ...begun, state: 'done', result: content })
  const auditEvent = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  for (let n = 0; n < 3; n++) await store.audit.append({ ...auditEvent, workspaceId, object: content })
}

/** Counts the workspace's rows in each table. Only keys that weren't destroyed are counted. */
async function countRows(address: TestDatabase, workspaceId: string): Promise<Record<string, number>> {
  await using database = await openDatabase(address.url)
  const counts: Record<string, number> = {}
  for (const table of await listTables(database.rows, database.kind)) {
    const owner = ownerExpression(MODEL.tables, table)
    if (owner === undefined) continue
    const exceptDestroyedKeys = table.name === WORKSPACE_KEYS ? sql`and sealed_key is not null` : sql``
    const { rows } = await sql<{ count: number }>`select cast(count(*) as integer) as "count"
      from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId} ${exceptDestroyedKeys}`.execute(
      database.rows,
    )
    if (rows[0]?.count) counts[table.name] = rows[0].count
  }
  return counts
}

async function listKeys(address: TestDatabase): Promise<string[]> {
  await using database = await openDatabase(address.url)
  return (await database.rows.selectFrom(WORKSPACE_KEYS).select('id').execute()).map(({ id }) => id)
}

async function readContent(address: TestDatabase, workspaceId: string) {
  await using store = await openStore(address)
  const [act] = await store.work.listOpen(workspaceId, ['act'])
  return {
    token: (await store.connections.find(workspaceId, 'production'))?.token,
    order: (await store.orders.find(workspaceId, 1))?.content,
    act: act?.body,
    steps: act && (await store.recordedSteps.list(act.id)).map(({ result }) => result),
    roles: (await store.grants.list(workspaceId)).length,
    log: (await store.audit.verify(workspaceId)).faults,
    chains: (await store.audit.verifyAll()).faults,
  }
}

const allContent = (id: string) => ({
  token: `content of ${id}`,
  order: { request: { csr: `content of ${id}` } },
  act: `content of ${id}`,
  steps: [`content of ${id}`],
  roles: 1,
  log: [],
  chains: [],
})

const noContent = {
  token: undefined,
  order: undefined,
  act: undefined,
  steps: undefined,
  roles: 1,
  log: [],
  chains: [],
}

/** The tables with rows of a workspace that has uninstalled the app. */
const REMAINING_TABLES = ['audit_chain', 'audit_entry', 'role_grant', 'workspace_key']

describe.each(eitherOf(EMPTY_DATABASES))(
  'a backup of $name, after workspaces were deleted',
  ({ name, start }) => {
    /** What a backup is made of need not be empty. */
    const startSource = SHARED_DATABASES.find((shared) => shared.name === name)?.start ?? start

    it('restores everything except rows of erased workspaces and content of uninstalled ones', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      const path = join(folder.path, 'a.backup')
      {
        await using store = await openStore(address)
        for (const id of ['TKEPT', 'TERASED', 'TLEFT']) await addRows(store, id)
        const { keysPath } = await backUp(address, path)
        expect(gunzipSync(readFileSync(path)).toString()).not.toMatch(/content of|TKEPT|TERASED|TLEFT/)

        await store.eraseWorkspace('TERASED', 'r')
        await store.forgetWorkspace('TLEFT')
        expect(await backUpKeys(address, folder.path)).toBe(keysPath)
        expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
      }
      await using other = await start()
      const restored = await restoreBackup({ ...other, path })
      expect(restored).toMatchObject({ erased: ['TERASED'] })
      expect(restored.forgotten).toBeGreaterThan(4)
      expect(await readContent(other, 'TKEPT')).toEqual(allContent('TKEPT'))
      expect(await countRows(other, 'TERASED')).toEqual({ audit_chain: 1, audit_entry: 1 })
      expect(await readContent(other, 'TLEFT')).toEqual(noContent)
      expect(Object.keys(await countRows(other, 'TLEFT')).toSorted()).toEqual(REMAINING_TABLES)
    })

    it('doesn’t restore keys that the replaced database has destroyed, even if its key file still contains them', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      const path = join(folder.path, 'a.backup')
      {
        await using store = await openStore(address)
        for (const id of ['TKEPT', 'TERASED']) await addRows(store, id)
        await backUp(address, path)
        await store.eraseWorkspace('TERASED', 'r')
      }
      expect(await restoreBackup({ ...address, path, isReplacing: true })).toMatchObject({
        erased: ['TERASED'],
      })
      expect(await countRows(address, 'TERASED')).toEqual({ audit_chain: 1, audit_entry: 1 })
      expect(await readContent(address, 'TKEPT')).toEqual(allContent('TKEPT'))
      // The next backup also records the erasure in the key file.
      await backUp(address, join(folder.path, 'b.backup'))
      await using other = await start()
      const restored = await restoreBackup({ ...other, path })
      expect(restored).toMatchObject({ erased: ['TERASED'] })
      expect(await readContent(other, 'TKEPT')).toEqual(allContent('TKEPT'))
    })

    it('can be restored on another machine only with its own key file', async () => {
      using folder = makeFolder()
      using otherMachine = makeFolder()
      await using address = await startSource()
      const path = join(folder.path, 'a.backup')
      const copyPath = join(otherMachine.path, 'a.backup')
      {
        await using store = await openStore(address)
        await addRows(store, 'TKEPT')
      }
      const { keysPath } = await backUp(address, path)
      copyFileSync(path, copyPath)
      await using other = await start()
      await expect(restoreBackup({ ...other, path: copyPath })).rejects.toMatchObject({
        kind: 'missing-workspace-keys',
      })
      await expect(restoreBackup({ ...other, path: copyPath, keysPath: copyPath })).rejects.toMatchObject({
        kind: 'unusable',
      })
      await restoreBackup({ ...other, path: copyPath, keysPath })
      expect(await readContent(other, 'TKEPT')).toEqual(allContent('TKEPT'))
    })

    it('can replace a database in which the same workspaces have newer keys', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      await using other = await start()
      const path = join(folder.path, 'a.backup')
      for (const [database, backupPath] of [
        [address, path],
        [other, join(folder.path, 'b.backup')],
      ] as const) {
        {
          await using store = await openStore(database)
          await addRows(store, 'TKEPT')
        }
        await backUp(database, backupPath)
      }
      await restoreBackup({ ...other, path, isReplacing: true })
      expect(await readContent(other, 'TKEPT')).toEqual(allContent('TKEPT'))
      await using database = await openDatabase(other.url)
      const keys = await database.rows.selectFrom(WORKSPACE_KEYS).selectAll().execute()
      const before = await listKeys(address)
      expect(keys).toHaveLength(2 * before.length)
      // The backup's keys stay in use.
      expect(keys.filter((key) => key.retired_at === null).map(({ id }) => id)).toEqual(
        expect.arrayContaining(before),
      )
      expect(keys.filter((key) => key.retired_at === null)).toHaveLength(before.length)
    })

    it('can replace a database with other encryption keys, whose workspaces then get new keys', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      await using other = { ...(await start()), keys: KEY_B }
      const path = join(folder.path, 'a.backup')
      {
        await using store = await openStore(address)
        await addRows(store, 'TKEPT')
        await using former = await openStore(other)
        for (const id of ['TKEPT', 'TFORMER', 'TGONE']) await addRows(former, id)
        await former.forgetWorkspace('TGONE')
      }
      await backUp(address, path)
      const restored = { ...other, keys: KEY_A }
      expect(await restoreBackup({ ...restored, path, isReplacing: true })).toMatchObject({ forgotten: 0 })
      expect(await readContent(restored, 'TKEPT')).toEqual(allContent('TKEPT'))
      {
        await using store = await openStore(restored)
        await addRows(store, 'TFORMER')
      }
      expect(await readContent(restored, 'TFORMER')).toEqual(allContent('TFORMER'))
      expect(await rotateKeys(restored)).toMatchObject({ undecryptable: [] })
      // The record that TGONE was deleted is kept, regardless of which key encrypted its keys.
      expect(await countRows(restored, 'TGONE')).toEqual({})
      await using database = await openDatabase(restored.url)
      const sealedKeys = database.rows
        .selectFrom(WORKSPACE_KEYS)
        .select('sealed_key')
        .where('workspace_id', '=', 'TGONE')
      expect((await sealedKeys.execute()).map(({ sealed_key }) => sealed_key)).toEqual([null, null])
    })

    it('can’t be restored after its keys were replaced and destroyed, and the error explains why', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      const path = join(folder.path, 'a.backup')
      {
        await using store = await openStore(address)
        await addRows(store, 'TKEPT')
      }
      await backUp(address, path)
      await rotateKeys({ ...address, workspaceKeys: 'new' })
      const inTwoHours = () => new Date(Date.now() + 2 * 3_600_000)
      expect((await rotateKeys({ ...address, workspaceKeys: 'drop-old', now: inTwoHours })).destroyed).toBe(2)
      const newPath = join(folder.path, 'b.backup')
      await backUp(address, newPath)
      await using other = await start()
      const refusal = { kind: 'unusable', message: expect.stringContaining('Use a newer backup.') }
      await expect(restoreBackup({ ...other, path })).rejects.toMatchObject(refusal)
      const ring = parseKeys(KEY_A)
      const keys = await readWorkspaceKeys(path, await readBackupHeader(path), ring, undefined)
      await expect(verifyBackup(path, ring, keys)).rejects.toMatchObject(refusal)
      expect(await verifyBackup(newPath, ring, keys)).toMatchObject({ unreadCount: 0, faults: [] })
      expect(await restoreBackup({ ...other, path: newPath })).toMatchObject({ erased: [], forgotten: 0 })
      expect(await readContent(other, 'TKEPT')).toEqual(allContent('TKEPT'))
    })

    it('is rejected, rather than restored without its content, if the key file is too old to contain its keys', async () => {
      using folder = makeFolder()
      await using address = await startSource()
      const path = join(folder.path, 'b.backup')
      const older = join(folder.path, 'older')
      {
        await using store = await openStore(address)
        // This creates the key for the workspace's rows, but not yet the key for its content.
        await store.grants.add('TKEPT', 'admin', { kind: 'user', id: 'U0' }, 'U0', NOW)
        const { keysPath } = await backUp(address, join(folder.path, 'a.backup'))
        copyFileSync(keysPath, older)
        await addRows(store, 'TKEPT')
        await backUp(address, path)
      }
      await using other = await start()
      await expect(restoreBackup({ ...other, path, keysPath: older })).rejects.toMatchObject({
        kind: 'missing-workspace-keys',
      })
      expect(await restoreBackup({ ...other, path })).toMatchObject({ forgotten: 0 })
      expect(await readContent(other, 'TKEPT')).toEqual({ ...allContent('TKEPT'), roles: 2 })
    })
  },
)

it('finds the owner of each row in exactly those tables whose rows belong to a workspace', async () => {
  for (const { start } of EMPTY_DATABASES) {
    await using address = await start()
    await using _store = await openStore(address)
    await using database = await openDatabase(address.url)
    for (const table of await listTables(database.rows, database.kind))
      expect({ [table.name]: ownerExpression(MODEL.tables, table) !== undefined }).toEqual({
        [table.name]: MODEL.tables.some(({ name, owner }) => name === table.name && owner !== undefined),
      })
  }
})

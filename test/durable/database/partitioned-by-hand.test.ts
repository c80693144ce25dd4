import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { deleteWorkspaceRows } from '../../../packages/durable/src/database/delete-rows.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { backUp, openDatabase, restoreBackup } from '../../databases/open.ts'
import { administer, startPostgresDatabase } from '../../databases/postgres.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const IDS = Array.from({ length: 40 }, (_, n) => `T${n}`)
const ENTRY = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const

/** The SQL block in the docs. */
async function documentedSql(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../../docs/scale.md'), 'utf8')
  const [, block] = /```sql\n(.*?)```/s.exec(page) ?? []
  if (block === undefined) throw new Error('docs/scale.md has no SQL.')
  return block
}

it('backs up and restores an audit log that was partitioned as documented', async () => {
  using folder = makeFolder()
  await using address = await startPostgresDatabase('migrated')
  await using target = await startPostgresDatabase()
  const at = { url: address.url, keys: KEY_A }
  const raw = await openDatabase(address.url)
  const indexes = async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where tablename = 'audit_entry' order by indexdef`.execute(raw.rows)
    return rows.map(({ indexdef }) => indexdef.replace(/INDEX \S+ ON (ONLY )?/, ''))
  }
  const before = await indexes()
  {
    await using store = await openStore(at)
    for (const workspaceId of IDS) await store.audit.append({ ...ENTRY, workspaceId })
  }
  await administer(address.url, await documentedSql())
  expect(await indexes()).toEqual(before)
  {
    await using store = await openStore(at)
    for (const workspaceId of IDS) await store.audit.append({ ...ENTRY, workspaceId })
    expect((await store.audit.verifyAll()).faults).toEqual([])
  }
  const file = join(folder.path, 'backup')
  await backUp(at, file)
  // A row's position in one partition is another row's in the next.
  expect(await deleteWorkspaceRows(raw, 'T7', 'audit_entry')).toBe(2)
  const left = await raw.rows.selectFrom('audit_entry').select('workspace_id').distinct().execute()
  expect(left.map(({ workspace_id }) => workspace_id).sort()).toEqual(IDS.filter((id) => id !== 'T7').sort())
  await raw[Symbol.asyncDispose]()
  for (const into of [target.url, address.url]) {
    await restoreBackup({ url: into, keys: KEY_A, path: file, isReplacing: true })
    await using store = await openStore({ url: into, keys: KEY_A })
    expect((await store.audit.verifyAll()).faults).toEqual([])
    expect(await store.audit.search({ workspaceId: 'T7', limit: 10 })).toHaveLength(3)
  }
}, 60_000)

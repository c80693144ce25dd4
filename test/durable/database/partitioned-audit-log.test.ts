import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { deleteWorkspaceRows } from '../../../packages/durable/src/database/delete-rows.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { backUp, openDatabase, restoreBackup } from '../../databases/open.ts'
import { runStatement, startPostgresDatabase } from '../../databases/postgres.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const IDS = Array.from({ length: 40 }, (_, n) => `T${n}`)
const ENTRY = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const

/** Reads the SQL block in docs/scale.md. */
async function readDocumentedSql(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../../docs/scale.md'), 'utf8')
  const [, block] = /```sql\n(.*?)```/s.exec(page) ?? []
  if (block === undefined) throw new Error('docs/scale.md has no SQL.')
  return block
}

it('backs up and restores an audit log partitioned as documented', async () => {
  using folder = makeFolder()
  await using address = await startPostgresDatabase('migrated')
  await using target = await startPostgresDatabase()
  const options = { url: address.url, keys: KEY_A }
  const raw = await openDatabase(address.url)
  const listIndexes = async () => {
    const { rows } = await sql<{ indexdef: string }>`
      select indexdef from pg_indexes where tablename = 'audit_entry' order by indexdef`.execute(raw.rows)
    return rows.map(({ indexdef }) => indexdef.replace(/INDEX \S+ ON (ONLY )?/, ''))
  }
  const before = await listIndexes()
  {
    await using store = await openStore(options)
    for (const workspaceId of IDS) await store.audit.append({ ...ENTRY, workspaceId })
  }
  await runStatement(address.url, await readDocumentedSql())
  expect(await listIndexes()).toEqual(before)
  {
    await using store = await openStore(options)
    for (const workspaceId of IDS) await store.audit.append({ ...ENTRY, workspaceId })
    expect((await store.audit.verifyAll()).faults).toEqual([])
  }
  const file = join(folder.path, 'backup')
  await backUp(options, file)
  // Rows of different partitions can have the same physical position.
  expect(await deleteWorkspaceRows(raw, 'T7', 'audit_entry')).toBe(2)
  const remaining = await raw.rows.selectFrom('audit_entry').select('workspace_id').distinct().execute()
  expect(remaining.map(({ workspace_id }) => workspace_id).sort()).toEqual(
    IDS.filter((id) => id !== 'T7').sort(),
  )
  await raw[Symbol.asyncDispose]()
  for (const targetUrl of [target.url, address.url]) {
    await restoreBackup({ url: targetUrl, keys: KEY_A, path: file, isReplacing: true })
    await using store = await openStore({ url: targetUrl, keys: KEY_A })
    expect((await store.audit.verifyAll()).faults).toEqual([])
    // The two appended rows, and the row that records the restore.
    expect(await store.audit.search({ workspaceId: 'T7', limit: 10 })).toHaveLength(3)
  }
}, 60_000)

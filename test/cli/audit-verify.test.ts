import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSchemaState } from '@signalman/durable'
import { expect, it } from 'vitest'
import { MODEL } from '../../src/app/model.ts'
import { openStore } from '../../src/app/store.ts'
import { createMemoryPlace } from '../audit/memory-place.ts'
import { runVerb, signalman } from '../command-line.ts'
import { EMPTY_DATABASES, KEY_A, makeFolder } from '../databases/databases.ts'
import { openDatabase } from '../databases/open.ts'

const auditEvent = (workspaceId: string, n: number) => ({
  workspaceId,
  at: new Date(n * 60_000),
  actor: { userId: 'U1' },
  verb: 'health-check.edit',
  outcome: 'done' as const,
  reference: `r${n}`,
})

async function writeLog(path: string) {
  const url = `sqlite:${join(path, 'a.db')}`
  await using store = await openStore({ url, keys: KEY_A })
  for (let n = 1; n <= 4; n++) {
    await store.audit.append(auditEvent('T1', n))
    await store.audit.append(auditEvent('T2', n))
  }
  return { url, env: { DATABASE_URL: url, ENCRYPTION_KEYS: KEY_A } }
}

it('prints a line for each workspace, and exits with 0', async () => {
  using folder = makeFolder()
  const { env } = await writeLog(folder.path)
  expect(await signalman(['audit', 'verify'], { env })).toEqual({
    code: 0,
    stdout: 'T1: 4 rows, intact\nT2: 4 rows, intact\nThe audit log is intact.\n',
    stderr: '',
  })
})

it('lists each fault, and exits with 1', async () => {
  using folder = makeFolder()
  const { env, url } = await writeLog(folder.path)
  {
    await using raw = await openDatabase(url)
    const rows = raw.rows.updateTable('audit_entry').where('workspace_id', '=', 'T1')
    await rows.where('sequence', '=', 2).set({ user_id: 'U9' }).execute()
    await raw.rows
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', 'T1')
      .where('sequence', '=', 4)
      .execute()
  }
  const { code, stdout } = await runVerb(['audit', 'verify'], { env })
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^T1: 3 rows, 2 faults\n {2}row 2 was changed or moved: .*\n {2}row 4 was deleted\nT2: 4 rows, intact\n$/,
  )
})

it.each([
  { compared: 'nothing', args: [], anchored: 'slack:T1/C1', isSaid: true },
  { compared: 'another place', args: [], anchored: 'file:elsewhere', configured: true, isSaid: true },
  { compared: 'that place', args: [], anchored: undefined, configured: true, isSaid: false },
  { compared: 'a file that may be a copy of it', args: ['--anchor'], anchored: 'slack:T1/C1', isSaid: false },
])('says if the anchor was left out: $compared compared', async ({ args, anchored, configured, isSaid }) => {
  using folder = makeFolder()
  const { url, env } = await writeLog(folder.path)
  const path = join(folder.path, 'anchor')
  const records: string[] = []
  {
    await using store = await openStore({ url, keys: KEY_A })
    await store.anchoring.anchor(createMemoryPlace(records, anchored ?? `file:${path}`), new Date())
  }
  writeFileSync(path, records.join(''))
  const { stdout } = await runVerb(['audit', 'verify', ...args.flatMap((flag) => [flag, path])], {
    env: { ...env, ...(configured && { AUDIT_ANCHOR: `file:${path}` }) },
  })
  const left = `Not compared with the anchor ${anchored}, so an older copy of the whole database would look the same.`
  expect(stdout.includes(left)).toBe(isSaid)
  expect(stdout.includes('Not compared')).toBe(isSaid)
})

const EMPTY = EMPTY_DATABASES.flatMap((database) =>
  [
    ['audit', 'verify'],
    ['audit', 'export'],
    ['restore', '--confirm'],
    ['rotate-keys'],
    ['erase-workspace', 'T1', '--yes'],
    ['backup', '-'],
  ].map((args) => ({ ...database, args: [...args] })),
)

it.each(EMPTY)('creates no tables in $name that is empty: $args', async ({ start, args }) => {
  await using database = await start()
  const file = database.url.startsWith('sqlite:') ? database.url.slice('sqlite:'.length) : undefined
  if (file !== undefined) writeFileSync(file, '')
  const env = { DATABASE_URL: database.url, ENCRYPTION_KEYS: KEY_A }
  expect(await runVerb(args, { env })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/database is empty/),
  })
  expect((await readSchemaState(database.url, MODEL)).isEmpty).toBe(true)
})

it('reports a missing chain', async () => {
  using folder = makeFolder()
  const { env, url } = await writeLog(folder.path)
  {
    await using raw = await openDatabase(url)
    for (const table of ['audit_entry', 'audit_chain'] as const) {
      await raw.rows.deleteFrom(table).where('workspace_id', '=', 'T1').execute()
    }
  }
  const { code, stdout } = await runVerb(['audit', 'verify'], { env })
  expect(code).toBe(1)
  expect(stdout).toBe('T1: 0 rows, 1 fault\n  the sealed head of the chain was deleted\nT2: 4 rows, intact\n')
})

it('lists rows that grant something but were written without the keys', async () => {
  using folder = makeFolder()
  const { env, url } = await writeLog(folder.path)
  {
    await using raw = await openDatabase(url)
    const row = {
      workspace_id: 'T1',
      key: 'audit.kept-days',
      value: '0.00001',
      decided_by: null,
      sealed_proof: 'v1.a.AAAA',
    }
    await raw.rows.insertInto('setting').values(row).execute()
  }
  const { code, stdout } = await runVerb(['audit', 'verify'], { env })
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /^The row of setting with workspace_id "T1", key "audit.kept-days" was not written by/m,
  )
})

it('doesn’t create a missing database', async () => {
  using folder = makeFolder()
  const path = join(folder.path, 'none.db')
  const { code, stderr } = await runVerb(['audit', 'verify'], {
    env: { DATABASE_URL: `sqlite:${path}` },
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`There’s no database at ${path}`)
  expect(existsSync(path)).toBe(false)
})

it.each(['/var/anchor', '"file:/var/anchor"', 'File:/var/anchor', 'file:'])(
  'doesn’t call a log intact if AUDIT_ANCHOR can’t be read: %s',
  async (anchor) => {
    const result = await runVerb(['audit', 'verify'], {
      env: { DATABASE_URL: 'sqlite::memory:', AUDIT_ANCHOR: anchor },
    })
    expect(result).toMatchObject({ code: 2, stdout: '' })
    expect(result.stderr).toContain('AUDIT_ANCHOR must be slack:CHANNEL')
  },
)

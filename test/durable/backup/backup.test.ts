import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LAST_BACKUP, RESTORED, WHOLE_STORE } from '../../../packages/durable/src/backup/backup-settings.ts'
import { readBackupHeader, readWorkspaceKeys } from '../../../packages/durable/src/backup/restore.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { EMPTY_DATABASES, KEY_A, KEY_B, makeFolder, SHARED_DATABASES } from '../../databases/databases.ts'
import { backUp, openDatabase, restoreBackup, verifyBackup } from '../../databases/open.ts'
import { IS_LONG } from '../../long.ts'
import { readSeed } from '../../random.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

/** Adds rows to most tables. */
async function addRows(store: Store): Promise<void> {
  const hostile = 'Grüße \u2028 "quoted" \\ <!channel>'
  await store.connections.save({
    workspaceId: 'T1',
    environment: 'production',
    token: 'secret',
    userId: 'U1',
    now: NOW,
  })
  await store.grants.add('T1', 'admin', { kind: 'user', id: 'U1' }, 'U1', NOW)
  const rows = Array.from({ length: 1200 }, (_, n) =>
    store.audit.append({
      workspaceId: n % 3 === 0 ? 'T2' : 'T1',
      at: NOW,
      actor: { userId: 'U1' },
      verb: 'health-check.edit',
      object: hostile,
      outcome: 'done',
      reference: `r${n}`,
    }),
  )
  await Promise.all(rows)
  await store.work.add({ workspaceId: 'T1', kind: 'act', personId: 'U1', body: { a: 1 } }, 'waiting')
  await store.work.schedule({ workspaceId: '', kind: 'sweep', key: 'hourly' })
}

/** By the seed, each kind is restored into itself, or each into the other. A long run has both. */
const RESTORED_INTO_OTHER = readSeed() % 2 === 1

describe.each(EMPTY_DATABASES)('a backup of $name', ({ name, start }) => {
  /** What a backup is made of need not be empty. */
  const startSource = SHARED_DATABASES.find((shared) => shared.name === name)?.start ?? start
  const targets = EMPTY_DATABASES.filter(
    (target) => IS_LONG || (target.name !== name) === RESTORED_INTO_OTHER,
  )
  it.each(targets)(`can be restored into $name`, async ({ start: startOther }) => {
    using folder = makeFolder()
    await using database = await startSource()
    const path = join(folder.path, 'a.backup')
    {
      await using store = await openStore(database)
      await addRows(store)
      const result = await backUp({ ...database, now: () => NOW }, path)
      expect(await store.settings.get(WHOLE_STORE, LAST_BACKUP)).toMatchObject({
        at: NOW.toISOString(),
        bytes: statSync(path).size,
        rows: result.rows,
      })
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
    const ring = parseKeys(KEY_A)
    const keys = await readWorkspaceKeys(path, await readBackupHeader(path), ring, undefined)
    expect(await verifyBackup(path, ring, keys)).toMatchObject({
      hasVerifiedSeals: true,
      faults: [],
      unreadCount: 0,
    })
    // Without the workspace keys, the rows sealed with them are only counted.
    expect((await verifyBackup(path, ring)).unreadCount).toBeGreaterThan(1200)
    await using other = await startOther()
    expect(await restoreBackup({ ...other, path })).toMatchObject({
      unfinishedWork: 1,
      requestsInFlight: 0,
      former: undefined,
    })
    await using store = await openStore(other)
    expect((await store.connections.find('T1', 'production'))?.token).toBe('secret')
    // The counts include the audit row of the restore, and in T1 also that of the role.
    expect(await store.audit.verify('T1')).toMatchObject({ rows: 802, faults: [] })
    expect(await store.audit.verify('T2')).toMatchObject({ rows: 401, faults: [] })
    expect((await store.audit.verifyAll()).faults).toEqual([])
    expect(await store.settings.get(WHOLE_STORE, RESTORED)).toMatchObject({ madeAt: NOW.toISOString() })
    const [newest] = await store.audit.search({ workspaceId: 'T1', verb: 'health-check.edit', limit: 1 })
    expect(newest?.object).toContain('\u2028')
  })

  it('contains everything that was committed before it started', async () => {
    using folder = makeFolder()
    await using database = await startSource()
    const path = join(folder.path, 'a.backup')
    await (await openStore(database))[Symbol.asyncDispose]()
    await using child = await startChild('save', { ...database, name: 'busy' })
    child.go()
    let acknowledged = 0
    while (acknowledged < 30) acknowledged = Number(await child.line())
    await backUp(database, path)
    await child.kill()
    expect(await verifyBackup(path, parseKeys(KEY_A))).toMatchObject({ faults: [] })
    await using other = await start()
    await restoreBackup({ ...other, path })
    await using store = await openStore(other)
    for (let n = 1; n <= acknowledged; n++)
      expect((await store.connections.find(`busy-${n}`, 'production'))?.token).toBe(`token of busy-${n}`)
  })

  it('contains every act that was acknowledged before it started', async () => {
    using folder = makeFolder()
    await using database = await startSource()
    const path = join(folder.path, 'a.backup')
    await (await openStore(database))[Symbol.asyncDispose]()
    await using child = await startChild('acknowledge', { ...database, name: 'busy' })
    child.go()
    let acknowledged = 0
    while (acknowledged < 30) acknowledged = Number(await child.line())
    await backUp(database, path)
    await child.kill()
    await using other = await start()
    const { unfinishedWork } = await restoreBackup({ ...other, path })
    expect(unfinishedWork).toBeGreaterThanOrEqual(acknowledged)
    await using store = await openStore(other)
    const rows = await store.audit.search({ workspaceId: 'T1', limit: 1000 })
    const logged = new Set(rows.map(({ reference }) => reference))
    for (let n = 1; n <= acknowledged; n++) {
      expect(logged).toContain(`busy-${n}`)
      expect(await store.orders.findByReference('T1', `busy-${n}`)).toMatchObject({ state: 'awaiting' })
    }
    expect(await store.audit.verify('T1')).toMatchObject({ faults: [] })
  })

  it('replaces a database that isn’t empty only on request, and keeps the old one', async () => {
    using folder = makeFolder()
    await using database = await startSource()
    const path = join(folder.path, 'a.backup')
    {
      await using store = await openStore(database)
      await addRows(store)
    }
    await backUp(database, path)
    {
      await using store = await openStore(database)
      const auditEvent = {
        at: NOW,
        actor: { userId: 'U2' },
        verb: 'later',
        outcome: 'done',
        reference: 'r',
      } as const
      await store.audit.append({ ...auditEvent, workspaceId: 'T2' })
      // The database is in use, and isn't empty.
      await expect(restoreBackup({ ...database, path, isReplacing: true })).rejects.toMatchObject({
        message: name === 'PostgreSQL' ? expect.any(String) : expect.stringContaining('in use'),
      })
    }
    await expect(restoreBackup({ ...database, path })).rejects.toMatchObject({
      kind: 'not-empty',
      message: expect.stringContaining('not empty'),
    })
    const restored = await restoreBackup({ ...database, path, isReplacing: true })
    expect(restored.former).toContain(name === 'PostgreSQL' ? 'before_restore_' : '.before-restore-')
    expect([...(restored.newer?.auditRows ?? [])]).toEqual([['T2', 1]])
    await using store = await openStore(database)
    expect(await store.audit.verify('T2')).toMatchObject({ rows: 401, faults: [] })
  })
})

/** Changes the last character of the line if it contains an encrypted row. */
const changeEncryptedRow = (line: string): string =>
  line.includes('"sealed":"') ? line.replace(/(.)"\}$/, (_, last) => `${last === 'A' ? 'B' : 'A'}"}`) : line

describe('a backup file', () => {
  async function makeBackup(path: string) {
    await using database = await EMPTY_DATABASES[0]?.start()
    if (!database) throw new Error('No database.')
    await using store = await openStore(database)
    await addRows(store)
    await backUp(database, path)
  }

  it('can’t be verified or restored if damaged, truncated, or changed, and leaves no files', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path)
    const packed = readFileSync(path)
    const lines = gunzipSync(packed).toString('utf8').split('\n')
    const forge = (change: (lines: string[]) => string[]) => gzipSync(change([...lines]).join('\n'))
    const cases = {
      'a changed byte': Buffer.concat([packed.subarray(0, 900), Buffer.from('x'), packed.subarray(901)]),
      'a missing end': packed.subarray(0, packed.length - 20),
      'a missing line': forge((all) => all.toSpliced(5, 1)),
      'a changed value': forge((all) => all.map(changeEncryptedRow)),
      'a line that isn’t an object': forge((all) => all.toSpliced(5, 0, 'null')),
      'a line of another kind': forge((all) => all.toSpliced(5, 0, '{}')),
      'an empty file': Buffer.alloc(0),
      'another file': gzipSync('{"a":1}\n'),
    }
    for (const [fault, content] of Object.entries(cases)) {
      const broken = join(folder.path, `${fault}.backup`)
      writeFileSync(broken, content)
      await expect(verifyBackup(broken, undefined), fault).rejects.toMatchObject({ kind: 'unusable' })
      const url = `sqlite:${join(folder.path, 'fresh.db')}`
      await expect(restoreBackup({ url, keys: KEY_A, path: broken }), fault).rejects.toMatchObject({
        kind: 'unusable',
      })
      await using database = await openDatabase(url)
      expect((await database.rows.introspection.getTables()).map(({ name }) => name)).toEqual([])
    }
  })

  it('can’t be verified if someone without the keys replaced its hash', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path)
    const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n')
    const { createHash } = await import('node:crypto')
    const index = lines.findIndex((line) => line.includes('"hourly"'))
    lines[index] = (lines[index] ?? '').replace('"hourly"', '"daily"')
    const body = lines.slice(0, -2).map((line) => `${line}\n`)
    const end = JSON.parse(lines.at(-2) ?? '')
    end.sha256 = createHash('sha256').update(body.join('')).digest('hex')
    writeFileSync(path, gzipSync(`${body.join('')}${JSON.stringify(end)}\n`))
    await expect(verifyBackup(path, parseKeys(KEY_A))).rejects.toThrow(
      'someone without the encryption keys changed the backup',
    )
    const url = `sqlite:${join(folder.path, 'fresh.db')}`
    await expect(restoreBackup({ url, keys: KEY_A, path })).rejects.toThrow(
      'someone without the encryption keys changed the backup',
    )
  })

  it('contains no key, and can only be restored with the key that encrypted it', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path)
    expect(gunzipSync(readFileSync(path)).toString('utf8')).not.toContain(KEY_A.slice(2, 30))
    await expect(verifyBackup(path, parseKeys(KEY_B))).rejects.toMatchObject({ kind: 'wrong-key' })
    const sameName = parseKeys(KEY_B.replace('b:', 'a:'))
    await expect(verifyBackup(path, sameName)).rejects.toMatchObject({ kind: 'wrong-key' })
    const url = `sqlite:${join(folder.path, 'fresh.db')}`
    await expect(restoreBackup({ url, path })).rejects.toMatchObject({
      kind: 'wrong-key',
      message: expect.stringMatching(/key "a" \(fingerprint [0-9a-f]{16}\)/),
    })
  })

  it.each([
    { given: 'another key', keys: KEY_B },
    { given: 'another key of the same name', keys: KEY_B.replace('b:', 'a:') },
  ])('isn’t made with $given than the database’s', async ({ keys }) => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    const url = `sqlite:${join(folder.path, 'a.db')}`
    {
      await using _ = await openStore({ url, keys: KEY_A })
    }
    await expect(backUp({ url, keys }, path)).rejects.toMatchObject({ name: 'StoreError', kind: 'wrong-key' })
    expect(readdirSync(folder.path).filter((name) => name.includes('.backup'))).toEqual([])
  })

  it('never overwrites an existing file', async () => {
    using folder = makeFolder()
    const path = join(folder.path, 'a.backup')
    await makeBackup(path)
    await expect(makeBackup(path)).rejects.toThrow('already exists')
  })
})

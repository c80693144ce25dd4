import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { StoreError } from '../../../packages/durable/src/database/errors.ts'
import { openStore } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { backUp, restoreBackup } from '../../databases/open.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'

const RESTORES = quickOrLong('RESTORES', { quick: 2, long: 300 })
const SEED = readSeed()
const random = createRandom(SEED)
const NOW = new Date('2026-03-01T12:00:00.000Z')
/** Longer than a restore of this backup takes, so that some kills come only after it has finished. */
const MAX_DELAY_MS = 900

interface DatabaseAddress {
  readonly file: string
  readonly url: string
  readonly keys: string
}

const addressIn = (folder: string): DatabaseAddress => {
  const file = join(folder, 'a.db')
  return { file, url: `sqlite:${file}`, keys: KEY_A }
}

async function appendRows(address: DatabaseAddress, count: number): Promise<void> {
  await using store = await openStore(address)
  const entry = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await Promise.all(Array.from({ length: count }, () => store.audit.append({ ...entry, workspaceId: 'T1' })))
}

/** Returns the number of audit rows, or the error. A database that opens must be intact. */
async function countRows(address: DatabaseAddress): Promise<number | string> {
  try {
    await using store = await openStore(address)
    const { rows, faults } = await store.audit.verify('T1')
    expect([faults, (await store.audit.verifyAll()).faults]).toEqual([[], []])
    // A restore adds one row.
    const restoreRows = await store.audit.search({ workspaceId: 'T1', verb: 'store.restore', limit: 10 })
    return rows - restoreRows.length
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return error.message
  }
}

const BACKUP_ROWS = 300
const FORMER_ROWS = 77

/** How the target is prepared. `before` is its number of rows, or its error, before the restore. */
const TARGETS = [
  {
    name: 'over a database',
    prepare: (address: DatabaseAddress) => appendRows(address, FORMER_ROWS),
    before: FORMER_ROWS,
  },
  {
    name: 'next to a leftover write-ahead log',
    async prepare(address: DatabaseAddress) {
      await using child = await startChild('acknowledge', { ...address, name: 'killed' })
      child.go()
      for (let n = 0; n < 20; n++) await child.line()
      await child.kill()
      renameSync(address.file, `${address.file}-moved`)
    },
    before: 0,
  },
  {
    name: 'over a damaged file',
    prepare: async (address: DatabaseAddress) =>
      writeFileSync(address.file, Buffer.alloc(100_000, 'damaged ')),
    before: expect.stringMatching(/isn’t a SQLite database|is damaged/),
  },
  { name: 'into an empty folder', prepare: async () => undefined, before: 0 },
]

it(`either completes or changes nothing in each of ${RESTORES} restores killed at random (SEED=${SEED})`, {
  timeout: 900_000,
}, async () => {
  using backupFolder = makeFolder()
  const path = join(backupFolder.path, 'a.backup')
  await appendRows(addressIn(backupFolder.path), BACKUP_ROWS)
  await backUp(addressIn(backupFolder.path), path)
  const outcomes: Record<string, number> = {}
  for (let n = 0; n < RESTORES; n++) {
    const { name, prepare, before } = TARGETS[n] ?? random.oneOf(TARGETS)
    using folder = makeFolder()
    const address = addressIn(folder.path)
    await prepare(address)
    await using child = await startChild('restore', { ...address, name: path })
    child.go()
    // In some rounds, another process starts the app in the middle.
    const startsApp = random.next() < 0.3
    const killed = delay(random.below(MAX_DELAY_MS)).then(() => child.kill())
    const rowsDuringRestore = startsApp
      ? delay(random.below(MAX_DELAY_MS)).then(() => countRows(address))
      : undefined
    const output = await killed
    if (rowsDuringRestore)
      expect([BACKUP_ROWS, before, expect.stringContaining('is being restored')], name).toContainEqual(
        await rowsDuringRestore,
      )
    const rows = await countRows(address)
    const isRestored = output.includes('restored')
    expect(isRestored ? [BACKUP_ROWS] : [BACKUP_ROWS, before], `${name}, ${output.join()}`).toContainEqual(
      rows,
    )
    expect(readdirSync(dirname(address.file)).filter((file) => /\.restor(ing|ed)/.test(file))).toEqual([])
    const outcome = `${name}: ${rows === BACKUP_ROWS ? 'complete' : 'unchanged'}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    // The next restore succeeds, and keeps the former database.
    const { former } = await restoreBackup({ ...address, path, isReplacing: true })
    expect(former && existsSync(former)).not.toBe(false)
    expect(await countRows(address), name).toBe(BACKUP_ROWS)
    using raw = new DatabaseSync(address.file)
    expect(raw.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  }
  expect(Object.keys(outcomes).length).toBeGreaterThan(1)
})

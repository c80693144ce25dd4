import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as after } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { StoreError } from '../../../packages/durable/src/database/errors.ts'
import { openStore } from '../../../src/app/store.ts'
import { startChild } from '../../databases/children.ts'
import { KEY_A, makeFolder } from '../../databases/databases.ts'
import { backUp, restoreBackup } from '../../databases/open.ts'
import { runs } from '../../long.ts'
import { seeded, seedOf } from '../../random.ts'

const RESTORES = runs('RESTORES', { quick: 8, long: 300 })
const SEED = seedOf()
const random = seeded(SEED)
const NOW = new Date('2026-03-01T12:00:00.000Z')
/** Longer than a restore of this backup takes, so that some kills come after its end. */
const WITHIN_MS = 900

interface Place {
  readonly file: string
  readonly url: string
  readonly keys: string
}

const placeIn = (folder: string): Place => {
  const file = join(folder, 'a.db')
  return { file, url: `sqlite:${file}`, keys: KEY_A }
}

async function log(address: Place, many: number): Promise<void> {
  await using store = await openStore(address)
  const entry = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await Promise.all(Array.from({ length: many }, () => store.audit.append({ ...entry, workspaceId: 'T1' })))
}

/** The number of audit rows, or the error. The database is intact if it opens. */
async function countRows(address: Place): Promise<number | string> {
  try {
    await using store = await openStore(address)
    const { rows, faults } = await store.audit.verify('T1')
    expect([faults, (await store.audit.verifyAll()).faults]).toEqual([[], []])
    // A restore adds one row.
    const own = await store.audit.search({ workspaceId: 'T1', verb: 'store.restore', limit: 10 })
    return rows - own.length
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return error.message
  }
}

const IN_BACKUP = 300
const IN_FORMER = 77

/** The database before the restore, and what may exist after an early kill. */
const CASES = [
  { name: 'over a database', make: (address: Place) => log(address, IN_FORMER), before: IN_FORMER },
  {
    name: 'next to a leftover write-ahead log',
    async make(address: Place) {
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
    make: async (address: Place) => writeFileSync(address.file, Buffer.alloc(100_000, 'damaged ')),
    before: expect.stringMatching(/isn’t a SQLite database|is damaged/),
  },
  { name: 'into an empty place', make: async () => undefined, before: 0 },
]

it(`completes each of ${RESTORES} restores or changes nothing, if they are killed at a random moment (SEED=${SEED})`, {
  timeout: 900_000,
}, async () => {
  using made = makeFolder()
  const path = join(made.path, 'a.backup')
  await log(placeIn(made.path), IN_BACKUP)
  await backUp(placeIn(made.path), path)
  const ends: Record<string, number> = {}
  for (let n = 0; n < RESTORES; n++) {
    const { name, make, before } = CASES[n] ?? random.oneOf(CASES)
    using folder = makeFolder()
    const address = placeIn(folder.path)
    await make(address)
    await using child = await startChild('restore', { ...address, name: path })
    child.go()
    // In some rounds, another process starts the app in the middle.
    const isStarted = random.next() < 0.3
    const killed = after(random.below(WITHIN_MS)).then(() => child.kill())
    const started = isStarted ? after(random.below(WITHIN_MS)).then(() => countRows(address)) : undefined
    const output = await killed
    if (started)
      expect([IN_BACKUP, before, expect.stringContaining('is being restored')], name).toContainEqual(
        await started,
      )
    const now = await countRows(address)
    const isRestored = output.includes('restored')
    expect(isRestored ? [IN_BACKUP] : [IN_BACKUP, before], `${name}, ${output.join()}`).toContainEqual(now)
    expect(readdirSync(dirname(address.file)).filter((one) => /\.restor(ing|ed)/.test(one))).toEqual([])
    const end = `${name}: ${now === IN_BACKUP ? 'whole' : 'not begun'}`
    ends[end] = (ends[end] ?? 0) + 1
    // The next restore works normally, and keeps what exists.
    const { former } = await restoreBackup({ ...address, path, isReplacing: true })
    expect(former && existsSync(former)).not.toBe(false)
    expect(await countRows(address), name).toBe(IN_BACKUP)
    using raw = new DatabaseSync(address.file)
    expect(raw.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  }
  expect(Object.keys(ends).length).toBeGreaterThan(1)
})

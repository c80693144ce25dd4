import { existsSync } from 'node:fs'
import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  describeDatabaseError,
  explainFileError,
  findSqliteFile,
  isUnconfirmed,
  RESTORED,
  StoreError,
  tryOpening,
  WHOLE_STORE,
} from '@signalman/durable'
import { MODEL } from '../app/model.ts'
import { openStore, type Store } from '../app/store.ts'
import { STORE_HINTS } from '../config/store-hints.ts'
import { SQLITE_URL } from '../config/variables.ts'
import type { Config } from '../config.ts'
import { formatCount, pluralize } from '../domain/wording.ts'
import { advice, type DoctorFinding, describeError, fault, ok } from './finding.ts'

const MIN_FREE_BYTES = 200 * 1024 * 1024

/**
 * Tries what a start does with the database, then opens it and writes a test row. If that works, the result contains the open store, which the
 * caller must close.
 */
export async function examineDatabase(
  { databaseUrl: url, encryptionKeys: keys }: Pick<Config, 'databaseUrl' | 'encryptionKeys'>,
  now: Date,
  minFreeBytes = MIN_FREE_BYTES,
) {
  const file = findSqliteFile(url)
  if (file === ':memory:') return { findings: [IN_MEMORY], store: undefined, processes: undefined }
  const disk = file === undefined ? undefined : await examineDisk(url, file, minFreeBytes)
  const diskFindings = disk ? [disk.finding] : []
  const withoutStore = (...findings: DoctorFinding[]) => ({
    findings: [...diskFindings, ...findings],
    store: undefined,
    processes: undefined,
  })
  // If there is too little free space but the folder is writable, the other checks still run.
  if (disk && !disk.isWritable) return withoutStore()
  // Opening it would create it.
  if (file !== undefined && !existsSync(file) && !existsSync(`${file}.key`))
    return withoutStore(
      advice('database', `There’s no database at ${file} yet.`, 'The first start creates it.'),
    )
  try {
    const { pending, isEmpty } = await tryOpening({ url, model: MODEL })
    if (isEmpty)
      return withoutStore(
        advice('database', 'It responds and is empty.', 'The first start creates the tables.'),
      )
    if (pending.length > 0) return withoutStore(olderSchema(pending.length))
    const store = await openStore({ url, keys, now: () => now })
    let processes: number
    try {
      processes = (await store.processes.heartbeat('doctor')) - 1
      await store.processes.leave('doctor')
    } catch (error) {
      await store[Symbol.asyncDispose]()
      return withoutStore(explainOpenError(error, file))
    }
    const findings = [
      ok('database', 'It responds, is up to date, and is writable.'),
      ok('keys', 'They include every key that the stored data is encrypted with.'),
    ]
    return { findings: [...diskFindings, ...findings], store, processes }
  } catch (error) {
    return withoutStore(explainOpenError(error, file))
  }
}

const IN_MEMORY = fault(
  'database',
  'It’s only in memory, so each stop loses everything: roles, tokens, watches, orders, and the audit log.',
  'Set DATABASE_URL to a file, such as sqlite:./data/signalman.db, or to PostgreSQL.',
)

const olderSchema = (pending: number): DoctorFinding =>
  advice(
    'database',
    `It has an older schema. ${pluralize(pending, 'migration')} pending.`,
    'Make a backup (signalman backup FILE), then start the app, which migrates the database. For downgrading, see docs/operate.md.',
  )

const KEY_FAULTS: ReadonlySet<string> = new Set(['wrong-key', 'bad-keys', 'missing-keys'])

function explainOpenError(thrown: unknown, file: string | undefined): DoctorFinding {
  const error = explainFileError(thrown, file)
  if (!(error instanceof StoreError))
    return fault(
      'database',
      `It ${describeDatabaseError(error) ?? `can’t be used (${describeError(error)})`}.`,
    )
  return fault(KEY_FAULTS.has(error.kind) ? 'keys' : 'database', error.message, STORE_HINTS[error.kind])
}

/** Checks the folder of the database. The first start creates the folder of the default database. */
async function examineDisk(
  url: string,
  file: string,
  minFreeBytes: number,
): Promise<{ finding: DoctorFinding; isWritable: boolean }> {
  const folder = dirname(file)
  const existing = url === SQLITE_URL && !existsSync(folder) ? '.' : folder
  try {
    await rmdir(await mkdtemp(join(existing, '.signalman-')))
    const { bavail, bsize } = await statfs(existing)
    const bytes = bavail * bsize
    const message = `${formatCount(Math.floor(bytes / 1024 / 1024))} MB are free in ${folder}.`
    const fix = 'Free some disk space. Without it, Signalman refuses all changes.'
    const finding = bytes < minFreeBytes ? fault('disk', message, fix) : ok('disk', message)
    return { finding, isWritable: true }
  } catch (error) {
    return { finding: explainOpenError(error, file), isWritable: false }
  }
}

export async function examineRestore({ settings }: Pick<Store, 'settings'>): Promise<DoctorFinding[]> {
  return isUnconfirmed(await settings.get(WHOLE_STORE, RESTORED))
    ? [
        fault(
          'restore',
          'The database was restored from a backup, and nobody has confirmed yet which orders were sent since that backup.',
          'Run signalman restore --help. Until you confirm, Signalman places no orders.',
        ),
      ]
    : []
}

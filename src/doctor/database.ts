import { existsSync } from 'node:fs'
import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  AUDIT_RETENTION_DAYS,
  isUnconfirmed,
  LAST_BACKUP,
  RESTORED,
  readSchemaState,
  StoreError,
  WHOLE_STORE,
} from '@signalman/durable'
import { DAY_MS } from '@signalman/runtime'
import { MODEL } from '../app/model.ts'
import { openStore, type Store } from '../app/store.ts'
import { findOutsideChanges } from '../bot/audit/outside-changes.ts'
import { ROWS_LEFT } from '../bot/retention/audit-retention.ts'
import { describeStoreError } from '../config/store-hints.ts'
import type { Config } from '../config.ts'
import { findBackupAge } from '../domain/backup-age.ts'
import { cmd } from '../domain/command-names.ts'
import { formatCount, pluralize } from '../domain/wording.ts'
import { examineAnchor } from './anchor.ts'
import { advice, type DoctorFinding, describeError, fault, ok } from './finding.ts'

const MIN_FREE_BYTES = 200 * 1024 * 1024

/**
 * Opens the database without migrating it, and writes a test row. If that works, the result contains the open store, which the
 * caller must close.
 */
export async function examineDatabase(
  {
    databaseUrl: url,
    encryptionKeys: keys,
    outcomeJournal: journal,
  }: Pick<Config, 'databaseUrl' | 'encryptionKeys' | 'outcomeJournal'>,
  now: Date,
  minFreeBytes = MIN_FREE_BYTES,
) {
  if (/^sqlite::memory:/i.test(url)) return { findings: [IN_MEMORY], store: undefined }
  const file = /^sqlite:(?!\/\/)(?!:memory:)(.+)$/i.exec(url)?.[1]
  const disk = file === undefined ? undefined : await examineDisk(dirname(file), minFreeBytes)
  const diskFindings = disk ? [disk.finding] : []
  const withoutStore = (...findings: DoctorFinding[]) => ({
    findings: [...diskFindings, ...findings],
    store: undefined,
  })
  // If there is too little free space but the folder is writable, the other checks still run.
  if (disk && !disk.isWritable) return withoutStore()
  if (file !== undefined && !existsSync(file))
    return withoutStore(
      advice('database', `There’s no database at ${file} yet.`, 'The first start creates it.'),
    )
  try {
    const { pending, unknown, isEmpty } = await readSchemaState(url, MODEL)
    if (isEmpty)
      return withoutStore(
        advice('database', 'It responds and is empty.', 'The first start creates the tables.'),
      )
    // If the database has unknown migrations, `openStore` below throws `newer`.
    if (unknown.length === 0 && pending.length > 0) return withoutStore(olderSchema(pending.length))
    const store = await openStore({ url, keys, journal, now: () => now })
    try {
      await store.processes.heartbeat('doctor')
      await store.processes.leave('doctor')
    } catch (error) {
      await store[Symbol.asyncDispose]()
      return withoutStore(notWritable(error))
    }
    const findings = [
      ok('database', 'It responds, is up to date, and is writable.'),
      ok('keys', 'They include every key that the stored data is encrypted with.'),
      await examineJournal(store),
    ]
    return { findings: [...diskFindings, ...findings], store }
  } catch (error) {
    return withoutStore(explainOpenError(error))
  }
}

const IN_MEMORY = fault(
  'database',
  'It’s only in memory, so each stop loses everything: roles, tokens, watches, orders, and the audit log.',
  'Set DATABASE_URL to a file, such as sqlite:./data/signalman.db, or to PostgreSQL.',
)

const examineJournal = ({ outcomeJournal }: Store): Promise<DoctorFinding> =>
  outcomeJournal.checkWritable().then(
    () => ok('outcome journal', 'It can store results while the database is down.'),
    (error: unknown) =>
      fault(
        'outcome journal',
        error instanceof StoreError
          ? describeStoreError(error)
          : `It isn’t writable (${describeError(error)}).`,
        'Fix this before you restart the app, or it won’t start. Results from the service that arrive while the database is down would be lost.',
      ),
  )

const olderSchema = (pending: number): DoctorFinding =>
  advice(
    'database',
    `It has an older schema. ${pluralize(pending, 'migration')} pending.`,
    'Make a backup (signalman backup FILE), then start the app, which migrates the database. For downgrading, see docs/upgrading.md.',
  )

const notWritable = (error: unknown): DoctorFinding =>
  fault(
    'database',
    `It isn’t writable (${describeError(error)}).`,
    'Free some disk space, mount it writable, or change the owner of its files to the user that the app runs as.',
  )

const FIX_CONNECTION =
  'Fix DATABASE_URL, or start the database. In a container, localhost is the container itself.'

function explainOpenError(error: unknown): DoctorFinding {
  if (!(error instanceof StoreError))
    return fault('database', `It can’t be used (${describeError(error)}).`, FIX_CONNECTION)
  if (error.kind === 'wrong-key' || error.kind === 'bad-keys' || error.kind === 'missing-keys')
    return fault('keys', error.message, 'Set ENCRYPTION_KEYS, or put the key file back next to the database.')
  if (error.kind === 'newer')
    return fault(
      'database',
      error.message,
      'Run the newer version again, or restore the backup from before the upgrade.',
    )
  return fault('database', error.message, FIX_CONNECTION)
}

/** Checks the folder of the database. The first start creates a missing folder, so this checks the nearest existing parent. */
async function examineDisk(
  folder: string,
  minFreeBytes: number,
): Promise<{ finding: DoctorFinding; isWritable: boolean }> {
  const existing = nearestFolder(resolve(folder))
  try {
    await rmdir(await mkdtemp(join(existing, '.signalman-')))
    const { bavail, bsize } = await statfs(existing)
    const bytes = bavail * bsize
    const message = `${formatCount(Math.floor(bytes / 1024 / 1024))} MB are free in ${folder}.`
    const fix = 'Free some disk space. Without it, Signalman refuses all changes.'
    const finding = bytes < minFreeBytes ? fault('disk', message, fix) : ok('disk', message)
    return { finding, isWritable: true }
  } catch (error) {
    const finding = fault(
      'disk',
      `${folder} isn’t writable (${describeError(error)}).`,
      'Mount it writable and chown it to the user that the app runs as, or choose another folder in DATABASE_URL.',
    )
    return { finding, isWritable: false }
  }
}

const nearestFolder = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))

const MAX_LISTED = 20

/** Reports roles, settings, and connections that something other than the app wrote. */
export async function examineRows(store: Store): Promise<DoctorFinding[]> {
  const forged = await Array.fromAsync(findOutsideChanges(store))
  if (forged.length === 0)
    return [ok('stored rows', 'The app wrote every stored role, setting, and connection.')]
  const findings = forged
    .slice(0, MAX_LISTED)
    .map((message) => fault('stored rows', message, explainHowToRestoreRows()))
  const unlistedCount = forged.length - MAX_LISTED
  return unlistedCount > 0
    ? [...findings, fault('stored rows', `And ${pluralize(unlistedCount, 'more row')} like these.`)]
    : findings
}

const explainHowToRestoreRows = (): string =>
  `Find out who changed the database. Then an admin sets it again in Slack: ${cmd('/hc access')}, ${cmd('/hc connect')}, ${cmd('/cert-order settings')}.`

/** Checks what you'd need after an incident: backups and the audit anchor. */
export async function examineBackups(store: Store, config: Config, now: Date): Promise<DoctorFinding[]> {
  const backup = await store.settings.get(WHOLE_STORE, LAST_BACKUP)
  const restored = await store.settings.get(WHOLE_STORE, RESTORED)
  const retired = await store.retiredDatabases.list()
  return [
    backupFinding(backup?.at, now),
    ...(isUnconfirmed(restored)
      ? [
          fault(
            'restore',
            'The database was restored from a backup, and nobody has confirmed yet what changed in the service since that backup.',
            'Run signalman restore --help. Until you confirm, Signalman places no orders.',
          ),
        ]
      : []),
    ...retired.map(({ name, keptUntil }) =>
      advice(
        'restore',
        `The database that a restore replaced is in ${name}.`,
        keptUntil
          ? `It will be deleted after ${keptUntil.toISOString().slice(0, 10)}. You can delete it earlier once you’re sure about the restore.`
          : 'Delete it once you’re sure about the restore.',
      ),
    ),
    ...(await examineRetention(store)),
    await examineAnchor(store, config, now),
  ]
}

/**
 * Reports audit logs with more rows past their retention period than were deleted at once. Counts them again, because since then the
 * period may have been changed or the rows deleted.
 */
export async function examineRetention({
  audit,
  settings,
}: Pick<Store, 'audit' | 'settings'>): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  const countLeft = async (workspaceId: string): Promise<number> => {
    const days = await settings.get(workspaceId, AUDIT_RETENTION_DAYS)
    return days > 0 ? (await audit.findOlderThan(workspaceId, days)).rows : 0
  }
  for await (const page of settings.listStored(ROWS_LEFT))
    for (const { workspaceId, value: leftBefore = 0 } of page) {
      const left = leftBefore > 0 ? await countLeft(workspaceId) : 0
      if (left > 0) findings.push(retentionFinding(workspaceId, left))
    }
  return findings
}

const retentionFinding = (workspaceId: string, left: number): DoctorFinding =>
  advice(
    'audit retention',
    `${pluralize(left, 'row')} of the audit log of ${workspaceId} ${left === 1 ? 'is' : 'are'} past the retention period. Rows of two days go per twenty hours that the app runs.`,
    `Check the clock of the database. To delete them now, an admin of the workspace uses ${cmd('/hc audit')} --delete-expired.`,
  )

function backupFinding(at: string | undefined, now: Date): DoctorFinding {
  const fix = 'Run signalman backup FILE every day'
  if (at === undefined)
    return advice(
      'backup',
      'signalman backup hasn’t been run for this database yet.',
      `${fix}, and keep the keys elsewhere.`,
    )
  const ageMs = findBackupAge(at, now)
  if (ageMs === undefined)
    return advice(
      'backup',
      `The time of the last backup is in the future (${at}), so its age is unknown.`,
      `Check the clocks of this machine and of the one that makes backups. ${fix}.`,
    )
  const days = Math.floor(ageMs / DAY_MS)
  return days > 7
    ? advice('backup', `The last one that signalman backup made is ${days} days old.`, `${fix}.`)
    : ok('backup', `signalman backup made the last one at ${at}.`)
}

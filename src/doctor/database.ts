import { existsSync } from 'node:fs'
import { mkdtemp, rmdir, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { DAY_MS } from '../domain/durations.ts'
import { counted } from '../domain/wording.ts'
import { isUnconfirmed, LAST_BACKUP, RESTORED, WHOLE_STORE } from '../store/backup/backup-settings.ts'
import { readSchemaState } from '../store/database/schema-state.ts'
import { openStore, type Store, StoreError } from '../store/store.ts'
import { advice, type DoctorFinding, fault, ok, skipped, wordsOf } from './finding.ts'

const LITTLE_BYTES = 200 * 1024 * 1024

export interface OpenedDatabase {
  findings: DoctorFinding[]
  /** Open, when it can be used without changing it; the caller closes it. */
  store: Store | undefined
}

/** Opens the database without bringing it up to date, and writes a row. */
export async function examineDatabase(
  { databaseUrl: url, encryptionKeys: keys }: Config,
  now: Date,
): Promise<OpenedDatabase> {
  const file = /^sqlite:(?!\/\/)(?!:memory:)(.+)$/i.exec(url)?.[1]
  const room = file === undefined ? [] : await examineRoom(dirname(file))
  if (room.some(({ state }) => state === 'fault')) return { findings: room, store: undefined }
  if (file !== undefined && !existsSync(file))
    return {
      findings: [
        ...room,
        advice('database', `There is no database at ${file} yet.`, 'The first start makes it.'),
      ],
      store: undefined,
    }
  try {
    const { pending, unknown } = await readSchemaState(url)
    if (unknown.length === 0 && pending.length > 0)
      return { findings: [...room, olderSchema(pending.length)], store: undefined }
    const store = await openStore({ url, keys, now: () => now })
    try {
      await store.processes.signOfLife('doctor')
      await store.processes.leave('doctor')
    } catch (error) {
      await store[Symbol.asyncDispose]()
      return { findings: [...room, notWritable(error)], store: undefined }
    }
    return {
      findings: [
        ...room,
        ok('database', 'It answers, is up to date, and takes writes.'),
        ok('keys', 'They open what is sealed.'),
      ],
      store,
    }
  } catch (error) {
    return { findings: [...room, unusable(error)], store: undefined }
  }
}

const olderSchema = (pending: number): DoctorFinding =>
  advice(
    'database',
    `It is of an older version: ${counted(pending, 'change')} of its tables are to be made.`,
    'Make a backup (signalman backup FILE), then start the app: it brings the database up to date. docs/upgrading.md says how to go back.',
  )

const notWritable = (error: unknown): DoctorFinding =>
  fault(
    'database',
    `It takes no writes (${wordsOf(error)}).`,
    'Make room on its disk, mount it for writing, or give its files to the user that the app runs as.',
  )

const REACH = 'Correct DATABASE_URL, or start the database; from a container, localhost is the container.'

function unusable(error: unknown): DoctorFinding {
  if (!(error instanceof StoreError))
    return fault('database', `It cannot be used (${wordsOf(error)}).`, REACH)
  if (error.kind === 'wrong-key' || error.kind === 'bad-keys')
    return fault('keys', error.message, 'Set ENCRYPTION_KEYS, or put the key file back beside the database.')
  if (error.kind === 'newer')
    return fault(
      'database',
      error.message,
      'Run the newer version again, or restore the backup from before the upgrade.',
    )
  return fault('database', error.message, REACH)
}

/** A folder that is not there yet is made at the first start, in the nearest one that is. */
async function examineRoom(folder: string): Promise<DoctorFinding[]> {
  const there = nearestFolder(resolve(folder))
  try {
    await rmdir(await mkdtemp(join(there, '.signalman-')))
    const { bavail, bsize } = await statfs(there)
    const bytes = bavail * bsize
    const says = `${Math.floor(bytes / 1024 / 1024)} MB are free in ${folder}.`
    const mend = 'Make room: without any, nothing that changes something is taken.'
    return [bytes < LITTLE_BYTES ? fault('disk', says, mend) : ok('disk', says)]
  } catch (error) {
    return [
      fault(
        'disk',
        `${folder} cannot be written to (${wordsOf(error)}).`,
        'Mount it for writing, and give it to the user that the app runs as: chown it, or choose another folder in DATABASE_URL.',
      ),
    ]
  }
}

const nearestFolder = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))

/** What would be missed after an accident. */
export async function examineUpkeep(store: Store, config: Config, now: Date): Promise<DoctorFinding[]> {
  const age = (at: string): number => Math.floor((now.getTime() - Date.parse(at)) / DAY_MS)
  const backup = await store.settings.get(WHOLE_STORE, LAST_BACKUP)
  const restored = await store.settings.get(WHOLE_STORE, RESTORED)
  const anchored = await store.anchoring.state()
  const findings: DoctorFinding[] = []
  if (!backup)
    findings.push(
      advice(
        'backup',
        'None was ever made.',
        'Run signalman backup FILE every day, and keep the keys elsewhere.',
      ),
    )
  else if (age(backup.at) > 7)
    findings.push(
      advice('backup', `The last one is ${age(backup.at)} days old.`, 'Run signalman backup FILE every day.'),
    )
  else findings.push(ok('backup', `The last one was made at ${backup.at}.`))
  if (isUnconfirmed(restored))
    findings.push(
      fault(
        'restore',
        'The database came out of a backup, and nobody has confirmed what is newer at the service.',
        'Run signalman restore --help: until it is confirmed nothing is ordered.',
      ),
    )
  if (!config.auditAnchor)
    findings.push(
      advice(
        'audit anchor',
        'The ends of the audit log are put nowhere outside of the database.',
        'Set AUDIT_ANCHOR: whoever has the database could cut the log short unseen.',
      ),
    )
  else if (!anchored)
    findings.push(
      skipped('audit anchor', 'Nothing was put there yet; the running app does that within a day.'),
    )
  else if (age(anchored.at) > 2)
    findings.push(
      fault(
        'audit anchor',
        `The last end of the log was put there ${age(anchored.at)} days ago.`,
        'See the log for why it fails: the channel, the file or the address in AUDIT_ANCHOR must take it.',
      ),
    )
  else findings.push(ok('audit anchor', `The last end of the log was put there at ${anchored.at}.`))
  return findings
}

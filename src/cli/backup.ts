import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type BackupHeader,
  backUp,
  backUpKeys,
  backUpTo,
  formatWorkspaceKeys,
  readBackupHeader,
  readKeyring,
  readWorkspaceKeys,
  StoreError,
  tryRestore,
  verifyBackup,
} from '@signalman/durable'
import { MODEL } from '../app/model.ts'
import { readConfiguredKeys } from '../config/key-source.ts'
import { pluralize } from '../domain/wording.ts'
import { OperatorError, printError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import {
  nameInput,
  openStandardOutput,
  STANDARD_STREAM,
  withInputFile,
  withoutCopy,
} from './standard-streams.ts'
import { findSqliteFile, readExistingStoreOptions, readStoreOptions } from './store-from-environment.ts'

const HELP = `
  signalman backup FILE            writes the whole database as of now into FILE while the app runs
  signalman backup -               writes it to standard output, for example out of a container
  signalman backup --verify FILE   restores FILE into a temporary file, and checks all encrypted content and the audit log
  signalman backup --keys-only --keys PATH
                                   only renews the file with the workspace keys, in the folder or file PATH. With -, writes
                                   these keys to standard output

FILE has the same format for SQLite and PostgreSQL, and you can restore it to either. It must not exist yet. It contains no
encryption key: keep ENCRYPTION_KEYS, or the key files next to the SQLite file, somewhere else. The exit code is 1 if a backup
has a problem, or can't be restored with the keys that are here.

Each workspace's rows are encrypted with a key of that workspace. These keys, encrypted with the encryption keys, are written to
a file next to FILE (….workspace-keys), or to the PATH given with --keys. There is one file for all backups of a
database and of its restored copies, and each backup renews it. You need it to restore on another machine. After a workspace is
erased, the next backup or --keys-only removes its key from that file. From then on, no backup can reveal anything of that
workspace, so keep only the newest copy of that file. A backup to standard output comes without these keys.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const FLAG = { type: 'boolean', default: false } as const

type Environment = Parameters<typeof readExistingStoreOptions>[0]

/** `backup FILE`, `backup -`, `backup --verify FILE` and `backup --keys-only --keys PATH`. */
export const backup = operatorVerb({
  help: HELP,
  flags: { verify: FLAG, 'keys-only': FLAG, keys: { type: 'string' } },
  allowPositionals: true,
  async run({ values, positionals: [path, ...more] }, environment) {
    if (values['keys-only'] && !values.verify && path === undefined && values.keys !== undefined)
      return await writeKeys(values.keys, environment)
    if (values['keys-only'] || path === undefined || more.length > 0)
      throw new OperatorError(
        'Use one of: signalman backup FILE, signalman backup -, signalman backup --verify FILE, signalman backup --keys-only --keys PATH.',
        2,
      )
    if (values.verify)
      return await withInputFile(path, findSqliteFile(environment), (file) =>
        verify(file, nameInput(path), environment, values.keys),
      )
    if (path === STANDARD_STREAM) return await writeToStandardOutput(environment, values.keys)
    const result = await backUp(readExistingStoreOptions(environment), path, values.keys)
    printLine(
      `${path}: ${pluralize(result.rows, 'row')} as of ${result.at}, ${pluralize(result.bytes, 'byte')}.`,
    )
    printKeys(result.header)
    printLine(`The keys of its workspaces are in ${result.keysPath}. Keep only the newest copy of that file.`)
    return 0
  },
})

async function writeKeys(path: string, environment: Environment): Promise<number> {
  const options = readExistingStoreOptions(environment)
  if (path === STANDARD_STREAM) {
    await pipeline(Readable.from([await formatWorkspaceKeys(options)]), openStandardOutput())
    return 0
  }
  printLine(`${await backUpKeys(options, path)}: current keys of the workspaces.`)
  return 0
}

/** Everything but the backup goes to standard error. */
async function writeToStandardOutput(
  environment: Environment,
  keysPath: string | undefined,
): Promise<number> {
  if (process.stdout.isTTY)
    throw new OperatorError('A backup isn’t text. Send it to a file: signalman backup - > FILE.', 2)
  const result = await backUpTo(readExistingStoreOptions(environment), openStandardOutput(), keysPath)
  printError(`${pluralize(result.rows, 'row')} as of ${result.at}, ${pluralize(result.bytes, 'byte')}.`)
  printKeys(result.header, printError)
  printError(
    keysPath === undefined
      ? 'The keys of its workspaces aren’t in it. Write them with signalman backup --keys-only --keys - > FILE.workspace-keys.'
      : `The keys of its workspaces are in ${keysPath}. Keep only the newest copy of that file.`,
  )
  return 0
}

async function verify(
  path: string,
  name: string,
  environment: Environment,
  keysPath: string | undefined,
): Promise<number> {
  const keyring = await readKeyring(readConfiguredKeys(environment).keys, findSqliteFile(environment))
  const workspaceKeys =
    keyring && (await readWorkspaceKeys(path, await readBackupHeader(path), keyring, keysPath))
  const { header, end, hasVerifiedSeals, undecryptable, faults, unreadCount } = await verifyBackup(
    MODEL.tables,
    path,
    keyring,
    workspaceKeys,
  )
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  printLine(
    `${name}: ${pluralize(rows, 'row')} as of ${header.madeAt}, from ${DATABASE_NAMES[header.database]}; not damaged.`,
  )
  printKeys(header)
  for (const fault of faults) printLine(fault)
  for (const [table, count] of undecryptable)
    printLine(`${pluralize(count, 'row')} of ${table} can’t be decrypted with any key.`)
  // With the workspace keys, only rows whose key was destroyed can't be read.
  if (unreadCount > 0 && workspaceKeys === undefined)
    printLine(
      `${pluralize(unreadCount, 'row')} of workspaces couldn’t be checked, because their keys are missing (--keys PATH).`,
    )
  else if (unreadCount > 0)
    printLine(
      `${pluralize(unreadCount, 'row')} can’t be decrypted anymore, because their workspaces were erased or uninstalled the app after the backup.`,
    )
  if (!hasVerifiedSeals)
    printLine('Its signature and encrypted content couldn’t be checked, because there are no keys here.')
  const problem = await findRestoreProblem(path, environment, keysPath)
  printLine(
    problem === undefined
      ? 'It can be restored.'
      : `It can’t be restored: ${withoutCopy(problem, path, name)}`,
  )
  return faults.length + undecryptable.size > 0 || problem !== undefined ? 1 : 0
}

/** Restores the backup into a temporary file. Returns why a restore would fail. */
async function findRestoreProblem(
  path: string,
  environment: Environment,
  keysPath: string | undefined,
): Promise<string | undefined> {
  try {
    await tryRestore({ ...readStoreOptions(environment), path, keysPath })
    return undefined
  } catch (error) {
    if (error instanceof StoreError) return error.message
    throw error
  }
}

const DATABASE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function printKeys({ keys }: BackupHeader, print = printLine): void {
  const names = keys.map(({ id, fingerprint }) => `"${id}" (fingerprint ${fingerprint})`).join(', ')
  print(
    `Its content is encrypted with the ${keys.length === 1 ? 'key' : 'keys'} ${names}, which the backup doesn’t contain.`,
  )
}

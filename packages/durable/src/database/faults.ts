import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, unlinkSync } from 'node:fs'
import { describeConnectionFault } from '@signalman/runtime'
import { errorCode, StoreError } from './errors.ts'
import { sqliteErrorCode } from './sqlite-dialect.ts'

// What is wrong with a file or a database and what to do, to be said after its name, without a period.

/** SQLite can't tell a lock that another process holds from a disk that has no locks. */
const NO_LOCK =
  'can’t be locked: is it on a network disk? Use a local disk, or PostgreSQL. If it’s on a local one, stop the other process that has locked it'

const FULL = 'can’t grow, because the disk is full: free some space'

/** By extended result code: causes that SQLite calls "disk I/O error". 4874: there's no space for the file with the shared memory. */
const IO_FAULTS: Readonly<Record<number, string>> = {
  ...Object.fromEntries([2058, 2314, 3850, 4618, 5130, 5386].map((code) => [code, NO_LOCK])),
  4874: FULL,
}

/** By primary result code (https://sqlite.org/rescode.html). */
const SQLITE_FAULTS: Readonly<Record<number, string>> = {
  3: NO_LOCK,
  5: NO_LOCK,
  8: 'can’t be written: check the rights of its files and of its folder',
  10: 'can’t be read or written (disk I/O error): check the disk. A network disk isn’t enough: use a local one, or PostgreSQL',
  11: 'is damaged: restore a backup',
  13: FULL,
  14: 'can’t be opened: check the rights of its files and of its folder, and how many files this process may open (ulimit -n)',
  15: `${NO_LOCK} (locking protocol)`,
  26: 'isn’t a SQLite database: correct the address, or move the file elsewhere',
}

const NO_ACCESS = 'can’t be opened: give the user that runs this process access to it and to its folder'
const TOO_MANY_OPEN =
  'can’t be opened, because this process may not open more files: raise the limit (ulimit -n)'

/** By Node's code, for any file. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: NO_ACCESS,
  EPERM: NO_ACCESS,
  EMFILE: TOO_MANY_OPEN,
  ENFILE: TOO_MANY_OPEN,
  EROFS: 'is on a read-only disk: use a writable one',
  ENOSPC: 'can’t be written, because the disk is full: free some space, or inodes if none are left (df -i)',
  EDQUOT: 'can’t be written, because this user’s share of the disk is full: free some space',
  ENOENT: 'is in a folder that doesn’t exist: create the folder, or correct the path',
  ENOTDIR: 'can’t be opened, because part of its path is a file: correct the path',
  EISDIR: 'is a folder: use the path of a file',
  EEXIST: 'already exists: use another name, or delete it',
}

/** What an error of Node's about a file means. Undefined for other errors. */
export const describeFileFault = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error
    ? (FILE_FAULTS[errorCode(error)] ?? `can’t be opened or written (${errorCode(error)})`)
    : undefined

/**
 * SQLite says only that it can't open, read, or write one of its files. Opens each of them, and makes one beside them, to find out which, and why.
 * Undefined if that works.
 */
function findFileFault(file: string): string | undefined {
  let path = file
  try {
    for (path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) closeSync(openSync(path, 'r+'))
    path = file
    const made = `${file}.${randomBytes(8).toString('hex')}.tmp`
    closeSync(openSync(made, 'wx'))
    unlinkSync(made)
    return undefined
  } catch (error) {
    const fault = describeFileFault(error)
    return path === file || fault === undefined ? fault : `can’t be used, because ${path} ${fault}`
  }
}

/** Turns an error about a SQLite file into a StoreError that names the file and what to do. Returns other errors unchanged. */
export function explainFileError(error: unknown, file: string | undefined): unknown {
  const code = sqliteErrorCode(error)
  if (file === undefined) return error
  const isAboutFiles = code === 8 || code === 10 || code === 14
  const fault =
    (isAboutFiles ? findFileFault(file) : undefined) ??
    describeDatabaseError(error) ??
    describeFileFault(error)
  if (fault === undefined) return error
  const kind = code === 11 || code === 26 ? 'unusable' : 'unreachable'
  return new StoreError(kind, `The database ${file} ${fault}.`, { cause: error })
}

/** What the server says by SQLSTATE (https://www.postgresql.org/docs/18/errcodes-appendix.html), and by its message where that decides. */
const POSTGRES_FAULTS: readonly (readonly [state: string, message: RegExp, problem: string, fix?: string])[] =
  [
    [
      '28P01',
      /./,
      'rejects the password',
      'correct the user or the password in the address, or renew the password if it has expired',
    ],
    [
      '28000',
      /no encryption|SSL off/,
      'rejects this user without TLS',
      'add sslmode=verify-full to the address, or a line to the server’s pg_hba.conf',
    ],
    [
      '28000',
      /pg_hba\.conf/,
      'rejects this user',
      'correct the address, or add a line to the server’s pg_hba.conf',
    ],
    [
      '28000',
      /client certificate|certificate authentication/,
      'wants another client certificate for this user',
      'name it in the address: sslcert=FILE&sslkey=FILE',
    ],
    ['28000', /does not exist/, 'has no user with that name', 'create it, or correct the address'],
    ['28000', /log ?in/, 'doesn’t let this user log in', 'give it LOGIN, or use another user'],
    [
      '3D000',
      /does not exist|no such/,
      'has no database with that name',
      'create it, or correct the address',
    ],
    [
      '3F000',
      /./,
      'has no schema for the tables',
      'create the one that search_path names (usually public), or grant this user USAGE and CREATE on it',
    ],
    ['42501', /\bschema\b/, 'doesn’t let this user create tables', 'grant it USAGE and CREATE on the schema'],
    [
      '42501',
      /must be owner|\b(?:table|relation|sequence)\b/,
      'has tables of another user',
      'make this user their owner, or use the one who owns them',
    ],
    ['42501', /\bdatabase\b/, 'doesn’t let this user connect', 'grant it CONNECT on the database'],
    [
      '53300',
      /\bfor (?:role|user|database)\b/,
      'has no free connections for this user or database',
      'raise its CONNECTION LIMIT, or run fewer replicas',
    ],
    ['53300', /./, 'has no free connections', 'raise max_connections, or run fewer replicas'],
    ['53100', /./, 'has no disk space left', 'free some on the server'],
    [
      '55P03',
      /./,
      'has tables that another transaction has locked',
      'end that transaction (pg_stat_activity lists it), then start again',
    ],
    [
      '57014',
      /statement timeout/,
      'stopped a statement that took too long for its statement_timeout',
      'raise that of this user, of the database, or in the address, to 10 s or more',
    ],
    ['55000', /not currently accepting/, 'doesn’t let anybody connect to this database', 'use another one'],
    ['40P01', /./, 'has tables that other transactions keep locking', 'start again when there is less load'],
    ['57P03', /starting up|not yet accepting|recovery/, 'is still starting', 'try again in a moment'],
    ['57P03', /shutting down/, 'is shutting down', 'start it again'],
    [
      '08P01',
      /startup parameter.*(?:statement_timeout|idle_in_transaction)/,
      'rejects the settings of the connection, as PgBouncer does',
      'in PgBouncer, set ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, or use the address of PostgreSQL itself',
    ],
    ['08P01', /pooling mode/, 'is behind a PgBouncer in statement mode', 'set pool_mode = transaction there'],
    ['08P01', /password authentication failed/, 'rejects the user or the password', 'correct the address'],
    [
      '08P01',
      /no such database|database .* does not exist/,
      'has no database with that name',
      'create it, or correct the address',
    ],
    ['08P01', /SSL required/, 'rejects this user without TLS', 'add sslmode=verify-full to the address'],
    [
      '08P01',
      /query_wait_timeout|no more connections/,
      'has no free connections',
      'raise PgBouncer’s limits, or run fewer replicas',
    ],
    [
      '25006',
      /./,
      'is read-only',
      'use the address of the primary server, or a user without default_transaction_read_only',
    ],
  ]

/** What pg itself reports without a code (pg 8). */
const DRIVER_FAULTS: readonly (readonly [message: RegExp, problem: string, fix: string])[] = [
  [
    /does not support SSL/,
    'doesn’t offer TLS',
    'turn on ssl at the server, or remove sslmode and ssl from the address',
  ],
  [/password must be a/, 'wants a password', 'add it to the address'],
  [/timeout/i, 'doesn’t answer in time', 'check the host in the address and the firewall'],
  [/terminated/, 'closed the connection', 'check its log, and a proxy in between'],
]

/** Long enough for what PostgreSQL and PgBouncer say. */
const MAX_QUOTE = 300

const joinFix = (problem: string, fix?: string): string =>
  fix === undefined ? problem : `${problem}: ${fix}`

/** The other side's own words, which decide if our sentence is wrong. */
const quote = ({ message }: Error): string => `“${message.replaceAll(/\s+/g, ' ').slice(0, MAX_QUOTE)}”`

/** Describes what PostgreSQL or its driver reports. Undefined for errors of neither. */
export function describePostgresError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const known = describeServerError(error)
  if (known !== undefined) return known
  const code = errorCode(error)
  if ('severity' in error) return `answers ${quote(error)} (${code})`
  // A file that the address names, such as sslrootcert, or the socket of the server.
  if ('path' in error)
    return `can’t be used, because ${error.path} can’t be opened (${code}): correct the address`
  if (/^(?:ENOENT|EACCES)$/.test(code) && 'address' in error)
    return `has no socket at ${error.address} (${code}): start it, or correct the host in the address`
  const connection = describeConnectionFault(error)
  if (connection !== undefined)
    return joinFix(
      connection.problem,
      connection.fix.replace('NODE_EXTRA_CA_CERTS', '$&, or in sslrootcert in the address'),
    )
  const driver = DRIVER_FAULTS.find(([message]) => message.test(error.message))
  if (driver) return joinFix(driver[1], driver[2])
  return error.name === 'Error' || code !== '' ? `can’t be used: ${quote(error)}` : undefined
}

function describeServerError(error: Error): string | undefined {
  if (!('severity' in error)) return undefined
  const code = errorCode(error)
  const found = POSTGRES_FAULTS.find(([state, message]) => state === code && message.test(error.message))
  return found && `${joinFix(found[2], found[3])}. It says ${quote(error)}`
}

/** What an error of the database itself means. Undefined for other errors, and for those that aren't about its disk or its setup. */
export function describeDatabaseError(error: unknown): string | undefined {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error instanceof Error ? describeServerError(error) : undefined
  const extended = error instanceof Error && 'errcode' in error ? Number(error.errcode) : code
  return IO_FAULTS[extended] ?? SQLITE_FAULTS[code]
}

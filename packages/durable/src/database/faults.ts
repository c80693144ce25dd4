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

/**
 * What the server reports about its set-up, its state, or this user, by SQLSTATE (https://www.postgresql.org/docs/18/errcodes-appendix.html).
 * Its own words say it best. Any other state is about a statement.
 */
const SET_UP_STATES = /^(?:08|25006|28|3D|3F|40P01|42501|53|55|57)/

/** Long enough for what PostgreSQL and PgBouncer say. */
const MAX_QUOTE = 300

const quote = ({ message }: Error): string => `“${message.replaceAll(/\s+/g, ' ').slice(0, MAX_QUOTE)}”`
const quoteServer = (error: Error): string => `answers ${quote(error)} (${errorCode(error)})`

/** Describes what PostgreSQL or its driver reports. Undefined for errors of neither. */
export function describePostgresError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('severity' in error) return quoteServer(error)
  const code = errorCode(error)
  // A file that the address names, such as sslrootcert, or the socket of the server.
  if ('path' in error)
    return `can’t be used, because ${error.path} can’t be opened (${code}): correct the address`
  if (/^(?:ENOENT|EACCES)$/.test(code) && 'address' in error)
    return `has no socket at ${error.address} (${code}): start it, or correct the host in the address`
  const connection = describeConnectionFault(error)
  if (connection !== undefined)
    return `${connection.problem}: ${connection.fix.replace('NODE_EXTRA_CA_CERTS', '$&, or in sslrootcert in the address')}`
  return error.name === 'Error' || code !== '' ? `can’t be used: ${quote(error)}` : undefined
}

/** What an error of the database itself means. Undefined for other errors, and for those that aren't about its disk or its setup. */
export function describeDatabaseError(error: unknown): string | undefined {
  const code = sqliteErrorCode(error)
  if (code === undefined) {
    const isSetUp = error instanceof Error && 'severity' in error && SET_UP_STATES.test(errorCode(error))
    return isSetUp ? quoteServer(error) : undefined
  }
  const extended = error instanceof Error && 'errcode' in error ? Number(error.errcode) : code
  return IO_FAULTS[extended] ?? SQLITE_FAULTS[code]
}

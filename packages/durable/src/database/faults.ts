import { errorCode } from './errors.ts'
import { sqliteErrorCode } from './sqlite-dialect.ts'

// What is wrong with a database and what to do, to be said after its name, without a period.

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
  8: 'can’t be written: make it and its folder writable for the user that runs this process',
  10: 'can’t be read or written (disk I/O error): check the disk. A network disk isn’t enough: use a local one, or PostgreSQL',
  11: 'is damaged: restore a backup',
  13: FULL,
  14: 'can’t be opened: make it and its folder writable for the user that runs this process',
  15: `${NO_LOCK} (locking protocol)`,
  26: 'isn’t a SQLite database: correct the address, or move the file elsewhere',
}

/** By Node's code, for a SQLite file that can't be opened. */
export const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'can’t be opened: make it and its folder writable for the user that runs this process',
  EPERM: 'can’t be opened: make it and its folder writable for the user that runs this process',
  EROFS: 'is on a read-only disk: use a writable one',
  EISDIR: 'is a folder: use the path of a file',
  ENOTDIR: 'can’t be opened, because part of its path is a file: correct the address',
  EEXIST: 'can’t be opened, because part of its path is a file: correct the address',
  ENOSPC: 'can’t be created, because the disk is full: free some space',
}

/** By SQLSTATE (https://www.postgresql.org/docs/18/errcodes-appendix.html). */
const POSTGRES_FAULTS: Readonly<Record<string, string>> = {
  '28P01': 'rejects the password: correct it in the address',
  '28000': 'rejects this user: correct the address, or the server’s pg_hba.conf',
  '3D000': 'has no database with that name: create it, or correct the address',
  '42501': 'doesn’t let this user create tables: grant it CREATE on the schema',
  '53300': 'has no free connections: raise max_connections, or run fewer replicas',
  '53100': 'has no disk space left: free some on the server',
  '55P03':
    'has tables that another transaction has locked: end that transaction (pg_stat_activity lists it), then start again',
  '40P01': 'has tables that other transactions keep locking: start again when there is less load',
  '57P03': 'is still starting: try again in a moment',
  '08P01':
    'rejects the settings of the connection, as PgBouncer does: in PgBouncer, set ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, or use the address of PostgreSQL itself',
  '25006': 'is read-only: use the address of the primary server',
}

/** What an error of the database itself means. Undefined for other errors, and for those that aren't about its disk or its setup. */
export function describeDatabaseError(error: unknown): string | undefined {
  const code = sqliteErrorCode(error)
  if (code === undefined)
    return error instanceof Error && 'severity' in error ? POSTGRES_FAULTS[errorCode(error)] : undefined
  const extended = error instanceof Error && 'errcode' in error ? Number(error.errcode) : code
  return IO_FAULTS[extended] ?? SQLITE_FAULTS[code]
}

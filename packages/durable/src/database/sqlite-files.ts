import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { syncFolder } from './disk.ts'
import { StoreError } from './errors.ts'
import { isBusy } from './sqlite-dialect.ts'

/** The suffixes of the database file and its logs. SQLite must never apply the logs to another file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal']
const LOCK_SUFFIX = '.lock'
const ALL_SUFFIXES = [...SUFFIXES, LOCK_SUFFIX]
/** An unfinished restore. */
const UNFINISHED_SUFFIX = '.restoring'
/** A finished and verified restore. If its process was killed, the next one puts it in place. */
const FINISHED_INFIX = '.restored-'
/** The database that was replaced. */
export const RETIRED_INFIX = '.before-restore-'

const MAX_ATTEMPTS = 250
const PAUSE_MS = 20

/** Resolves symbolic links, because the logs are next to the real file. */
export function databasePath(path: string): string {
  const file = resolve(path)
  return existsSync(file) ? realpathSync(file) : file
}

/**
 * Takes a shared lock, which every process keeps while it uses the database, so that nobody replaces it meanwhile. Waits while
 * a restore is replacing it. Throws StoreError `unreachable` if that takes too long.
 */
export async function lockForUse(file: string): Promise<Disposable> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const shared = tryLock(file, 'shared')
    if (shared && listRestoreFiles(file).length === 0) return shared
    shared?.[Symbol.dispose]()
    using exclusive = shared && tryLock(file, 'exclusive')
    if (exclusive) completeRestore(file)
    else await setTimeout(PAUSE_MS)
  }
  throw new StoreError(
    'unreachable',
    `The database ${file} is being restored. Start again when the restore has ended.`,
  )
}

/**
 * Takes the exclusive lock for replacing the database, even if there is no database yet. Throws StoreError `bad-value` if any
 * process uses it.
 */
export function lockForReplacing(file: string): Disposable {
  const exclusive = tryLock(file, 'exclusive')
  if (exclusive === undefined) throw databaseInUseError(file)
  completeRestore(file)
  return exclusive
}

export const databaseInUseError = (file: string, cause?: unknown): StoreError =>
  new StoreError(
    'bad-value',
    `The database ${file} is in use, so nothing was changed. Stop every process that uses it, then try again.`,
    { cause },
  )

/** A SQLite lock on an empty database next to the file. It ends with the process. Undefined if another process has a conflicting one. */
function tryLock(file: string, kind: 'shared' | 'exclusive'): Disposable | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const path = `${file}${LOCK_SUFFIX}`
  // Never open this file directly: closing any handle of a file releases all of this process's locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const raw = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written to it, and a kill would only leave a journal behind.
    raw.exec(`pragma journal_mode = memory; begin ${kind === 'exclusive' ? 'exclusive' : ''}`)
    if (kind === 'shared') raw.prepare('select count(*) from sqlite_master').get()
    return { [Symbol.dispose]: () => raw[Symbol.dispose]() }
  } catch (error) {
    raw.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

/** The path at which a restore builds the new database. */
export const newDatabasePath = (file: string): string => `${file}${UNFINISHED_SUFFIX}`

/** The existing files of a database, including logs without their file. */
export const existingFiles = (file: string, parts = SUFFIXES): string[] =>
  parts.map((part) => `${file}${part}`).filter(existsSync)

/** Copies a database with its logs, except the index of the log, which SQLite rebuilds. */
export function copyDatabase(file: string, copy: string): void {
  removeDatabase(copy)
  for (const part of existingFiles(
    file,
    SUFFIXES.filter((suffix) => suffix !== '-shm'),
  ))
    copyFileSync(part, `${copy}${part.slice(file.length)}`, constants.COPYFILE_FICLONE)
}

export function removeDatabase(file: string): void {
  for (const part of ALL_SUFFIXES) rmSync(`${file}${part}`, { force: true })
}

/**
 * Replaces the database with the new one. Keeps the old one with its logs under another name, which it returns. If the process
 * dies midway, the next process that locks the database completes it.
 */
export function replaceDatabase(file: string, stamp: string): string | undefined {
  const former = existingFiles(file).length > 0 ? `${file}${RETIRED_INFIX}${stamp}` : undefined
  renameSync(newDatabasePath(file), `${file}${FINISHED_INFIX}${stamp}`)
  completeRestore(file)
  return former
}

/** Completes a restore that was killed. A verified database replaces the old one, and an unfinished one is deleted. */
function completeRestore(file: string): void {
  removeDatabase(newDatabasePath(file))
  const [restored] = listSiblingFiles(file, FINISHED_INFIX)
  if (restored === undefined) return
  const stamp = restored.slice(`${file}${FINISHED_INFIX}`.length)
  for (const part of existingFiles(file))
    renameSync(part, `${file}${RETIRED_INFIX}${stamp}${part.slice(file.length)}`)
  // SQLite would apply an old log to a new file beside it.
  syncFolder(dirname(file))
  renameSync(restored, file)
  syncFolder(dirname(file))
}

/** The files that a killed restore left behind. */
const listRestoreFiles = (file: string): string[] => [
  ...existingFiles(newDatabasePath(file), ALL_SUFFIXES),
  ...listSiblingFiles(file, FINISHED_INFIX),
]

/** The files in this folder whose names start with the database's name and this suffix. */
export function listSiblingFiles(file: string, suffix: string): string[] {
  const folder = dirname(file)
  const start = `${basename(file)}${suffix}`
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => join(folder, name))
}

import {
  closeSync,
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

/** The files of a SQLite database: the file itself and its logs, which must never be applied to another file. */
const PARTS = ['', '-wal', '-shm', '-journal']
const LOCK = '.lock'
const WITH_LOCK = [...PARTS, LOCK]
/** An unfinished restore. */
const UNFINISHED = '.restoring'
/** A finished and verified restore. It replaces the database, even if another process has to complete that. */
const FINISHED = '.restored-'
/** The database that was replaced. */
export const RETIRED = '.before-restore-'

const ATTEMPTS = 250
const PAUSE_MS = 20

/** Resolves symbolic links, because the logs are next to the real file. */
export function databasePath(path: string): string {
  const file = resolve(path)
  return existsSync(file) ? realpathSync(file) : file
}

/**
 * Takes a shared lock, which every process keeps while it uses the database, so that nobody replaces it meanwhile. Waits while
 * someone does. Throws StoreError `unreachable` if that takes too long.
 */
export async function lockForUse(file: string): Promise<Disposable> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const held = tryLock(file, 'shared')
    if (held && isOnlyLock(file).length === 0) return held
    held?.[Symbol.dispose]()
    using alone = held && tryLock(file, 'alone')
    if (alone) completeRestore(file)
    else await setTimeout(PAUSE_MS)
  }
  throw new StoreError(
    'unreachable',
    `A restore of the database ${file} is under way: start again once it has ended.`,
  )
}

/**
 * Takes the exclusive lock for replacing the database, even if there is no database yet. Throws StoreError `bad-value` while
 * anyone uses it.
 */
export function lockForReplacing(file: string): Disposable {
  const alone = tryLock(file, 'alone')
  if (alone === undefined) throw databaseInUse(file)
  completeRestore(file)
  return alone
}

export const databaseInUse = (file: string, cause?: unknown): StoreError =>
  new StoreError(
    'bad-value',
    `The database ${file} is in use, and nothing was changed: stop every process that uses it first.`,
    { cause },
  )

/** A SQLite lock on an empty database next to the file. It ends with the process. Undefined if others have it. */
function tryLock(file: string, how: 'shared' | 'alone'): Disposable | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const path = `${file}${LOCK}`
  // Never open this file directly: closing any handle of a file releases all of this process's locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const raw = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written to it, and a kill would only leave a journal behind.
    raw.exec(`pragma journal_mode = memory; begin ${how === 'alone' ? 'exclusive' : ''}`)
    if (how === 'shared') raw.prepare('select count(*) from sqlite_master').get()
    return { [Symbol.dispose]: () => raw[Symbol.dispose]() }
  } catch (error) {
    raw.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

/** The path at which a restore builds the new database. */
export const newDatabasePath = (file: string): string => `${file}${UNFINISHED}`

/** The existing files of a database, including logs without their file. */
export const existingFiles = (file: string, parts = PARTS): string[] =>
  parts.map((part) => `${file}${part}`).filter(existsSync)

export function removeDatabase(file: string): void {
  for (const part of WITH_LOCK) rmSync(`${file}${part}`, { force: true })
}

/**
 * Replaces the database with the new one. Keeps the old one with its logs under another name, which it returns. If the process
 * dies midway, the next process that locks the database completes it.
 */
export function replaceDatabase(file: string, stamp: string): string | undefined {
  const former = existingFiles(file).length > 0 ? `${file}${RETIRED}${stamp}` : undefined
  renameSync(newDatabasePath(file), `${file}${FINISHED}${stamp}`)
  completeRestore(file)
  return former
}

/** Completes a restore that was killed. A verified database replaces the old one, and an unfinished one is deleted. */
function completeRestore(file: string): void {
  removeDatabase(newDatabasePath(file))
  const [filled] = listNames(file, FINISHED)
  if (filled === undefined) return
  const stamp = filled.slice(`${file}${FINISHED}`.length)
  for (const part of existingFiles(file))
    renameSync(part, `${file}${RETIRED}${stamp}${part.slice(file.length)}`)
  // SQLite would apply an old log to a new file beside it.
  syncFolder(dirname(file))
  renameSync(filled, file)
  syncFolder(dirname(file))
}

/** A restore killed right at the start leaves only the lock file. */
const isOnlyLock = (file: string): string[] => [
  ...existingFiles(newDatabasePath(file), WITH_LOCK),
  ...listNames(file, FINISHED),
]

/** The files in this folder whose names start with the database's name and this suffix. */
export function listNames(file: string, beginning: string): string[] {
  const folder = dirname(file)
  const start = `${basename(file)}${beginning}`
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => join(folder, name))
}

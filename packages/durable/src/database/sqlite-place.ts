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

/** The files of one SQLite database: the file itself, and its logs, which must never be applied to another file. */
const PARTS = ['', '-wal', '-shm', '-journal']
const LOCK = '.lock'
const WITH_LOCK = [...PARTS, LOCK]
/** An unfinished restore. */
const FILLING = '.restoring'
/** A finished and verified restore: it replaces the database, even if another process has to complete that. */
const FILLED = '.restored-'
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
 * A shared lock that every process holds while it uses the database, so that nobody replaces it meanwhile. Waits while somebody does.
 * Throws StoreError `unreachable` when that takes too long.
 */
export async function holdPlace(file: string): Promise<Disposable> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const held = lockPlace(file, 'shared')
    if (held && leftAt(file).length === 0) return held
    held?.[Symbol.dispose]()
    using alone = held && lockPlace(file, 'alone')
    if (alone) endRestore(file)
    else await setTimeout(PAUSE_MS)
  }
  throw new StoreError(
    'unreachable',
    `A restore of the database ${file} is under way: start again once it has ended.`,
  )
}

/** The exclusive lock for replacing the database, even if there is none yet. Throws StoreError `bad-value` while anybody uses it. */
export function takePlace(file: string): Disposable {
  const alone = lockPlace(file, 'alone')
  if (alone === undefined) throw placeInUse(file)
  endRestore(file)
  return alone
}

export const placeInUse = (file: string, cause?: unknown): StoreError =>
  new StoreError(
    'bad-value',
    `The database ${file} is in use, and nothing was changed: stop every process that uses it first.`,
    { cause },
  )

/** A SQLite lock on an empty database next to the file, so that it ends with the process. Undefined while others have it. */
function lockPlace(file: string, how: 'shared' | 'alone'): Disposable | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const path = `${file}${LOCK}`
  // Never opened again by hand: closing any handle of a file lets go of all locks of this process.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const raw = new DatabaseSync(path, { timeout: 0 })
  try {
    // Nothing is ever written to it: a journal would only be left behind by a kill.
    raw.exec(`pragma journal_mode = memory; begin ${how === 'alone' ? 'exclusive' : ''}`)
    if (how === 'shared') raw.prepare('select count(*) from sqlite_master').get()
    return { [Symbol.dispose]: () => raw[Symbol.dispose]() }
  } catch (error) {
    raw.close()
    if (!isBusy(error)) throw error
    return undefined
  }
}

/** Where a restore writes the new database. */
export const fillingAt = (file: string): string => `${file}${FILLING}`

/** The files of a database that exist, including logs without their file. */
export const partsAt = (file: string, parts = PARTS): string[] =>
  parts.map((part) => `${file}${part}`).filter(existsSync)

export function removeDatabase(file: string): void {
  for (const part of WITH_LOCK) rmSync(`${file}${part}`, { force: true })
}

/**
 * Replaces the database with the filled one, and keeps the old one with its logs under another name, which it returns. If the process
 * dies in the middle, the next one that locks the database completes it.
 */
export function putInPlace(file: string, stamp: string): string | undefined {
  const former = partsAt(file).length > 0 ? `${file}${RETIRED}${stamp}` : undefined
  renameSync(fillingAt(file), `${file}${FILLED}${stamp}`)
  endRestore(file)
  return former
}

/** Completes a restore that was killed: a verified database replaces the old one, and an unfinished one is deleted. */
function endRestore(file: string): void {
  removeDatabase(fillingAt(file))
  const [filled] = namesAt(file, FILLED)
  if (filled === undefined) return
  const stamp = filled.slice(`${file}${FILLED}`.length)
  for (const part of partsAt(file)) renameSync(part, `${file}${RETIRED}${stamp}${part.slice(file.length)}`)
  // An old log next to the new file would be applied to it.
  syncFolder(dirname(file))
  renameSync(filled, file)
  syncFolder(dirname(file))
}

/** A restore that is killed in its first moment leaves the lock alone. */
const leftAt = (file: string): string[] => [...partsAt(fillingAt(file), WITH_LOCK), ...namesAt(file, FILLED)]

/** The files next to this one whose names start with it and this suffix. */
export function namesAt(file: string, beginning: string): string[] {
  const folder = dirname(file)
  const start = `${basename(file)}${beginning}`
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => join(folder, name))
}

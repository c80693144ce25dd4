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

/** What SQLite keeps of one database: its file, and beside it the logs, which say what the file lacks or has too much. */
const PARTS = ['', '-wal', '-shm', '-journal']
const LOCK = '.lock'
const WITH_LOCK = [...PARTS, LOCK]
/** The database that a restore is filling; it counts as nothing. */
const FILLING = '.restoring'
/** A database that a restore has filled and verified; it takes the place, whoever has to bring that to its end. */
const FILLED = '.restored-'
/** What was in the place before. */
export const ASIDE = '.before-restore-'

const ATTEMPTS = 250
const PAUSE_MS = 20

/** The file itself, where the name is a link to it: the logs lie beside the file. */
export function databasePath(path: string): string {
  const file = resolve(path)
  return existsSync(file) ? realpathSync(file) : file
}

/**
 * Held by everybody who uses the database, from before its file is looked at: nobody replaces it meanwhile. Waits while somebody
 * does. Throws StoreError `unreachable` when that takes too long.
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

/** Held by whoever replaces the database, also where there is none. Throws StoreError `bad-value` while anybody uses it. */
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

/** SQLite's own lock, on an empty database beside the file, ends with its process. Undefined while others have it. */
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

/** The database that is filled before it takes the place. */
export const fillingAt = (file: string): string => `${file}${FILLING}`

/** What stands in the place, logs without their file included. */
export const partsAt = (file: string, parts = PARTS): string[] =>
  parts.map((part) => `${file}${part}`).filter(existsSync)

export function removeDatabase(file: string): void {
  for (const part of WITH_LOCK) rmSync(`${file}${part}`, { force: true })
}

/**
 * Puts the filled database in the place, and what was there aside, logs and all; returns the name of that, if there was anything. A
 * kill in the middle is no harm: whoever comes to the place next brings it to its end.
 */
export function putInPlace(file: string, stamp: string): string | undefined {
  const former = partsAt(file).length > 0 ? `${file}${ASIDE}${stamp}` : undefined
  renameSync(fillingAt(file), `${file}${FILLED}${stamp}`)
  endRestore(file)
  return former
}

/** Of a restore that was killed: what was filled and verified takes the place after all, and the rest goes. */
function endRestore(file: string): void {
  removeDatabase(fillingAt(file))
  const [filled] = namesAt(file, FILLED)
  if (filled === undefined) return
  const stamp = filled.slice(`${file}${FILLED}`.length)
  for (const part of partsAt(file)) renameSync(part, `${file}${ASIDE}${stamp}${part.slice(file.length)}`)
  // An old log that came back beside the new file would be played into it.
  syncFolder(dirname(file))
  renameSync(filled, file)
  syncFolder(dirname(file))
}

/** A restore that is killed in its first moment leaves the lock alone. */
const leftAt = (file: string): string[] => [...partsAt(fillingAt(file), WITH_LOCK), ...namesAt(file, FILLED)]

/** The files beside this one whose names go on like this. */
export function namesAt(file: string, beginning: string): string[] {
  const folder = dirname(file)
  const start = `${basename(file)}${beginning}`
  return readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .map((name) => join(folder, name))
}

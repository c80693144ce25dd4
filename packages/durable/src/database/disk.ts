import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './errors.ts'
import { sqliteErrorCode } from './sqlite-dialect.ts'

const WRITE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'can’t be written, because the disk is full: free some space',
  EDQUOT: 'can’t be written, because this user’s share of the disk is full: free some space',
  EACCES: 'can’t be written: make it and its folder writable for the user that runs this command',
  EPERM: 'can’t be written: make it and its folder writable for the user that runs this command',
  EROFS: 'is on a read-only disk: use another disk',
  ENOENT: 'is in a folder that doesn’t exist: create the folder first',
  ENOTDIR: 'can’t be written, because a part of its path is a file: correct the path',
  EISDIR: 'is a folder: use the path of a file',
  EEXIST: 'already exists: use another name, or delete it',
}

/** What to say after the name of a file that couldn't be written, without a period. */
export const describeWriteError = (error: unknown): string =>
  WRITE_PROBLEMS[isDiskFull(error) ? 'ENOSPC' : errorCode(error)] ??
  `can’t be written (${errorCode(error) || 'unknown reason'}): use another path`

/** Reads a text file in UTF-8 or UTF-16, which some programs on Windows write, without its byte order mark. */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path)
  // No text of ours has a NUL, so a zero among the first two bytes is half of an ASCII letter.
  const [first, second] = bytes
  const isBigEndian = (first === 0xfe && second === 0xff) || first === 0
  const isUtf16 = isBigEndian || (first === 0xff && second === 0xfe) || second === 0
  return new TextDecoder(isBigEndian ? 'utf-16be' : isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

/** Whether the disk has no space left, as Node or SQLite says. */
export const isDiskFull = (error: unknown): boolean =>
  errorCode(error) === 'ENOSPC' || sqliteErrorCode(error) === 13

/**
 * Atomically writes a file that only its owner can read, and syncs it to disk. Replaces an existing file, or rejects with EEXIST
 * if `failIfExists` is true.
 */
export async function writeFileAtomically(
  path: string,
  content: string,
  { failIfExists = false } = {},
): Promise<void> {
  const tempPath = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    {
      await using file = await open(tempPath, 'wx', 0o600)
      await file.writeFile(content)
      await file.sync()
    }
    await (failIfExists ? renameWithoutReplacing(tempPath, path) : rename(tempPath, path))
    syncFolder(dirname(path))
  } catch (error) {
    await unlink(tempPath).catch(() => undefined)
    throw error
  }
}

/**
 * Gives a complete file its final name. Uses a link, because a rename would replace an existing file. On a filesystem without
 * links, checks for an existing file and renames, which isn't atomic.
 */
export async function renameWithoutReplacing(tempPath: string, path: string): Promise<void> {
  try {
    await link(tempPath, path)
    await unlink(tempPath)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))) throw error
    if (existsSync(path)) throw Object.assign(new Error('The file already exists.'), { code: 'EEXIST' })
    await rename(tempPath, path)
  }
}

/** Syncs a folder, so that a new or renamed file in it survives a power failure. Windows can't open folders and doesn't need a sync. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

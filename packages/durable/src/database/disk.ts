import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './errors.ts'

/** Reads a text file in UTF-8 or UTF-16, which some programs on Windows write, without its byte order mark. */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path)
  // No text of ours has a NUL, so a zero among the first two bytes is half of an ASCII letter.
  const [first, second] = bytes
  const isBigEndian = (first === 0xfe && second === 0xff) || first === 0
  const isUtf16 = isBigEndian || (first === 0xff && second === 0xfe) || second === 0
  return new TextDecoder(isBigEndian ? 'utf-16be' : isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}

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

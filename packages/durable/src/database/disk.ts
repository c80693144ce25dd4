import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './errors.ts'

/**
 * Writes a file atomically, readable only by its owner, and on disk when this returns. Replaces an existing file, or rejects
 * with EEXIST if `isNew` is true.
 */
export async function writeFileAtomically(
  path: string,
  content: string,
  { isNew = false } = {},
): Promise<void> {
  const tempPath = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    {
      await using file = await open(tempPath, 'wx', 0o600)
      await file.writeFile(content)
      await file.sync()
    }
    await (isNew ? renameWithoutReplacing(tempPath, path) : rename(tempPath, path))
    syncFolder(dirname(path))
  } catch (error) {
    await unlink(tempPath).catch(() => undefined)
    throw error
  }
}

/**
 * Gives a complete file its final name. Unlike a rename, a link never replaces an existing file, but some filesystems don't
 * support links.
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

/** Syncs a folder, so that a power failure can't lose a new name. Windows can't open folders and doesn't need a sync. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

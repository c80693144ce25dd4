import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { link, open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from './errors.ts'

/**
 * Writes a file for its owner alone: whoever looks finds the whole of it or nothing, and it is on disk before this returns. It
 * takes the place of a file of that name; one that is to be new rejects with EEXIST there.
 */
export async function writeWhole(path: string, content: string, { isNew = false } = {}): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    {
      await using file = await open(draft, 'wx', 0o600)
      await file.writeFile(content)
      await file.sync()
    }
    await (isNew ? placeNew(draft, path) : rename(draft, path))
    syncFolder(dirname(path))
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

/** Gives a whole file its name. Unlike a rename, a link never replaces an existing file; but some disks have no links. */
export async function placeNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path)
    await unlink(draft)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))) throw error
    if (existsSync(path)) throw Object.assign(new Error('It is there.'), { code: 'EEXIST' })
    await rename(draft, path)
  }
}

/** Syncs a folder, so that a power cut cannot lose a new name. Windows cannot open a folder, and needs no sync. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

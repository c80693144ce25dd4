import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, StoreError } from '../database/errors.ts'
import { type Keyring, makeKeyText, parseKeys } from './keys.ts'

const MAX_BYTES = 65_536

/**
 * The keys in a file of one line as `parseKeys` reads it, or undefined when there is no such file.
 * Throws StoreError `bad-keys` when it cannot be read, or when others than its owner may.
 */
export async function readKeyFile(path: string): Promise<Keyring | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new StoreError(
      'bad-keys',
      `The key file ${path} cannot be read (${codeOf(error)}): give it to the user that runs Signalman.`,
      { cause: error },
    )
  }
  await using file = handle
  return parseContent(path, await contentOf(file, path))
}

async function contentOf(file: FileHandle, path: string): Promise<string> {
  const { mode, size } = await file.stat()
  // Windows has no such bits: access lists, which Node does not show, guard the file there.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new StoreError(
      'bad-keys',
      `The key file ${path} is open to others than its owner: run chmod 600 on it. If others may have read it, treat the key as known to them.`,
    )
  }
  if (size > MAX_BYTES) {
    throw new StoreError('bad-keys', `The key file ${path} is no key file: it is larger than 64 KiB.`)
  }
  return await file.readFile('utf8').catch((error: unknown) => {
    throw new StoreError('bad-keys', `The key file ${path} cannot be read (${codeOf(error)}).`, {
      cause: error,
    })
  })
}

function parseContent(path: string, content: string): Keyring {
  try {
    return parseKeys(content)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new StoreError('bad-keys', `The key file ${path} is damaged; restore it. ${error.message}`, {
      cause: error,
    })
  }
}

/**
 * Makes a new key file (mode 0600, on disk before this returns) unless there is one, and returns its content: two processes at once
 * get the same key. Throws StoreError `bad-keys`.
 */
export async function makeKeyFile(path: string): Promise<Keyring> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeSynced(draft, `${makeKeyText()}\n`)
    // A link, unlike a rename, fails when the name is taken, and shows the file whole or not at all.
    await link(draft, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    await unlink(draft)
    await syncFolder(dirname(path))
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw new StoreError(
      'bad-keys',
      `The key file ${path} cannot be made (${codeOf(error)}): make its folder writable, or set ENCRYPTION_KEYS.`,
      { cause: error },
    )
  }
  const made = await readKeyFile(path)
  if (made === undefined) {
    throw new StoreError('bad-keys', `The key file ${path} was removed while it was being made: start again.`)
  }
  return made
}

/**
 * Replaces all entries (`id:base64key`) of the file at once, on disk before this returns; a reader sees the old or the new ones.
 * Call it only while no other process does. Throws StoreError `bad-keys`.
 */
export async function changeKeyFile(
  path: string,
  change: (entries: readonly string[]) => readonly string[],
): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    const entries = (await readFile(path, 'utf8')).split(',').map((entry) => entry.trim())
    await writeSynced(draft, `${change(entries).join(',')}\n`)
    await rename(draft, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw new StoreError(
      'bad-keys',
      `The key file ${path} cannot be changed (${codeOf(error)}): make it and its folder writable.`,
      { cause: error },
    )
  }
}

async function writeSynced(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(content)
  await file.sync()
}

/** Syncs a folder, so that a power cut cannot lose a new name. Windows cannot open a folder, and needs no sync. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

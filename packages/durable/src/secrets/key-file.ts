import { readFileSync, realpathSync, statSync } from 'node:fs'
import { describeWriteError, writeFileAtomically } from '../database/disk.ts'
import { errorCode, StoreError } from '../database/errors.ts'
import { type Keyring, type LiveKeys, makeKeyText, parseKeys } from './keys.ts'

const MAX_BYTES = 65_536

/**
 * Reads a key file. Returns undefined if it doesn't exist. Throws StoreError `bad-keys` if it can't be read, or if its
 * permissions let others read or write it.
 */
export function readKeyText(path: string): string | undefined {
  try {
    const { mode, size } = statSync(path)
    checkPermissions(path, mode)
    if (size > MAX_BYTES)
      throw new StoreError('bad-keys', `The file ${path} isn’t a key file: it’s larger than 64 KiB.`)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof StoreError) throw error
    if (errorCode(error) === 'ENOENT') return undefined
    throw new StoreError(
      'bad-keys',
      `The key file ${path} can’t be read (${errorCode(error)}). Make it readable for the user that runs this process.`,
      { cause: error },
    )
  }
}

/**
 * Only the owner may write the file. Its group may read it. Everyone may read it on a read-only mount, because that's how
 * Kubernetes (0644), Swarm (0444), and Compose pass secrets to a container.
 */
function checkPermissions(path: string, mode: number): void {
  // Windows has no mode bits. It uses access lists, which Node can't read.
  if (process.platform === 'win32') return
  if ((mode & 0o022) !== 0)
    throw new StoreError(
      'bad-keys',
      `Users other than its owner can write to the key file ${path}. Run chmod 600 on it. If someone else may have changed it, don’t use its keys.`,
    )
  if ((mode & 0o004) !== 0 && !isOnReadOnlyMount(path))
    throw new StoreError(
      'bad-keys',
      `Everyone on this machine can read the key file ${path}. Run chmod 600 on it. If someone else may have read it, replace the key.`,
    )
}

/**
 * Whether the file is on a read-only mount. In mountinfo, the fifth field is the mount point, and the sixth its options
 * (https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html).
 */
function isOnReadOnlyMount(path: string): boolean {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    const realPath = realpathSync(path)
    let deepest = { mountPoint: '', options: '' }
    for (const mount of mounts) {
      const [, , , , mountPoint = '', options = ''] = mount.split(' ')
      const isAbove =
        realPath === mountPoint ||
        realPath.startsWith(mountPoint.endsWith('/') ? mountPoint : `${mountPoint}/`)
      // If two mounts share a mount point, the later one hides the earlier one.
      if (mountPoint !== '' && isAbove && mountPoint.length >= deepest.mountPoint.length)
        deepest = { mountPoint, options }
    }
    return deepest.options.split(',').includes('ro')
  } catch {
    return false
  }
}

/** Parses a key file. Returns undefined if it doesn't exist. Throws StoreError `bad-keys`. */
export function readKeyFile(path: string): Keyring | undefined {
  const text = readKeyText(path)
  try {
    return text === undefined ? undefined : parseKeys(text)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new StoreError('bad-keys', `The key file ${path} is damaged. Restore it. ${error.message}`, {
      cause: error,
    })
  }
}

/**
 * Creates a key file (mode 0600, on disk when this returns) unless it exists, and returns its keys. If two processes call this at
 * once, both get the same key. Throws StoreError `bad-keys`.
 */
export async function makeKeyFile(path: string): Promise<Keyring> {
  await writeFileAtomically(path, `${makeKeyText()}\n`, { failIfExists: true }).catch((error: unknown) => {
    // Another process created the file first, so its key wins.
    if (errorCode(error) === 'EEXIST') return
    throw new StoreError(
      'bad-keys',
      `The key file ${path} ${describeWriteError(error)}. Or pass the keys in another way.`,
      { cause: error },
    )
  })
  const keyring = readKeyFile(path)
  if (keyring === undefined) {
    throw new StoreError(
      'bad-keys',
      `The key file ${path} was removed while it was being created. Start again.`,
    )
  }
  return keyring
}

/**
 * Replaces all entries (`id:base64key`) of the file atomically, on disk when this returns. Only call it while no other process
 * does. Throws StoreError `bad-keys`.
 */
export async function changeKeyFile(
  path: string,
  change: (entries: readonly string[]) => readonly string[],
): Promise<void> {
  const text = readKeyText(path)
  if (text === undefined) throw new StoreError('bad-keys', `The key file ${path} doesn’t exist. Put it back.`)
  const entries = text.split(',').map((entry) => entry.trim())
  try {
    await writeFileAtomically(path, `${change(entries).join(',')}\n`)
  } catch (error) {
    throw new StoreError('bad-keys', `The key file ${path} ${describeWriteError(error)}.`, { cause: error })
  }
}

/** The file beside a key file with keys that were removed from it. Older backups need them. */
export const formerKeysFile = (path: string): string => `${path}.former`

const readEntries = (path: string): string[] =>
  (readKeyText(path) ?? '').split(',').flatMap((entry) => entry.trim() || [])

const entryId = (entry: string): string => entry.slice(0, entry.indexOf(':'))

/**
 * Moves these keys to the file of former keys. If the process is killed, each key is in one of the files or in both. Throws
 * StoreError `bad-keys`.
 */
export async function retireKeys(path: string, ids: readonly string[]): Promise<void> {
  const former = formerKeysFile(path)
  const retired = readEntries(path).filter((entry) => ids.includes(entryId(entry)))
  if (retired.length === 0) return
  try {
    await writeFileAtomically(former, `${[...new Set([...readEntries(former), ...retired])].join(',')}\n`)
  } catch (error) {
    throw new StoreError('bad-keys', `The file ${former} ${describeWriteError(error)}.`, {
      cause: error,
    })
  }
  await changeKeyFile(path, (entries) => entries.filter((entry) => !ids.includes(entryId(entry))))
}

/** Appends former keys to the key file again, for a database that needs them. Throws StoreError `bad-keys`. */
export async function reviveKeys(path: string, ids: readonly string[]): Promise<void> {
  const present = new Set(readEntries(path).map(entryId))
  const revived = readEntries(formerKeysFile(path)).filter(
    (entry) => ids.includes(entryId(entry)) && !present.has(entryId(entry)),
  )
  if (revived.length > 0) await changeKeyFile(path, (entries) => [...entries, ...revived])
}

/** Reads the keys of a key file, followed by the former keys, which open older backups. Throws StoreError `bad-keys`. */
export function readAllKeys(path: string): Keyring | undefined {
  const ring = readKeyFile(path)
  if (ring === undefined) return undefined
  const former = readEntries(formerKeysFile(path)).filter((entry) => !ring.byId.has(entryId(entry)))
  return former.length === 0 ? ring : parseKeys([...readEntries(path), ...former].join(','))
}

/**
 * Follows the current keys of a key file by checking its modification time on each use. The process seals with a new key as soon
 * as it's first in the file. If the last sealing key is missing from the new keys, they are adopted only after they're verified.
 * Until then, this process opens with its own keys and doesn't seal. If the file is missing or damaged, nothing changes; the next
 * start reports it.
 */
export function followKeyFile(
  path: string,
  verified: Keyring,
  onChange: (keyId: string) => void = () => undefined,
): LiveKeys {
  let ring = verified
  let lastStamp = fileStamp(path)
  let unverified: Keyring | undefined

  function switchTo(next: Keyring): void {
    const before = ring.primary.id
    ring = next
    unverified = undefined
    if (next.primary.id !== before) onChange(next.primary.id)
  }

  function checkFile(): void {
    const stamp = fileStamp(path)
    if (stamp === lastStamp) return
    lastStamp = stamp
    const next = tryReadKeyFile(path)
    unverified = undefined
    if (next === undefined) return
    const former = next.byId.get(ring.primary.id)
    if (former?.secret.equals(ring.primary.secret)) switchTo(next)
    else unverified = next
  }

  return {
    ring() {
      checkFile()
      return ring
    },
    primary() {
      checkFile()
      if (unverified === undefined) return ring.primary
      throw new StoreError(
        'wrong-key',
        `The key file ${path} was changed, and its keys aren’t verified yet. Until then, nothing can be encrypted.`,
      )
    },
    adopt(isValid) {
      checkFile()
      if (unverified === undefined || !isValid(unverified)) return false
      switchTo(unverified)
      return true
    },
    discardUnverified() {
      unverified = undefined
    },
  }
}

/** Identifies a version of the file. Nearly always, the inode number alone would do, because every change creates a new file. */
function fileStamp(path: string): string | undefined {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return undefined
  }
}

function tryReadKeyFile(path: string): Keyring | undefined {
  try {
    return readKeyFile(path)
  } catch {
    return undefined
  }
}

import { createHmac, randomBytes } from 'node:crypto'
import { open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf, StoreError } from '../database/errors.ts'
import type { WorkspaceKeyRow } from '../database/schema.ts'
import { derived } from '../secrets/derive.ts'
import { syncFolder } from '../secrets/key-file.ts'
import type { Key, Keyring } from '../secrets/keys.ts'

/**
 * The workspaces' keys, each sealed with an encryption key, beside the backups that they open. All backups of a database share one
 * file, so a key that is destroyed in it is destroyed for all of them.
 */
interface KeysFile {
  readonly format: typeof FORMAT
  readonly version: typeof VERSION
  /** The id of their database. */
  readonly store: string
  readonly keys: readonly WorkspaceKeyRow[]
  readonly sealedBy: string
  /** An HMAC of all of the above, with a key derived from the named one. */
  readonly seal: string
}

const FORMAT = 'signalman-workspace-keys'
const VERSION = 1

/** The default path of the keys for a backup. */
export const keysFileBeside = (backup: string, store: string): string =>
  join(dirname(backup), `signalman-${store.slice(0, 8)}.workspace-keys`)

/** Undefined when there is no file. Throws StoreError `unusable` for a file that is damaged, forged or of another database. */
export async function readKeysFile(
  path: string,
  ring: Keyring,
  store: string,
): Promise<readonly WorkspaceKeyRow[] | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new StoreError('unreachable', `The file ${path} cannot be read (${codeOf(error)}).`, {
      cause: error,
    })
  }
  const file = parsed(text)
  if (file === undefined) throw unusable(path, 'is no file of workspaces’ keys, or damaged')
  if (file.store !== store) throw unusable(path, 'belongs to another database')
  const key = ring.byId.get(file.sealedBy)
  if (key === undefined) {
    throw new StoreError('wrong-key', `The file ${path} needs the encryption key "${file.sealedBy}": add it.`)
  }
  if (sealOf(key, file) !== file.seal) throw unusable(path, 'was changed by somebody without the keys')
  return file.keys
}

/** Replaces the content of the file by these keys; it is complete and on disk before this returns. */
export async function writeKeysFile(
  path: string,
  { primary }: Keyring,
  store: string,
  keys: readonly WorkspaceKeyRow[],
): Promise<void> {
  const content = { format: FORMAT, version: VERSION, store, keys, sealedBy: primary.id } as const
  const file: KeysFile = { ...content, seal: sealOf(primary, content) }
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`
  try {
    {
      await using made = await open(draft, 'wx', 0o600)
      await made.writeFile(`${JSON.stringify(file)}\n`)
      await made.sync()
    }
    await rename(draft, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw new StoreError('unreachable', `The file ${path} cannot be written (${codeOf(error)}).`, {
      cause: error,
    })
  }
}

function sealOf(key: Key, { store, keys, sealedBy }: Pick<KeysFile, 'store' | 'keys' | 'sealedBy'>): string {
  const said = JSON.stringify([FORMAT, VERSION, store, keys.map(cellsOf), sealedBy])
  return createHmac('sha256', derived(key, 'workspace keys')).update(said).digest('hex')
}

const cellsOf = ({
  id,
  workspace_id,
  purpose,
  sealed_key,
  made_at,
  retired_at,
  dropped_at,
}: WorkspaceKeyRow) => [
  id,
  workspace_id,
  purpose,
  sealed_key,
  made_at,
  retired_at,
  // Older files lack it, and their seals stay valid.
  ...(typeof dropped_at === 'string' ? [dropped_at] : []),
]

function parsed(text: string): KeysFile | undefined {
  try {
    const file: unknown = JSON.parse(text)
    if (typeof file !== 'object' || file === null || !('format' in file) || file.format !== FORMAT)
      return undefined
    // The seal proves that `writeKeysFile` wrote it.
    return file as KeysFile
  } catch {
    return undefined
  }
}

const unusable = (path: string, how: string): StoreError =>
  new StoreError('unusable', `The file ${path} ${how}: put the newest one in its place.`)

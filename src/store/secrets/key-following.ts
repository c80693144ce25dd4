import { readFileSync, statSync } from 'node:fs'
import { type Keyring, parseKeys } from './keys.ts'

/**
 * The present keys of a key file, for one look at its date each time: a serving process seals with a new key as soon as the file
 * has it first. A file that is gone, damaged, or lacks the key that sealed last changes nothing: the next start names the fault.
 */
export function followKeyFile(path: string, proven: Keyring): () => Keyring {
  let ring = proven
  let seen: string | undefined
  return () => {
    const stamp = stampOf(path)
    if (stamp === seen) return ring
    seen = stamp
    ring = successor(path, ring) ?? ring
    return ring
  }
}

/** Every change is a new file under the old name, so the inode number nearly tells it alone. */
function stampOf(path: string): string | undefined {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true })
    return `${ino} ${mtimeNs} ${size}`
  } catch {
    return undefined
  }
}

function successor(path: string, ring: Keyring): Keyring | undefined {
  try {
    const next = parseKeys(readFileSync(path, 'utf8'))
    const former = next.byId.get(ring.primary.id)
    return former?.secret.equals(ring.primary.secret) ? next : undefined
  } catch {
    return undefined
  }
}

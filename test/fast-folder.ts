import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** The minimum free space. In containers, /dev/shm often has only 64 MB. */
const MIN_FREE_BYTES = 2 * 2 ** 30

function hasSpace(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize >= MIN_FREE_BYTES
}

/**
 * The folder for test databases. In memory if possible, because a commit to disk takes four times as long, and no test needs data to
 * survive a power failure.
 */
export const FAST_FOLDER = hasSpace(IN_MEMORY) ? IN_MEMORY : tmpdir()

import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** The minimum free space, because containers often have only 64 MB. */
const MIN_FREE_BYTES = 2 * 2 ** 30

function hasSpace(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize >= MIN_FREE_BYTES
}

/**
 * The folder for test databases: in memory if possible, because a commit to disk takes four times as long. No test is about power
 * loss.
 */
export const FAST_FOLDER = hasSpace(IN_MEMORY) ? IN_MEMORY : tmpdir()

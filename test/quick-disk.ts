import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const IN_MEMORY = '/dev/shm'
/** A container is often given 64 MB of it. */
const ROOM_BYTES = 2 * 2 ** 30

function isRoomy(path: string): boolean {
  if (!existsSync(path)) return false
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize >= ROOM_BYTES
}

/** For files of tests: no test is about the power going, and a disk makes each commit four times as slow. */
export const QUICK_DISK = isRoomy(IN_MEMORY) ? IN_MEMORY : tmpdir()

import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../databases/databases.ts'

/** A way to keep running processes from writing to open files and from creating new ones. */
export interface UnwritableDisk {
  readonly name: string
  /** Prevents writes until the returned function is called. */
  preventWrites(folder: string, pids: readonly number[]): () => void
}

const runQuietly = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: 'ignore' })

/**
 * Makes the files immutable. Each write then fails in the same way as when Linux has remounted the file system read-only. Needs root,
 * and a file system that supports it.
 */
const IMMUTABLE: UnwritableDisk = {
  name: 'immutable files (chattr +i)',
  preventWrites(folder) {
    const files = ['signalman.db', 'signalman.db-wal'].map((name) => join(folder, name)).filter(existsSync)
    const paths = [...files, folder]
    runQuietly('chattr', '+i', ...paths)
    return () => runQuietly('chattr', '-i', ...paths)
  },
}

/** Sets the file size limit of each process to 0, so that none of its files can grow. Doesn't need root. */
const NO_FILE_SIZE: UnwritableDisk = {
  name: 'processes that may not grow files (prlimit --fsize=0)',
  preventWrites(_, pids) {
    for (const pid of pids) runQuietly('prlimit', '--pid', String(pid), '--fsize=0:unlimited')
    return () => {
      for (const pid of pids) runQuietly('prlimit', '--pid', String(pid), '--fsize=unlimited:unlimited')
    }
  },
}

/** Tests on an open file whether this machine and user support this way to prevent writes. */
function isSupported({ preventWrites }: UnwritableDisk): boolean {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  writeFileSync(path, 'a')
  const file = openSync(path, 'r+')
  const canWrite = (): boolean => {
    try {
      return writeSync(file, 'b') === 1
    } catch {
      return false
    }
  }
  let restore: (() => void) | undefined
  try {
    restore = preventWrites(folder.path, [process.pid])
    const isBlocked = !canWrite()
    restore()
    return isBlocked && canWrite()
  } catch {
    // The program doesn't exist, or the user isn't allowed to use it.
    return false
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** All ways to prevent writes, and whether this machine and user support them. */
export const UNWRITABLE_DISKS = [IMMUTABLE, NO_FILE_SIZE].map((disk) => ({
  disk,
  name: disk.name,
  isSupported: isSupported(disk),
}))

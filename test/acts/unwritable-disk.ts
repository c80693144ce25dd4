import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../databases/databases.ts'

/** Keeps running processes from writing to open files and from creating new ones. */
export interface UnwritableDisk {
  readonly name: string
  /** Prevents writes until the returned function is called. */
  lose(folder: string, pids: readonly number[]): () => void
}

const quietly = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: 'ignore' })

/**
 * Remounts the file system read-only, as Linux does after disk errors: each write fails. Needs root, and a file system that
 * supports it.
 */
const IMMUTABLE: UnwritableDisk = {
  name: 'files that the file system lets nobody write (chattr +i)',
  lose(folder) {
    const files = ['signalman.db', 'signalman.db-wal'].map((name) => join(folder, name)).filter(existsSync)
    const all = [...files, folder]
    quietly('chattr', '+i', ...all)
    return () => quietly('chattr', '-i', ...all)
  },
}

/** Limits one process, by its owner: no file of it can grow. */
const NO_BYTES: UnwritableDisk = {
  name: 'processes that may write no file (prlimit --fsize=0)',
  lose(_, pids) {
    for (const pid of pids) quietly('prlimit', '--pid', String(pid), '--fsize=0:unlimited')
    return () => {
      for (const pid of pids) quietly('prlimit', '--pid', String(pid), '--fsize=unlimited:unlimited')
    }
  },
}

/** Tested on an open file. */
function works({ lose }: UnwritableDisk): boolean {
  using folder = makeFolder()
  const path = join(folder.path, 'signalman.db')
  writeFileSync(path, 'a')
  const file = openSync(path, 'r+')
  const takes = (): boolean => {
    try {
      return writeSync(file, 'b') === 1
    } catch {
      return false
    }
  }
  let back: (() => void) | undefined
  try {
    back = lose(folder.path, [process.pid])
    const isLost = !takes()
    back()
    return isLost && takes()
  } catch {
    // The program doesn't exist, or the user isn't allowed to use it.
    return false
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** Each way, and whether this machine supports it for this user. */
export const UNWRITABLE_DISKS = [IMMUTABLE, NO_BYTES].map((disk) => ({
  disk,
  name: disk.name,
  isHere: works(disk),
}))

import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../databases/databases.ts'

/** A way to keep running processes from writing to files that they have opened already, and from making new ones. */
export interface UnwritableDisk {
  readonly name: string
  /** Takes the writing away, until what this returns is called. */
  lose(folder: string, pids: readonly number[]): () => void
}

const quietly = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: 'ignore' })

/** As a file system does that has remounted itself read-only: each write to it fails. For root, on file systems that know the flag. */
const IMMUTABLE: UnwritableDisk = {
  name: 'files that the file system lets nobody write (chattr +i)',
  lose(folder) {
    const files = ['signalman.db', 'signalman.db-wal'].map((name) => join(folder, name)).filter(existsSync)
    const all = [...files, folder]
    quietly('chattr', '+i', ...all)
    return () => quietly('chattr', '-i', ...all)
  },
}

/** The same for one process, by its owner: no file of it takes another byte. */
const NO_BYTES: UnwritableDisk = {
  name: 'processes that may write no file (prlimit --fsize=0)',
  lose(_, pids) {
    for (const pid of pids) quietly('prlimit', '--pid', String(pid), '--fsize=0:unlimited')
    return () => {
      for (const pid of pids) quietly('prlimit', '--pid', String(pid), '--fsize=unlimited:unlimited')
    }
  },
}

/** Tried on a file that is open. */
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
    // No such program, or nobody may.
    return false
  } finally {
    closeSync(file)
    rmSync(path, { force: true })
  }
}

/** Each of them, and whether this machine has it for this user. */
export const UNWRITABLE_DISKS = [IMMUTABLE, NO_BYTES].map((disk) => ({
  disk,
  name: disk.name,
  isHere: works(disk),
}))

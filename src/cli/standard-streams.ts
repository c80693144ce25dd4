import { createWriteStream, fstatSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '@signalman/durable'

/** The path that stands for standard input or output. */
export const STANDARD_STREAM = '-'

/** What messages call a file that came from standard input, after a word such as "backup". */
const STANDARD_INPUT = 'from standard input'

/** The name of an input in messages. */
export const nameInput = (path: string): string => (path === STANDARD_STREAM ? 'standard input' : path)

/**
 * Calls `work` with the path of a file. For `-`, that's a copy of standard input, which is deleted afterwards: a backup is read more
 * than once. The copy is next to the database, because other folders of a container are often read-only or small.
 */
export async function withInputFile<T>(
  path: string,
  databaseFile: string | undefined,
  work: (path: string) => Promise<T>,
): Promise<T> {
  if (path !== STANDARD_STREAM) return await work(path)
  const parent = databaseFile === undefined ? tmpdir() : dirname(databaseFile)
  const folder = await mkdtemp(join(parent, '.signalman-input-'))
  const copy = join(folder, 'signalman.backup')
  try {
    await pipeline(process.stdin, createWriteStream(copy, { flags: 'wx', mode: 0o600, flush: true }))
    return await work(copy)
  } catch (error) {
    // The copy is gone when somebody reads this.
    if (!(error instanceof StoreError)) throw error
    throw new StoreError(error.kind, error.message.replaceAll(copy, STANDARD_INPUT), { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Standard output, for data. If it's a file, Node's own stream ignores that the disk took only a part of what was written, so this
 * one fails instead.
 */
export const openStandardOutput = (): Writable =>
  fstatSync(process.stdout.fd).isFile()
    ? createWriteStream('', { fd: process.stdout.fd, autoClose: false })
    : process.stdout

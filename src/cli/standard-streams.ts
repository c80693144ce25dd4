import { createWriteStream, fstatSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StoreError } from '@signalman/durable'

/** The path that stands for standard input or output. */
export const STANDARD_STREAM = '-'

const STANDARD_INPUT = 'standard input'

/** The name of an input in messages. */
export const nameInput = (path: string): string => (path === STANDARD_STREAM ? STANDARD_INPUT : path)

/** Replaces the path of the copy of standard input in a message about it, because the copy is gone when somebody reads it. */
export const withoutCopy = (message: string, file: string, name: string): string =>
  name === STANDARD_INPUT ? message.replaceAll(file, `from ${name}`) : message

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
    if (!(error instanceof StoreError)) throw error
    throw new StoreError(error.kind, withoutCopy(error.message, copy, STANDARD_INPUT), { cause: error })
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

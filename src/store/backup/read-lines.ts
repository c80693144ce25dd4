import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf, StoreError } from '../database/errors.ts'
import type { BackupEnd, BackupRow } from './format.ts'
import type { SealedRows } from './sealed-rows.ts'

/** A line between the header and the end. */
export type Content = BackupRow | SealedRows

/** The lines of a backup. Not by `node:readline`, which also ends a line at U+2028: JSON does not escape that. */
export async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const unpacked = createGunzip()
  // A failure of the file also fails the reading below.
  pipeline(file, unpacked, () => undefined)
  let rest: Buffer[] = []
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
        rest = []
        from = at + 1
      }
      rest.push(chunk.subarray(from))
    }
  } catch (error) {
    throw explained(error, path)
  }
  if (rest.some(({ length }) => length > 0)) throw damaged(path, 'its last line is cut short')
}

function explained(error: unknown, path: string): unknown {
  const code = codeOf(error)
  if (code === 'ENOENT') return new StoreError('unreachable', `There is no file ${path}.`)
  if (code === 'EACCES' || code === 'EISDIR')
    return new StoreError('unreachable', `The file ${path} cannot be read (${code}).`, { cause: error })
  return code.startsWith('Z_') ? damaged(path, 'it does not unpack') : error
}

export function lineOf(line: string, path: string): Content | BackupEnd {
  try {
    // A right hash at the end proves these types; it is verified before anything is kept.
    return JSON.parse(line) as Content | BackupEnd
  } catch {
    throw damaged(path, 'a line of it cannot be read')
  }
}

export function damaged(path: string, how: string): StoreError {
  return new StoreError('unusable', `The backup ${path} is damaged: ${how}. Take another one.`)
}

export const keyMissing = (path: string): StoreError =>
  new StoreError(
    'wrong-key',
    `The backup ${path} holds a workspace whose key is not here: put the newest file of workspaces’ keys beside it, or name it with --keys.`,
  )

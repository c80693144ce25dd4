import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf, StoreError } from '../database/errors.ts'
import type { BackupEnd, BackupRow } from './format.ts'
import type { SealedRows } from './sealed-rows.ts'

/** What stands between the header and the end. */
export type Content = BackupRow | SealedRows

/** `node:readline` would also end a line at U+2028, which JSON leaves as it is. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const unpacked = createGunzip()
  // Its failure reaches whoever reads what is unpacked.
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
    // Of these types where the hash at the end is right, which is looked at before anything is kept.
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

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '@signalman/durable'
import { type IsListedKey, listedKeys, parseKeyList } from '../domain/listed-keys.ts'

/** Ten times what all of Debian's lists take together. */
const MOST_BYTES = 128 * 1024 * 1024

/** Reads the list, or every list in a folder. Throws an Error that says what is wrong with which of them. */
export function readWeakKeyLists(path: string): IsListedKey {
  const entries: bigint[] = []
  let left = MOST_BYTES
  for (const file of filesOf(path)) {
    left -= sizeOf(file)
    if (left < 0) throw new Error('WEAK_KEYS names lists of more than 128 MiB; name those for RSA alone')
    const read = parseKeyList(readFileSync(file, 'utf8'))
    if ('badLine' in read)
      throw new Error(
        `WEAK_KEYS: line ${read.badLine} of ${file} is no fingerprint; a list has 20 or 40 hexadecimal digits a line`,
      )
    // A spread would put a million arguments on the stack.
    for (const entry of read.entries) entries.push(entry)
  }
  if (entries.length === 0)
    throw new Error(`WEAK_KEYS: there is no fingerprint in ${path}; give a list, or a folder of them`)
  return listedKeys(entries)
}

function filesOf(path: string): string[] {
  return attempt(path, () =>
    statSync(path).isDirectory()
      ? readdirSync(path, { withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
          .map(({ name }) => join(path, name))
          .toSorted()
      : [path],
  )
}

const sizeOf = (file: string): number => attempt(file, () => statSync(file).size)

function attempt<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`WEAK_KEYS: ${path} cannot be read (${codeOf(error)})`)
  }
}

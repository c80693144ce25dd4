import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { codeOf, StoreError } from '../database/errors.ts'
import { parseKeys } from './keys.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Sources of the encryption keys; at most one may be set. */
export const KEY_SOURCES = ['ENCRYPTION_KEYS', 'ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS_COMMAND'] as const

const WAITS_MS = 30_000
const MAX_BYTES = 65_536

/**
 * The keys as text: from the environment, from a file that only its owner may read, or from the output of a command (of a vault, say)
 * that the shell runs once at each start. Undefined when none is set. Throws StoreError `bad-keys`, which names the variable
 * and no key.
 */
export function keysFrom(variables: Variables): string | undefined {
  const given = KEY_SOURCES.filter((name) => variables[name]?.trim())
  const [source] = given
  if (source === undefined) return undefined
  if (given.length > 1) throw bad(`${given.join(' and ')} are both set: leave one of them`)
  // One of the three that are set.
  const value = variables[source]?.trim() ?? ''
  if (source === 'ENCRYPTION_KEYS') return value
  const text = source === 'ENCRYPTION_KEYS_FILE' ? contentOf(value) : outputOf(value)
  try {
    parseKeys(text)
  } catch (error) {
    throw bad(`What ${source} gives cannot be used: ${error instanceof StoreError ? error.message : ''}`)
  }
  return text
}

function contentOf(path: string): string {
  try {
    const { mode, size } = statSync(path)
    // A secret that Kubernetes or Docker mounts may be readable by its group, but not by others.
    if (process.platform !== 'win32' && (mode & 0o007) !== 0)
      throw bad(`The file in ENCRYPTION_KEYS_FILE is open to everyone on this machine: run chmod 600 on it`)
    if (size > MAX_BYTES) throw bad('The file in ENCRYPTION_KEYS_FILE is larger than 64 KiB')
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw bad(`The file in ENCRYPTION_KEYS_FILE cannot be read (${codeOf(error)})`)
  }
}

/** The command's standard error is shown; its output is not. */
function outputOf(command: string): string {
  try {
    return execFileSync(command, {
      shell: true,
      encoding: 'utf8',
      timeout: WAITS_MS,
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim()
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined
    const how = typeof status === 'number' ? `ended with ${status}` : `did not end well (${codeOf(error)})`
    throw bad(`The command in ENCRYPTION_KEYS_COMMAND ${how}`)
  }
}

const bad = (message: string): StoreError => new StoreError('bad-keys', `${message}.`)

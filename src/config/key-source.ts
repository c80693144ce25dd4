import { execFileSync } from 'node:child_process'
import { errorCode, parseKeys, readKeyText, StoreError } from '@signalman/durable'

type Variables = Readonly<Record<string, string | undefined>>

/** Sources of the encryption keys; at most one may be set. */
export const KEY_SOURCES = ['ENCRYPTION_KEYS', 'ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS_COMMAND'] as const

const WAITS_MS = 30_000
const MAX_BYTES = 65_536

export interface GivenKeys {
  readonly keys: string | undefined
  /** The file that they are from, which a serving process follows. */
  readonly keysFile: string | undefined
}

/**
 * The keys as text: from the environment, from a file that others may not write, or from the output of a command (of a vault, say)
 * that runs once at each start, without a shell. Throws StoreError `bad-keys`, which names the variable, but no key.
 */
export function keysFrom(variables: Variables): GivenKeys {
  const given = KEY_SOURCES.filter((name) => variables[name]?.trim())
  const [source] = given
  if (source === undefined) return { keys: undefined, keysFile: undefined }
  if (given.length > 1) throw bad(`${given.join(' and ')} are both set: leave one of them`)
  // One of the three that are set.
  const value = variables[source]?.trim() ?? ''
  if (source === 'ENCRYPTION_KEYS') return { keys: value, keysFile: undefined }
  const isFile = source === 'ENCRYPTION_KEYS_FILE'
  const keys = isFile ? readKeyText(value) : runKeyCommand(value)
  if (keys === undefined) throw bad(`There is no file ${value}, which ENCRYPTION_KEYS_FILE names`)
  try {
    parseKeys(keys)
  } catch (error) {
    throw bad(`What ${source} gives cannot be used: ${error instanceof StoreError ? error.message : ''}`)
  }
  return { keys, keysFile: isFile ? value : undefined }
}

/** The command's standard error is shown; its output is not. */
function runKeyCommand(command: string): string {
  const [program = '', ...args] = splitCommand(command)
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      timeout: WAITS_MS,
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw bad(
        `There is no program ${program}, which ENCRYPTION_KEYS_COMMAND names: the image holds the app alone, so mount the program, or the keys as a file (ENCRYPTION_KEYS_FILE)`,
      )
    const status = error instanceof Error && 'status' in error ? error.status : undefined
    const how = typeof status === 'number' ? `ended with ${status}` : `did not end well (${errorCode(error)})`
    throw bad(`The command in ENCRYPTION_KEYS_COMMAND ${how}`)
  }
}

/** A word, or a part of one: in single quotes, in double quotes, one sign behind a backslash, or plain. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy
/** What a shell would do more with, in plain parts. */
const FOR_A_SHELL = /[|&;<>()$`*?[\]{}]|^~|^\w+=/

/** Splits as a shell does; what else a shell does is refused, because there may be none. */
function splitCommand(command: string): string[] {
  const words: string[] = []
  let isWithin = false
  let at = 0
  for (const [text, single, double, escaped, plain, space] of command.matchAll(PART)) {
    at += text.length
    if (FOR_A_SHELL.test(plain ?? '') || /[$`]/.test(double ?? ''))
      throw bad(
        "The command in ENCRYPTION_KEYS_COMMAND is run without a shell and holds what only a shell understands: quote it, or where there is a shell write sh -c '…'",
      )
    if (space === undefined) {
      const part = single ?? double?.replaceAll(/\\(.)/gs, '$1') ?? escaped ?? plain ?? ''
      words.push(`${isWithin ? words.pop() : ''}${part}`)
    }
    isWithin = space === undefined
  }
  if (at < command.length) throw bad('The command in ENCRYPTION_KEYS_COMMAND has a quote that does not end')
  return words
}

const bad = (message: string): StoreError => new StoreError('bad-keys', `${message}.`)

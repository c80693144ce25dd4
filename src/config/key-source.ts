import { execFileSync } from 'node:child_process'
import { errorCode, parseKeys, readKeyText, StoreError } from '@signalman/durable'

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that can provide the encryption keys. At most one may be set. */
export const KEY_SOURCES = ['ENCRYPTION_KEYS', 'ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS_COMMAND'] as const

const TIMEOUT_MS = 30_000
const MAX_BYTES = 65_536

export interface ConfiguredKeys {
  readonly keys: string | undefined
  /** The file with the keys, if they are in one. A running app rereads it when it changes. */
  readonly keysFile: string | undefined
}

/**
 * Reads the encryption keys from the environment, from a file, or from the output of a command, such as a vault's. The file must
 * not be writable by other users. The command runs once at each start, without a shell. Throws StoreError `bad-keys`, which names
 * the variable or the file, but never a key.
 */
export function readConfiguredKeys(variables: Variables): ConfiguredKeys {
  const sources = KEY_SOURCES.filter((name) => variables[name]?.trim())
  const [source] = sources
  if (source === undefined) return { keys: undefined, keysFile: undefined }
  if (sources.length > 1) throw badKeysError(`${sources.join(' and ')} are set. Set only one of them`)
  // The filter above has checked that it is set.
  const value = variables[source]?.trim() ?? ''
  if (source === 'ENCRYPTION_KEYS') return { keys: value, keysFile: undefined }
  const isFile = source === 'ENCRYPTION_KEYS_FILE'
  // Never repeated: the message is shown, logged, and in the files that people attach to issues.
  if (KEY_TEXT.test(value))
    throw badKeysError(
      `${source} contains a key, but it takes ${isFile ? 'the path of a file' : 'a command'}. Set ENCRYPTION_KEYS to the keys instead`,
    )
  const keys = isFile ? readKeyText(value) : runKeyCommand(value)
  if (keys === undefined) throw badKeysError(`The file in ENCRYPTION_KEYS_FILE doesn’t exist: ${value}`)
  try {
    parseKeys(keys)
  } catch (error) {
    throw badKeysError(
      `The keys from ${source} can’t be used: ${error instanceof StoreError ? error.message : ''}`,
    )
  }
  return { keys, keysFile: isFile ? value : undefined }
}

/** 32 bytes in base64, or an ID and at least a part of such a key. Quotes may have become part of the value. */
const KEY_TEXT = /^["']?(?:[A-Za-z0-9+/]{43}=|[\w.-]+:[A-Za-z0-9+/]{20,}={0,2})(?:,|["']?$)/

/** Runs the command and returns its output, which is never shown. Its standard error is passed through. */
function runKeyCommand(command: string): string {
  const [program = '', ...args] = splitCommand(command)
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_BYTES,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw badKeysError(
        `The program in ENCRYPTION_KEYS_COMMAND doesn’t exist: ${program}. The image contains only the app, so mount the program, or mount the keys as a file (ENCRYPTION_KEYS_FILE)`,
      )
    const status = error instanceof Error && 'status' in error ? error.status : undefined
    const outcome = typeof status === 'number' ? `exited with ${status}` : `failed (${errorCode(error)})`
    throw badKeysError(`The command in ENCRYPTION_KEYS_COMMAND ${outcome}`)
  }
}

/** Part of a word: in single quotes, in double quotes, a character after a backslash, or plain text. Or the space between words. */
const WORD_PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(\s+)/gsy
/** Plain text that a shell would interpret. */
const SHELL_SYNTAX = /[|&;<>()$`*?[\]{}]|^~|^\w+=/

/** Splits a command into words like a shell. Throws for any other shell syntax, because there may be no shell. */
function splitCommand(command: string): string[] {
  const words: string[] = []
  let continuesWord = false
  let position = 0
  for (const [text, single, double, escaped, plain, space] of command.matchAll(WORD_PART)) {
    position += text.length
    if (SHELL_SYNTAX.test(plain ?? '') || /[$`]/.test(double ?? ''))
      throw badKeysError(
        "The command in ENCRYPTION_KEYS_COMMAND contains shell syntax, but runs without a shell. Quote that part, or use sh -c '…' if there is a shell",
      )
    if (space === undefined) {
      const part = single ?? double?.replaceAll(/\\(.)/gs, '$1') ?? escaped ?? plain ?? ''
      words.push(`${continuesWord ? words.pop() : ''}${part}`)
    }
    continuesWord = space === undefined
  }
  if (position < command.length)
    throw badKeysError('The command in ENCRYPTION_KEYS_COMMAND has an unclosed quote')
  return words
}

const badKeysError = (message: string): StoreError => new StoreError('bad-keys', `${message}.`)

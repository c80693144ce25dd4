import { parseKeys, readKeyText, StoreError } from '@signalman/durable'

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that can provide the encryption keys. At most one may be set. */
export const KEY_SOURCES = ['ENCRYPTION_KEYS', 'ENCRYPTION_KEYS_FILE'] as const

export interface ConfiguredKeys {
  readonly keys: string | undefined
  /** The file with the keys, if they are in one. A running app rereads it when it changes. */
  readonly keysFile: string | undefined
}

/**
 * Reads the encryption keys from the environment or from a file, which must not be writable by other users. Throws StoreError
 * `bad-keys`, which names the variable, but never a key or what may be one.
 */
export function readConfiguredKeys(variables: Variables): ConfiguredKeys {
  const keysFile = variables.ENCRYPTION_KEYS_FILE?.trim() || undefined
  const given = variables.ENCRYPTION_KEYS?.trim() || undefined
  if (keysFile === undefined) return { keys: given, keysFile }
  if (given !== undefined)
    throw badKeysError('Both variables for encryption keys are set. Set only one of them')
  const keys = readKeyText(keysFile)
  if (keys === undefined) throw badKeysError('The file in ENCRYPTION_KEYS_FILE doesn’t exist')
  try {
    parseKeys(keys)
  } catch (error) {
    const problem = error instanceof StoreError ? error.message : ''
    throw badKeysError(`The keys from ENCRYPTION_KEYS_FILE can’t be used: ${problem}`)
  }
  return { keys, keysFile }
}

const badKeysError = (message: string): StoreError => new StoreError('bad-keys', `${message}.`)

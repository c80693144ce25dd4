import { readKeyText, StoreError } from '@signalman/durable'

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that can provide the encryption keys. At most one may be set. */
export const KEY_SOURCES = ['ENCRYPTION_KEYS', 'ENCRYPTION_KEYS_FILE'] as const

/**
 * Reads the encryption keys from the environment, or from a file. Undefined if none are given. Throws StoreError `bad-keys`, which names the variable or the file,
 * but never a key.
 */
export function readConfiguredKeys(variables: Variables): string | undefined {
  const keys = variables.ENCRYPTION_KEYS?.trim() || undefined
  const path = variables.ENCRYPTION_KEYS_FILE?.trim() || undefined
  if (path === undefined) return keys
  if (keys !== undefined)
    throw new StoreError(
      'bad-keys',
      'ENCRYPTION_KEYS and ENCRYPTION_KEYS_FILE are set. Set only one of them.',
    )
  // Never repeated: the message is shown, logged, and in the files that people attach to issues.
  if (KEY_TEXT.test(path))
    throw new StoreError(
      'bad-keys',
      'ENCRYPTION_KEYS_FILE contains a key, but it takes the path of a file. Set ENCRYPTION_KEYS to the keys instead.',
    )
  const text = readKeyText(path)
  if (text === undefined)
    throw new StoreError('bad-keys', `The file in ENCRYPTION_KEYS_FILE doesn’t exist: ${path}.`)
  return text
}

/** 32 bytes in base64, or an ID and at least a part of such a key. Quotes may have become part of the value. */
const KEY_TEXT = /^["']?(?:[A-Za-z0-9+/]{43}=|[\w.-]+:[A-Za-z0-9+/]{20,}={0,2})(?:,|["']?$)/

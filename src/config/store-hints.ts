import type { StoreError } from '@signalman/durable'

/** What to change for each kind of store error. The store itself doesn't know the app's variables. */
export const STORE_HINTS: Partial<Record<StoreError['kind'], string>> = {
  'bad-url': 'DATABASE_URL sets the address.',
  unreachable: 'DATABASE_URL sets the address.',
  former:
    'With the version that wrote it, export what you need (/hc export, /hc audit --export). Then set DATABASE_URL to a new database.',
  'missing-keys': 'Set ENCRYPTION_KEYS or ENCRYPTION_KEYS_FILE.',
  'wrong-key': 'Set ENCRYPTION_KEYS, or put the key file back next to the SQLite file.',
}

/** Adds a hint on what to change to the message of a store error. */
export function describeStoreError({ kind, message }: StoreError): string {
  const hint = STORE_HINTS[kind]
  return hint === undefined ? message : `${message} ${hint}`
}

import type { StoreError } from '@signalman/durable'

/** Which setting to change for each kind of store error. The store itself doesn't know our variables. */
const HINTS: Partial<Record<StoreError['kind'], string>> = {
  'bad-url': 'The address is in DATABASE_URL.',
  unreachable: 'The address is in DATABASE_URL.',
  'missing-keys': 'Set ENCRYPTION_KEYS, ENCRYPTION_KEYS_FILE, or ENCRYPTION_KEYS_COMMAND.',
  'wrong-key': 'The keys are in ENCRYPTION_KEYS, or in the key file next to the SQLite file.',
  'missing-workspace-keys': 'Name the file with --keys.',
  tampered: 'Run signalman audit verify.',
  'not-empty':
    'To replace it, add --replace, which keeps it under another name. To restore into another database, change DATABASE_URL.',
  'unwritable-journal': 'Or set OUTCOME_JOURNAL to another folder.',
}

/** The message of the error, and which setting to change. */
export function describeStoreError({ kind, message }: StoreError): string {
  const hint = HINTS[kind]
  return hint === undefined ? message : `${message} ${hint}`
}

import type { StoreError } from '@signalman/durable'

/** Which of this program's settings fixes an error of the store, which knows none of them. */
const HINTS: Partial<Record<StoreError['kind'], string>> = {
  'bad-url': 'The address is in DATABASE_URL.',
  unreachable: 'The address is in DATABASE_URL.',
  'missing-keys': 'Set ENCRYPTION_KEYS, ENCRYPTION_KEYS_FILE, or ENCRYPTION_KEYS_COMMAND.',
  'wrong-key': 'The keys are in ENCRYPTION_KEYS, or in the key file next to the SQLite file.',
  'missing-workspace-keys': 'The flag --keys names the file.',
  tampered: 'Run signalman audit verify.',
  'not-empty':
    'To replace it, add --replace, which keeps it under another name. To restore into another database, change DATABASE_URL.',
  'unwritable-journal': 'Set OUTCOME_JOURNAL to another folder.',
}

/** The error's own message, and what to change in the environment. */
export function describeStoreError({ kind, message }: StoreError): string {
  const hint = HINTS[kind]
  return hint === undefined ? message : `${message} ${hint}`
}

import { type Rotation, rotateKeys } from '@signalman/durable'
import { formatCount, pluralize } from '../domain/wording.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Re-encrypts all stored data with the first of the encryption keys while the app runs. You can kill it at any point and run it
again. It first waits up to 45 s until every running process uses that key, and lists those that don't.

  without a flag   re-encrypts with the first entry of ENCRYPTION_KEYS, which every process must already have
  --new-key        for a key file next to the SQLite file: adds a new key at the front, then re-encrypts with it
  --drop-old       re-encrypts, then moves the keys that the database doesn't need anymore to a file next to it (….key.former).
                   Older backups need that file

Each workspace's data is encrypted with a key of that workspace. These workspace keys are encrypted with the first of the
encryption keys.
  --new-workspace-keys        creates a new key for each workspace and re-encrypts its data with it. If it is killed, run it
                              again without the flag
  --drop-old-workspace-keys   destroys the workspace keys that were replaced at least an hour ago. Backups that need them can't be
                              restored afterwards

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const PROGRESS_EVERY = 1000

const FLAG = { type: 'boolean', default: false } as const

export const rotateKeysVerb = operatorVerb({
  help: HELP,
  flags: {
    'new-key': FLAG,
    'drop-old': FLAG,
    'new-workspace-keys': FLAG,
    'drop-old-workspace-keys': FLAG,
  },
  async run({ values }, environment) {
    if (values['new-key'] && values['drop-old']) throw flagConflictError('--new-key', '--drop-old')
    if (values['new-workspace-keys'] && values['drop-old-workspace-keys'])
      throw flagConflictError('--new-workspace-keys', '--drop-old-workspace-keys')
    let lastPrinted = 0
    const rotation = await rotateKeys({
      ...readExistingStoreOptions(environment),
      keyFile: chooseKeyChange(values['new-key'], values['drop-old']),
      workspaceKeys: chooseKeyChange(values['new-workspace-keys'], values['drop-old-workspace-keys']),
      onWaiting(processes) {
        printLine(`Waiting for these processes to use the new key: ${processes.join('; ')} …`)
      },
      onProgress(resealed) {
        if (resealed - lastPrinted < PROGRESS_EVERY) return
        lastPrinted = resealed
        printLine(`${formatCount(resealed)} re-encrypted …`)
      },
    })
    return printRotation(rotation)
  },
})

function chooseKeyChange(isAdding: boolean, isDropping: boolean): 'new' | 'drop-old' | undefined {
  if (isAdding) return 'new'
  return isDropping ? 'drop-old' : undefined
}

const flagConflictError = (first: string, second: string): OperatorError =>
  new OperatorError(
    `Use ${first} now and ${second} later. Rows being written right now may still need the old key.`,
    2,
  )

const backupHint = (pronoun: string): string =>
  `Older backups can’t be opened without ${pronoun}. Keep ${pronoun} as long as you keep those backups.`

function printRotation({
  keyId,
  resealed,
  unusedKeys,
  undecryptable,
  destroyed,
  formerKeys,
}: Rotation): number {
  const unusedKeyNames = unusedKeys.map((id) => `"${id}"`).join(', ')
  for (const { table, rows } of undecryptable) {
    printLine(
      `Left ${pluralize(rows, 'row')} in ${table} unchanged because no key can decrypt ${rows === 1 ? 'it' : 'them'}. Add the missing key.`,
    )
  }
  if (undecryptable.length === 0)
    printLine(
      `Done. Everything is encrypted with the key "${keyId}", directly or through a workspace key (${formatCount(resealed)} re-encrypted).`,
    )
  if (destroyed > 0)
    printLine(
      `Destroyed ${pluralize(destroyed, 'old workspace key')}. Renew the key file: signalman backup --keys-only --keys PATH.`,
    )
  if (unusedKeys.length > 0 && formerKeys !== undefined)
    printLine(
      `Moved ${unusedKeyNames} to ${formerKeys}. Older backups can’t be opened without that file. Keep it as long as you keep those backups.`,
    )
  else if (unusedKeys.length > 0)
    printLine(
      `The database no longer needs ${unusedKeyNames}.\n${backupHint(unusedKeys.length === 1 ? 'it' : 'them')}`,
    )
  return undecryptable.length > 0 ? 1 : 0
}

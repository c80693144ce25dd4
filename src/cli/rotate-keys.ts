import { openVerified, rotateKeys } from '@signalman/durable'
import { formatCount, pluralize } from '../domain/wording.ts'
import { printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Re-encrypts all stored data with the first of the encryption keys. Stop Signalman first. Put a new key in front of the old ones,
run this, and then remove the old ones, unless a backup needs them. If it's killed, run it again.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

export const rotateKeysVerb = operatorVerb({
  help: HELP,
  flags: {},
  async run(_, environment) {
    const { database, keys } = await openVerified(readExistingStoreOptions(environment))
    await using _closing = database
    const { resealed, undecryptable } = await rotateKeys(database, keys)
    for (const [table, rows] of undecryptable)
      printLine(
        `Left ${pluralize(rows, 'row')} in ${table} unchanged because no key can decrypt ${rows === 1 ? 'it' : 'them'}. Add the missing key.`,
      )
    if (undecryptable.size > 0) return 1
    printLine(
      `Done. Everything is encrypted with the key "${keys.primary.id}" (${formatCount(resealed)} re-encrypted).`,
    )
    return 0
  },
})

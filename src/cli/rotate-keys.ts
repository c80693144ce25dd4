import { parseArgs } from 'node:util'
import { type Rotation, rotateKeys } from '../store/secrets/rotate.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
Seals everything that is stored with the first of the encryption keys, while the app serves.
Killed at any point, it goes on when it is run again.

  without a flag   with ENCRYPTION_KEYS, whose first entry every process must have already
  --new-key        with the key file beside SQLite: puts a new key in front first
  --drop-old       then takes the keys that nothing needs any more out of that file

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const SAY_EVERY = 1000

export const rotateKeysVerb: OperatorVerb = {
  help: HELP,
  async run(args, environment) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'new-key': { type: 'boolean', default: false },
        'drop-old': { type: 'boolean', default: false },
      },
    })
    if (values['new-key'] && values['drop-old']) {
      throw new OperatorError(
        'Give --new-key now, and --drop-old another time: what is being written at this moment may still need the old key.',
      )
    }
    let said = 0
    const rotation = await rotateKeys({
      ...existingStore(environment),
      keyFile: values['new-key'] ? 'new' : values['drop-old'] ? 'drop-old' : undefined,
      onProgress(resealed) {
        if (resealed - said < SAY_EVERY) return
        said = resealed
        say(`${resealed} re-sealed …`)
      },
    })
    return tell(rotation, values['drop-old'])
  },
}

const FOR_BACKUPS =
  'Backups made before this cannot be opened without it: keep it where they are kept, or make a new backup.'

function tell({ keyId, resealed, released, unopened }: Rotation, dropped: boolean): number {
  const names = released.map((id) => `"${id}"`).join(', ')
  for (const { table, rows } of unopened) {
    say(
      `Do not open with any key, and were left as they are: ${rows} of ${table}. Add the key that sealed them.`,
    )
  }
  if (unopened.length === 0)
    say(`Done: everything is sealed with the key "${keyId}" (${resealed} re-sealed).`)
  if (released.length > 0) say(dropped ? `Dropped: ${names}.` : `The database needs no longer: ${names}.`)
  if (released.length > 0) say(FOR_BACKUPS)
  return unopened.length > 0 ? 1 : 0
}

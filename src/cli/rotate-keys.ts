import { parseArgs } from 'node:util'
import { type Rotation, rotateKeys } from '../store/secrets/rotate.ts'
import { StoreError } from '../store/store.ts'
import { existingStore } from './store-from-environment.ts'

const USAGE = `Seals everything that is stored with the first of the encryption keys, while the app serves.
Killed at any point, it goes on when it is run again.

  npm run rotate-keys                  with ENCRYPTION_KEYS, whose first entry every process must have already
  npm run rotate-keys -- --new-key     with the key file beside SQLite: puts a new key in front first
  npm run rotate-keys -- --drop-old    then takes the keys that nothing needs any more out of that file

In a container: node dist/rotate-keys.mjs, with the same flags.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const SAY_EVERY = 1000

const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'new-key': { type: 'boolean', default: false },
      'drop-old': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  if (values['new-key'] && values['drop-old']) {
    throw new StoreError(
      'bad-keys',
      'Give --new-key now, and --drop-old another time: what is being written at this moment may still need the old key.',
    )
  }
  let said = 0
  const rotation = await rotateKeys({
    ...existingStore(process.env),
    keyFile: values['new-key'] ? 'new' : values['drop-old'] ? 'drop-old' : undefined,
    onProgress(resealed) {
      if (resealed - said < SAY_EVERY) return
      said = resealed
      say(`${resealed} re-sealed …`)
    },
  })
  tell(rotation, values['drop-old'])
}

function tell({ keyId, resealed, released, unopened }: Rotation, dropped: boolean): void {
  const names = released.map((id) => `"${id}"`).join(', ')
  for (const { table, rows } of unopened) {
    say(
      `Do not open with any key, and were left as they are: ${rows} of ${table}. Add the key that sealed them.`,
    )
  }
  if (unopened.length > 0) process.exitCode = 1
  else say(`Done: everything is sealed with the key "${keyId}" (${resealed} re-sealed).`)
  if (released.length > 0) say(dropped ? `Dropped: ${names}.` : `No longer needed: ${names}.`)
}

try {
  await main()
} catch (error) {
  // What the operator can mend is one plain message; anything else is a bug and shows its stack.
  const isTheirs = error instanceof StoreError || isUsageError(error)
  process.stderr.write(`${isTheirs ? (error as Error).message : String((error as Error).stack ?? error)}\n`)
  process.exitCode = 1
}

function isUsageError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}

import { type Rotation, rotateKeys } from '@signalman/durable'
import { counted, grouped } from '../domain/wording.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
Seals everything that is stored with the first of the encryption keys, while the app serves.
It can be killed at any point and run again. First it waits, for at most 45 s, until every running process seals with that
key, and names those that do not.

  without a flag   with ENCRYPTION_KEYS, whose first entry every process must have already
  --new-key        with the key file beside SQLite: puts a new key in front first
  --drop-old       then takes the keys that nothing needs any more out of that file

The keys of the workspaces are sealed with the first of the encryption keys too, and what is stored of a workspace with its own.
  --new-workspace-keys        makes another key for each workspace, and seals everything with it; killed, it goes on without
                              the flag
  --drop-old-workspace-keys   then destroys those replaced an hour ago or earlier; backups that need them do not open then

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const SAY_EVERY = 1000

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
    if (values['new-key'] && values['drop-old']) throw notTogether('--new-key', '--drop-old')
    if (values['new-workspace-keys'] && values['drop-old-workspace-keys'])
      throw notTogether('--new-workspace-keys', '--drop-old-workspace-keys')
    let said = 0
    const rotation = await rotateKeys({
      ...existingStore(environment),
      keyFile: values['new-key'] ? 'new' : values['drop-old'] ? 'drop-old' : undefined,
      workspaceKeys: values['new-workspace-keys']
        ? 'new'
        : values['drop-old-workspace-keys']
          ? 'drop-old'
          : undefined,
      onWaiting(processes) {
        say(`Waiting until these seal with the new key: ${processes.join('; ')} …`)
      },
      onProgress(resealed) {
        if (resealed - said < SAY_EVERY) return
        said = resealed
        say(`${grouped(resealed)} re-sealed …`)
      },
    })
    return tell(rotation, values['drop-old'])
  },
})

const notTogether = (now: string, later: string): OperatorError =>
  new OperatorError(
    `Give ${now} now, and ${later} another time: what is being written at this moment may still need the old key.`,
    2,
  )

const forBackups = (them: string): string =>
  `Backups made before this cannot be opened without ${them}: keep ${them} where they are kept, or make a new backup.`

function tell({ keyId, resealed, released, unopened, destroyed }: Rotation, dropped: boolean): number {
  const names = released.map((id) => `"${id}"`).join(', ')
  for (const { table, rows } of unopened) {
    say(
      `${counted(rows, 'row')} of ${table} cannot be opened with any key: left as found. Add the key that sealed them.`,
    )
  }
  if (unopened.length === 0)
    say(
      `Done: everything is sealed with the key "${keyId}", or with a key that is (${grouped(resealed)} re-sealed).`,
    )
  if (destroyed > 0)
    say(
      `${counted(destroyed, 'former key')} of workspaces destroyed. Renew the file of keys: signalman backup --keys-only --keys PATH.`,
    )
  if (released.length > 0) say(dropped ? `Dropped: ${names}.` : `The database no longer needs ${names}.`)
  if (released.length > 0) say(forBackups(released.length === 1 ? 'it' : 'them'))
  return unopened.length > 0 ? 1 : 0
}

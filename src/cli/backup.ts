import {
  type BackupHeader,
  backUp,
  backUpKeys,
  foundKeys,
  headerOf,
  keysFor,
  keysFrom,
  type RenewedKeys,
  verifyBackup,
} from '@signalman/durable'
import { MODEL } from '../app/model.ts'
import { counted } from '../domain/wording.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore, sqliteFileOf } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
  signalman backup FILE            writes all that the database holds at this moment into FILE, while the app serves
  signalman backup --verify FILE   reads FILE from end to end: its hash and, with the keys, its seal, every sealed text and
                                   the audit log
  signalman backup --keys-only --keys PATH
                                   only renews the file with the workspaces' keys, in the folder or the file that PATH is

FILE is the same for SQLite and PostgreSQL, and either can be restored from it. It must not exist yet. It holds no
encryption key: keep ENCRYPTION_KEYS, or the key file beside the SQLite file, elsewhere. The exit code is 1 when a backup has
a fault.

Every workspace's rows are sealed with a key of that workspace. These keys, sealed with the encryption keys, are written into
a file beside FILE (signalman-….workspace-keys), or where --keys PATH says: one file for all backups of a database, renewed
with each. A restore on another machine needs it. After a workspace is erased, the next backup or --keys-only removes its key
from that file, and no backup can show anything of that workspace any more: so keep only the newest copy of that file.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const FLAG = { type: 'boolean', default: false } as const

/** `backup FILE`, `backup --verify FILE` and `backup --keys-only --keys PATH`. */
export const backup = operatorVerb({
  help: HELP,
  flags: { verify: FLAG, 'keys-only': FLAG, keys: { type: 'string' } },
  hasWords: true,
  async run({ values, positionals: [path, ...more] }, environment) {
    if (values['keys-only'] && !values.verify && path === undefined && values.keys !== undefined) {
      const keys = await backUpKeys(existingStore(environment), values.keys)
      say(`${keys.path}: the keys of the workspaces as of now.`)
      sayOthers(keys)
      return 0
    }
    if (values['keys-only'] || path === undefined || more.length > 0)
      throw new OperatorError(
        'Give one of: signalman backup FILE, signalman backup --verify FILE, signalman backup --keys-only --keys PATH.',
        2,
      )
    if (values.verify) return await verify(path, environment, values.keys)
    const made = await backUp(existingStore(environment), path, values.keys)
    say(`${path}: ${counted(made.rows, 'row')} as of ${made.at}, ${counted(made.bytes, 'byte')}.`)
    sayKeys(made.header)
    say(
      `The keys of its workspaces are in ${made.keys.path}: keep the newest of that file, and no older one.`,
    )
    sayOthers(made.keys)
    return 0
  },
})

async function verify(
  path: string,
  environment: Parameters<typeof existingStore>[0],
  keysPath: string | undefined,
): Promise<number> {
  const ring = await foundKeys(keysFrom(environment).keys, sqliteFileOf(environment))
  const held = ring && (await keysFor(path, await headerOf(path), ring, keysPath))
  const { header, end, isOpened, unopened, faults, unread } = await verifyBackup(
    MODEL.tables,
    path,
    ring,
    held,
  )
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  say(`${path}: ${counted(rows, 'row')} as of ${header.madeAt}, from ${NAMES[header.database]}; not damaged.`)
  sayKeys(header)
  for (const fault of faults) say(fault)
  for (const [table, count] of unopened)
    say(`${counted(count, 'row')} of ${table} cannot be opened with any key.`)
  if (unread > 0 && held === undefined)
    say(
      `${counted(unread, 'row')} of workspaces could not be checked: their keys are not here (--keys PATH).`,
    )
  else if (unread > 0)
    say(
      `${counted(unread, 'row')} cannot be opened any more: their workspaces were erased, or took the app out, since the backup.`,
    )
  if (!isOpened) say('Its seal, and what is sealed in it, could not be checked: there are no keys here.')
  return faults.length + unopened.size > 0 ? 1 : 0
}

/** It cannot be known whether those databases go on: if they do, their keys are theirs to destroy. */
function sayOthers({ others }: RenewedKeys): void {
  for (const file of others)
    say(
      `${file} has the keys of a database that this one was restored from, and was left as it is. Where that database is no more, take what is destroyed here out of it too: signalman backup --keys-only --keys ${file}`,
    )
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function sayKeys({ keys }: BackupHeader): void {
  const names = keys.map(({ id, fingerprint }) => `"${id}" (fingerprint ${fingerprint})`).join(', ')
  say(
    `What is sealed in it opens with the ${keys.length === 1 ? 'key' : 'keys'} ${names}, which it does not hold.`,
  )
}

import { parseArgs } from 'node:util'
import { backUp } from '../store/backup/backup.ts'
import { foundKeys } from '../store/backup/backup-keys.ts'
import type { BackupHeader } from '../store/backup/format.ts'
import { verifyBackup } from '../store/backup/verify-backup.ts'
import { keysFrom } from '../store/secrets/key-source.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore, sqliteFileOf } from './store-from-environment.ts'
import type { OperatorVerb } from './verbs.ts'

const HELP = `
  signalman backup FILE            writes all that the database holds at this moment into FILE, while the app serves
  signalman backup --verify FILE   reads FILE from end to end: its hash and, with the keys, its seal, every sealed text and
                                   the audit log

FILE is the same for SQLite and PostgreSQL, and either can be restored from it. It may not be there yet. No encryption key is
in it: keep ENCRYPTION_KEYS, or the key file beside the SQLite file, elsewhere. The exit code is 1 when a backup has a fault.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

/** `backup FILE` and `backup --verify FILE`. */
export const backup: OperatorVerb = {
  help: HELP,
  async run(args, environment) {
    const options = { verify: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [path, ...more] = positionals
    if (path === undefined || more.length > 0)
      throw new OperatorError('Name one file: signalman backup FILE, or signalman backup --verify FILE.', 2)
    if (values.verify) return await verify(path, environment)
    const made = await backUp(existingStore(environment), path)
    say(`${path}: ${made.rows} rows as of ${made.at}, ${made.bytes} bytes.`)
    sayKeys(made.header)
    return 0
  },
}

async function verify(path: string, environment: Parameters<OperatorVerb['run']>[1]): Promise<number> {
  const ring = await foundKeys(keysFrom(environment), sqliteFileOf(environment))
  const { header, end, isOpened, unopened, faults } = await verifyBackup(path, ring)
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  say(`${path}: ${rows} rows as of ${header.madeAt}, from ${NAMES[header.database]}; not damaged.`)
  sayKeys(header)
  for (const fault of faults) say(fault)
  for (const [table, count] of unopened) say(`Do not open with any key: ${count} of ${table}.`)
  if (!isOpened) say('Its seal and what is sealed in it were not looked at: there are no keys here.')
  return faults.length + unopened.size > 0 ? 1 : 0
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

function sayKeys({ keys }: BackupHeader): void {
  const names = keys.map(({ id, fingerprint }) => `"${id}" (fingerprint ${fingerprint})`).join(', ')
  say(
    `What is sealed in it opens with the ${keys.length === 1 ? 'key' : 'keys'} ${names}, which it does not hold.`,
  )
}

import { confirmRestore, markRestored, openVerified, restoreBackup } from '@signalman/durable'
import { openStore } from '../app/store.ts'
import { requireSqliteFile } from './backup.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { createDefaultFolder, readExistingStoreOptions, readStoreOptions } from './store-from-environment.ts'

const HELP = `
  signalman restore FILE        puts the backup in FILE in the place of DATABASE_URL. Stop every process first, and move the old
                                database elsewhere, with its -wal and -shm files if there are any. Its key file stays
  signalman restore --mark      says that the database was restored in a way that Signalman can't notice: PostgreSQL from a
                                snapshot, from a base backup, or to a point in time. Run it before the first start
  signalman restore --confirm   confirms that you have checked which orders were sent since the backup. From then on, Signalman
                                places orders again

With PostgreSQL, use pg_restore into a new database. Signalman notices that at its next start, as it notices a SQLite backup
that was copied into place. In all cases, work that was in progress at the time of the backup isn't continued, because it may
have finished since, the outcome of an order that was being sent is unknown, and no order is placed until you confirm.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

export const restore = operatorVerb({
  help: HELP,
  flags: { mark: { type: 'boolean', default: false }, confirm: { type: 'boolean', default: false } },
  allowPositionals: true,
  async run({ values: { mark, confirm }, positionals: [path, ...more] }, environment) {
    if ([path !== undefined, mark, confirm].filter(Boolean).length !== 1 || more.length > 0)
      throw new OperatorError(
        'Use signalman restore FILE, signalman restore --mark, or signalman restore --confirm.',
        2,
      )
    if (path !== undefined) {
      const options = readStoreOptions(environment)
      const file = requireSqliteFile(options.url, 'pg_restore')
      createDefaultFolder(options.url)
      await restoreBackup(path, file, options)
    }
    if (mark) {
      const { database } = await openVerified(readExistingStoreOptions(environment))
      await using _closing = database
      await markRestored(database)
    }
    await using store = await openStore(readExistingStoreOptions(environment))
    if (!confirm)
      printLine(
        `${mark ? 'Marked as restored' : 'Restored'}. No order is placed until you have checked which ones were sent since the backup, and run "signalman restore --confirm".`,
      )
    else if (await confirmRestore(store.settings, new Date()))
      printLine('Confirmed. Signalman places orders again.')
    else throw new OperatorError('There’s nothing to confirm. Orders are sent as usual.')
    return 0
  },
})

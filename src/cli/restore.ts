import {
  confirmRestore,
  isUnconfirmed,
  parseKeptUntil,
  RESTORED,
  type Restoration,
  restoreBackup,
  WHOLE_STORE,
} from '@signalman/durable'
import { openStore, type Store } from '../app/store.ts'
import { pluralize } from '../domain/wording.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { nameInput, withInputFile } from './standard-streams.ts'
import { findSqliteFile, readExistingStoreOptions, readStoreOptions } from './store-from-environment.ts'

const HELP = `
  signalman restore FILE             restores FILE into a new or empty database; - reads it from standard input
  signalman restore FILE --replace   replaces an existing database, which is kept under another name
  signalman restore --confirm        confirms that you have checked these changes. From then on, Signalman places orders again

Stop every process of Signalman first, and put the keys in place: the encryption keys (ENCRYPTION_KEYS, or the key file next to
the SQLite file), and the workspace keys (the ….workspace-keys file that is kept with the backups, next to FILE or named with
--keys PATH). Workspaces that were erased since the backup aren't restored. For workspaces that uninstalled the app since, tokens,
orders, changes, and remembered threat events aren't restored, because their keys are gone. If the restore fails, nothing has
changed. Work that was in progress at the time of the backup isn't continued, because it may have finished since. For the same
reason, the outcome of an order that was being sent is unknown.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

const MAX_LISTED_FAULTS = 20

const FLAG = { type: 'boolean', default: false } as const

/** `restore FILE` and `restore --confirm`. */
export const restore = operatorVerb({
  help: HELP,
  flags: { replace: FLAG, confirm: FLAG, keys: { type: 'string' } },
  allowPositionals: true,
  async run({ values, positionals: [path, ...more] }, environment) {
    const modes = [path !== undefined, values.confirm].filter(Boolean).length
    const hasFlagForFile = values.replace || values.keys !== undefined
    if (modes !== 1 || more.length > 0 || (hasFlagForFile && path === undefined))
      throw new OperatorError(
        'Use one of these: signalman restore FILE, or signalman restore --confirm. --replace and --keys only work with FILE.',
        2,
      )
    if (path !== undefined) {
      const restoration = await withInputFile(path, findSqliteFile(environment), (file) =>
        restoreBackup({
          ...readStoreOptions(environment),
          path: file,
          keysPath: values.keys,
          isReplacing: values.replace,
        }),
      )
      printRestoration(nameInput(path), restoration)
    }
    await using store = await openStore(readExistingStoreOptions(environment))
    if (values.confirm) return await confirm(store)
    return await explainOrders(store)
  },
})

function printRestoration(path: string, restoration: Restoration): void {
  const {
    header,
    former,
    isOther,
    damage,
    newer,
    unfinishedWork,
    requestsInFlight,
    erased,
    forgotten,
    faults,
  } = restoration
  printLine(`Restored from ${path}: everything as of ${header.madeAt}.`)
  if (former !== undefined)
    printLine(
      `The previous database is kept as ${former} until ${parseKeptUntil(former)?.toISOString().slice(0, 10)}.`,
    )
  if (damage !== undefined)
    printLine(
      `It couldn’t be read (${damage}), so Signalman can’t tell what in it was newer than the backup, or which workspaces were erased since the backup. Erase those workspaces again.`,
    )
  if (isOther)
    printLine('It isn’t the database that the backup was made of, so what is newer in it wasn’t compared.')
  for (const fault of faults.slice(0, MAX_LISTED_FAULTS))
    printLine(`${fault} This was already the case when the backup was made.`)
  if (faults.length > MAX_LISTED_FAULTS)
    printLine(`And ${pluralize(faults.length - MAX_LISTED_FAULTS, 'more problem')} in the audit log.`)
  for (const workspaceId of erased)
    printLine(`${workspaceId} was erased after the backup, so it wasn’t restored.`)
  if (forgotten > 0)
    printLine(
      `Not restored: ${pluralize(forgotten, 'row')} of workspaces that uninstalled the app after the backup.`,
    )
  if (unfinishedWork > 0)
    printLine(
      `${pluralize(unfinishedWork, 'change or job', 'changes and jobs')} in progress when the backup was made won’t be continued.`,
    )
  if (requestsInFlight > 0)
    printLine(
      `${pluralize(requestsInFlight, 'order')} being sent when the backup was made. The outcome is now unknown.`,
    )
  for (const { workspaceId, number, state, at } of newer?.numbered ?? [])
    printLine(`Newer in the previous database: order ${number} of ${workspaceId} (${state}, ${at}).`)
  for (const [workspaceId, rows] of newer?.auditRows ?? [])
    printLine(`Newer in the previous database: ${pluralize(rows, 'row')} of the audit log of ${workspaceId}.`)
}

async function explainOrders(store: Store): Promise<number> {
  const restored = await store.settings.get(WHOLE_STORE, RESTORED)
  if (restored === undefined) throw new OperatorError('This database wasn’t restored from a backup.')
  printLine(
    `The service has no list of orders. Ask its operators or your approvers about orders sent since ${restored.madeAt}.`,
  )
  if (isUnconfirmed(restored))
    printLine('Signalman places no orders until you have checked this and run "signalman restore --confirm".')
  return 0
}

async function confirm(store: Store): Promise<number> {
  const restored = await confirmRestore(store.settings, new Date())
  if (restored === undefined) throw new OperatorError('There’s nothing to confirm. Orders are sent as usual.')
  printLine(`Confirmed. Signalman places orders again, with the data of ${restored.madeAt}.`)
  return 0
}

import {
  confirmRestore,
  isUnconfirmed,
  keptUntil,
  RESTORED,
  type Restoration,
  restoreBackup,
  WHOLE_STORE,
} from '@signalman/durable'
import { openStore, type Store } from '../app/store.ts'
import { counted } from '../domain/wording.ts'
import { newerAtService } from './newer-at-service.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore, storeOf } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
  signalman restore FILE             makes the database of FILE, where there is none or an empty one
  signalman restore FILE --replace   in place of one that is there, which is kept aside
  signalman restore --compare        says again what is newer at the service than what was restored
  signalman restore --confirm        says that you have looked at that: from then on orders are placed again

Stop every process of Signalman first. Put the keys in place first too: ENCRYPTION_KEYS, or the key file beside the SQLite
file; and the file of the workspaces' keys that is kept with the backups (signalman-….workspace-keys) beside FILE, or name it
with --keys PATH. Workspaces that were erased since are not restored; of workspaces that have removed the app since, tokens,
orders, acts and remembered threat events are not: their keys are gone. If it fails, nothing has changed. Work that was under
way when the backup was made is not continued, and an order that was being placed then has an unknown outcome: both may have
been finished since.

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS; for the comparison API_BASE_URL, API_OTE_BASE_URL, API_TOKEN and
API_OTE_TOKEN.
`

const MOST_FAULTS = 20

type Environment = Parameters<typeof existingStore>[0]

const FLAG = { type: 'boolean', default: false } as const

/** `restore FILE`, `restore --compare` and `restore --confirm`. */
export const restore = operatorVerb({
  help: HELP,
  flags: { replace: FLAG, compare: FLAG, confirm: FLAG, keys: { type: 'string' } },
  hasWords: true,
  async run({ values, positionals: [path, ...more] }, environment) {
    const asked = [path !== undefined, values.compare, values.confirm].filter(Boolean).length
    const isAboutFile = values.replace || values.keys !== undefined
    if (asked !== 1 || more.length > 0 || (isAboutFile && path === undefined))
      throw new OperatorError(
        'Give one of: signalman restore FILE, --compare, --confirm. --replace and --keys go with FILE alone.',
        2,
      )
    if (path !== undefined) {
      tell(
        path,
        await restoreBackup({
          ...storeOf(environment),
          path,
          keysPath: values.keys,
          isReplacing: values.replace,
        }),
      )
    }
    await using store = await openStore(existingStore(environment))
    if (values.confirm) return await confirm(store)
    return await compare(store, environment)
  },
})

function tell(path: string, restoration: Restoration): void {
  const { header, former, damage, newer, underWay, sending, erased, forgotten, faults } = restoration
  say(`Restored from ${path}: everything as of ${header.madeAt}.`)
  if (former !== undefined)
    say(`What was there before is kept as ${former} until ${keptUntil(former)?.toISOString().slice(0, 10)}.`)
  if (damage !== undefined)
    say(
      `It could not be read (${damage}): what was newer in it is not known, nor which workspaces were erased since the backup. Erase those again.`,
    )
  for (const fault of faults.slice(0, MOST_FAULTS))
    say(`${fault} This was so already when the backup was made.`)
  if (faults.length > MOST_FAULTS)
    say(`And ${counted(faults.length - MOST_FAULTS, 'more fault')} of the audit log.`)
  for (const workspaceId of erased) say(`${workspaceId} was erased since the backup, and was not restored.`)
  if (forgotten > 0)
    say(
      `Not restored: ${counted(forgotten, 'row')} of content, of workspaces that have taken the app out since the backup.`,
    )
  if (underWay > 0)
    say(
      `${counted(underWay, 'act or job', 'acts and jobs')} under way when the backup was made will not be continued.`,
    )
  if (sending > 0)
    say(`${counted(sending, 'order')} being placed when the backup was made: the outcome is unknown now.`)
  for (const { workspaceId, number, state, at } of newer?.numbered ?? [])
    say(`Newer in the former database: order ${number} of ${workspaceId} (${state}, ${at}).`)
  for (const [workspaceId, rows] of newer?.auditRows ?? [])
    say(`Newer in the former database: ${counted(rows, 'row')} of the audit log of ${workspaceId}.`)
}

async function compare(store: Store, environment: Environment): Promise<number> {
  const restored = await store.settings.get(WHOLE_STORE, RESTORED)
  if (restored === undefined) throw new OperatorError('This database was not restored from a backup.')
  for await (const line of newerAtService(store, environment, new Date(restored.madeAt))) say(line)
  say(
    `The service has no list of orders: ask it, or whoever approves here, for those placed since ${restored.madeAt}.`,
  )
  if (isUnconfirmed(restored))
    say('Until you have looked and said "signalman restore --confirm", nothing is ordered.')
  return 0
}

async function confirm(store: Store): Promise<number> {
  const restored = await confirmRestore(store.settings, new Date())
  if (restored === undefined)
    throw new OperatorError('There is nothing to confirm: orders are placed as ever.')
  say(`Confirmed. Orders are placed again, in a database that shows ${restored.madeAt}.`)
  return 0
}

import { setTimeout } from 'node:timers/promises'
import {
  columns,
  DONE,
  type Model,
  makeTables,
  maybe,
  OWN_TABLES,
  openAct,
  openDurable,
  type RowsOf,
  type StepErrors,
  schedule,
  selectRows,
  startEngine,
  table,
  text,
  updateRows,
  type WorkKind,
} from '@signalman/durable'

// 1. Declare each table once. SQL, row types, erasure, and key rotation follow from the declaration.
const parcels = table('parcel', {
  columns: columns({ id: text(), workspaceId: text(), address: text(), label: maybe(text()) }),
  key: ['id'],
  indexes: { by_workspace: '(workspace_id)' },
  row: 'a parcel',
  bound: 'deleted with its workspace', // for the page of data retention
})
declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<readonly [typeof parcels]> {}
}
const tables = [...OWN_TABLES, parcels]
const model: Model = {
  name: 'parcels',
  tables,
  migrations: [{ name: '001-first', up: (db) => makeTables(db, tables) }],
}

// 2. The other system: a carrier that sells labels. Its first response is lost, although it has sold one.
const sold = new Map<string, string>()
async function buyLabel(parcelId: string): Promise<string> {
  sold.set(parcelId, `L-${sold.size + 1}`)
  throw new Error('The connection was reset.')
}
const errors: StepErrors = {
  mayHaveHappened: () => true, // after this error, the label may have been bought
  isAnswered: () => false, // this error isn't the carrier's response
  isFault: () => false, // neither a bug nor the database caused this error
  createNotDoneError: (error) => error,
  createTooLateError: () =>
    new Error('This parcel has waited for days. Check whether it still needs a label.'),
  serialize: String,
  deserialize: (recorded) => new Error(String(recorded)),
}

await using store = await openDurable({ url: process.argv[2] ?? 'sqlite:./data/parcels.db', model })
const { database, time, audit } = store

// 3. A handler. Any process may run it, even a second time after a crash: a step that was done returns its recorded outcome.
const labels: WorkKind = {
  kind: 'parcel.label',
  lane: 'quick',
  async run(leased) {
    const parcel = await selectRows(database.rows, 'parcel', {
      id: leased.work.key ?? '',
    }).executeTakeFirstOrThrow()
    const deps = { steps: store.steps, lateOutcomes: store.lateOutcomes, errors, maxInFlightMs: 100 }
    const act = await openAct(deps, leased)
    const label = await act.step({
      name: 'buy label',
      auditEvent: (outcome, after?: string) => ({
        ...{ workspaceId: parcel.workspace_id, at: new Date(), actor: { userId: 'system' } },
        ...{ verb: 'label.buy', object: parcel.id, outcome, after, reference: leased.work.id },
      }),
      work: () => buyLabel(parcel.id),
      // Called if there was no response. Without it, the outcome is recorded as unknown.
      async lookUp() {
        const outcome = sold.get(parcel.id)
        return outcome === undefined ? 'not-done' : { outcome }
      },
    })
    await updateRows(database.rows, 'parcel', { id: parcel.id }, { label })
    // If `run` throws, the engine runs it again later, with growing pauses.
    return DONE
  },
}

// 4. The outbox: the row and the work are committed together, or neither is.
await database.rows.transaction().execute(async (transaction) => {
  const row = { id: 'p1', workspace_id: 'T1', address: '1 Main Street', label: null }
  await transaction.insertInto('parcel').values(row).execute()
  await schedule(transaction, time, { workspaceId: 'T1', kind: labels.kind, key: row.id })
})

// 5. The engine claims due work under a lease, including the work of processes that died.
await using engine = startEngine({ store: store.work, kinds: [labels], log: console })
engine.wake()
let label: string | null = null
for (let attempt = 0; attempt < 200 && label === null; attempt += 1) {
  await setTimeout(50)
  ;({ label } = await selectRows(database.rows, 'parcel', { id: 'p1' }).executeTakeFirstOrThrow())
}
const rows = await audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
process.stdout.write(
  `Parcel p1 has label ${label}. Labels sold: ${sold.size}. Rows of the audit log: ${rows.length}.
`,
)

import { randomBytes } from 'node:crypto'
import {
  type AuditEvent,
  createAudit,
  createDatabaseTime,
  createSealer,
  openVerified,
  type Schema,
  type Sealer,
} from '@signalman/durable'
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { MODEL } from '../../src/app/model.ts'
import { type Csr, readCsrFile } from '../../src/features/cert-orders/rules/csr/csr.ts'
import type { OrderContent } from '../../src/features/cert-orders/rules/order.ts'
import type { OrderState } from '../../src/features/cert-orders/rules/order-states.ts'
import { largeCsr } from './parsing-actions.ts'
import { ENCRYPTION_KEYS } from './slack.ts'

/** The playground's workspace. It has all orders and nearly all audit rows. */
export const LARGE_WORKSPACE = 'T0PLAYGRND'
export const LOG_START_MS = Date.UTC(2025, 0, 1)
/** The time between two rows of the large workspace's audit log. */
export const AUDIT_INTERVAL_MS = 30_000

export interface Sizes {
  auditRows: number
  orders: number
  workspaces: number
}

type Progress = (message: string) => void

/** Fills an empty database with as many rows as after years of use. The same each time, apart from random IDs and nonces. */
export async function fillTables(url: string, sizes: Sizes, progress: Progress): Promise<void> {
  const { database, keys } = await openVerified({ model: MODEL, url, keys: ENCRYPTION_KEYS })
  await using _closing = database
  const sealer = createSealer(keys)
  const audit = createAudit(database, { time: createDatabaseTime(database.kind) })
  progress(`${sizes.auditRows} rows of an audit log`)
  for (let first = 0; first < sizes.auditRows; first += AUDIT_BATCH) {
    const count = Math.min(AUDIT_BATCH, sizes.auditRows - first)
    const rows = Array.from({ length: count }, (_, index) => createAuditEvent(LARGE_WORKSPACE, first + index))
    await database.rows.transaction().execute((transaction) => audit.appendInTransaction(transaction, rows))
  }
  progress(`${sizes.workspaces} workspaces`)
  for (let first = 0; first < sizes.workspaces; first += SMALL_BATCH) {
    await database.rows.transaction().execute(async (transaction) => {
      for (let index = first; index < Math.min(first + SMALL_BATCH, sizes.workspaces); index += 1) {
        const id = workspaceId(index)
        await addWorkspace(transaction, sealer, id, index)
        const rows = Array.from({ length: 10 }, (_, row) => createAuditEvent(id, row))
        await audit.appendInTransaction(transaction, rows)
      }
    })
  }
  progress(`${sizes.orders} certificate orders`)
  const parsedCsr = await readCsrFile(largeCsr(1))
  if ('problem' in parsedCsr) throw new Error(parsedCsr.problem)
  for (let first = 1; first <= sizes.orders; first += SMALL_BATCH) {
    const count = Math.min(SMALL_BATCH, sizes.orders - first + 1)
    const numbers = Array.from({ length: count }, (_, index) => first + index)
    await database.rows
      .transaction()
      .execute((transaction) => addOrders(transaction, sealer, parsedCsr.csr, numbers))
  }
  progress(`${sizes.orders} reminders that aren't due, and half as many finished changes`)
  await addWorkRows(database.rows, sizes.orders, {
    kind: 'order.due',
    state: 'waiting',
    at: '2099-01-01T00:00:00.000Z',
  })
  await addWorkRows(database.rows, sizes.orders / 2, {
    kind: 'act',
    state: 'done',
    at: TIME_IN_THE_PAST,
  })
}

/** If a row's time were in the future, the app would assume that another process has a wrong clock, and reschedule the work. */
const TIME_IN_THE_PAST = '2020-01-01T00:00:00.000Z'

async function addWorkRows(
  rows: Kysely<Schema>,
  count: number,
  { kind, state, at }: { kind: string; state: string; at: string },
): Promise<void> {
  await sql`
    insert into work (id, workspace_id, kind, key, state, due_at, made_at, touched_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select ${kind} || i, 'T' || (i % 10000), cast(${kind} as text), 'key ' || i, cast(${state} as text),
      ${at}, ${TIME_IN_THE_PAST}, ${TIME_IN_THE_PAST} from n`.execute(rows)
}

const AUDIT_BATCH = 2000
const SMALL_BATCH = 200

const workspaceId = (index: number): string => `T${String(index).padStart(8, '0')}`

const VERBS = [
  '/hc edit',
  '/hc create',
  '/hc delete',
  '/threat',
  '/cert-order',
  '/hc alerts edit',
  '/hc access',
]

function createAuditEvent(workspace: string, index: number): AuditEvent {
  const body = { port: 443, frequency: 60, name: `storefront ${index}` }
  return {
    workspaceId: workspace,
    at: new Date(LOG_START_MS + index * AUDIT_INTERVAL_MS),
    actor: { userId: `U${String((index * 7919) % 500).padStart(8, '0')}`, teamId: workspace },
    channelId: 'C00000001',
    verb: index % 100_000 === 77 ? '/hc seldom' : (VERBS[(index * 31) % VERBS.length] ?? ''),
    object: `health check storefront ${index % 5000} eu-west`,
    before: { ...body, port: 80 },
    after: body,
    outcome: 'done',
    reference: `r${index}`,
  }
}

async function addWorkspace(
  transaction: Transaction<Schema>,
  sealer: Sealer,
  id: string,
  index: number,
): Promise<void> {
  for (const [key, value] of [
    ['organization', JSON.stringify(`E${index % 10}`)],
    ['audit.kept-days', '30'],
  ] as const)
    await transaction.insertInto('setting').values({ workspace_id: id, key, value }).execute()
  const installation = {
    id,
    kind: 'workspace' as const,
    enterprise_id: null,
    sealed_token: sealer.seal(`xoxb-${index}`, ['installation', id]),
    installed_by: 'U00000001',
  }
  await transaction.insertInto('installation').values(installation).execute()
}

const FINAL_STATES = [
  'received',
  'failed',
  'rejected',
  'withdrawn',
  'expired',
  'received',
  'received',
  'received',
] as const

/** The content of an order in this state, before encryption. All orders have the same certificate request. */
function orderContent(state: OrderState, { pem, ...csr }: Csr): OrderContent {
  const at = new Date(LOG_START_MS).toISOString()
  return {
    request: { action: 'create', csr: pem, duration: '1 year', productId: '1' },
    csr,
    names: {},
    expiresAt: at,
    ...(state === 'received' && {
      approval: { by: 'U00000001', at, hash: 'h' },
      outcome: { kind: 'received', answered: { answer: '{}' } },
    }),
    ...(state === 'failed' && {
      approval: { by: 'U00000001', at, hash: 'h' },
      outcome: { kind: 'failed', why: 'Refused.', said: [] },
    }),
    ...((state === 'rejected' || state === 'withdrawn') && { ending: { by: 'U00000001', at } }),
  }
}

async function addOrders(
  transaction: Transaction<Schema>,
  sealer: Sealer,
  csr: Csr,
  numbers: readonly number[],
): Promise<void> {
  const at = new Date(LOG_START_MS).toISOString()
  // The type makes a column that no longer exists an error.
  const orders = numbers.map((number): Insertable<Schema['cert_order']> => {
    const id = randomBytes(16).toString('base64url')
    const state: OrderState =
      number % 20_000 === 5 ? 'awaiting' : (FINAL_STATES[number % FINAL_STATES.length] ?? 'received')
    return {
      id,
      workspace_id: LARGE_WORKSPACE,
      enterprise_id: null,
      number,
      environment: number % 50 === 0 ? ('ote' as const) : ('production' as const),
      state,
      version: 1,
      requester_id: `U${String((number * 7919) % 500).padStart(8, '0')}`,
      renews_id: null,
      key_hash: null,
      received_at: state === 'received' ? at : null,
      body_hash: 'h',
      sealed_content: sealer.seal(JSON.stringify(orderContent(state, csr)), [
        'cert_order',
        LARGE_WORKSPACE,
        id,
      ]),
      created_at: at,
      updated_at: at,
      wake_at: null,
      cards: '[]',
    }
  })
  await transaction.insertInto('cert_order').values(orders).execute()
  const events = orders.map(
    ({ id }): Insertable<Schema['cert_order_event']> => ({
      order_id: id,
      workspace_id: LARGE_WORKSPACE,
      version: 1,
      at,
      user_id: 'U00000001',
      kind: 'request',
    }),
  )
  await transaction.insertInto('cert_order_event').values(events).execute()
}

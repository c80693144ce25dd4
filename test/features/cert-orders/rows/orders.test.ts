import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { LeaseLost } from '../../../../packages/durable/src/work/steps.ts'
import { newId } from '../../../../packages/runtime/src/new-id.ts'
import { openStore } from '../../../../src/app/store.ts'
import { ORDER_WORK } from '../../../../src/features/cert-orders/rows/order-writer.ts'
import type { NewOrder, Order } from '../../../../src/features/cert-orders/rules/order.ts'
import { KEY_A, SHARED_DATABASES } from '../../../databases/databases.ts'
import { openDatabase } from '../../../databases/open.ts'
import { startPostgresDatabase } from '../../../databases/postgres.ts'
import { startStore } from '../../../databases/store.ts'
import { addOrder, saveApproval } from '../store-orders.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const LATER = new Date('2026-03-01T13:00:00.000Z')
const REQUESTED = { kind: 'request', at: NOW, userId: 'U1' }

const order = (overrides: Partial<NewOrder> = {}): NewOrder => ({
  workspaceId: 'T1',
  environment: 'production',
  state: 'awaiting',
  requesterId: 'U1',
  bodyHash: 'h',
  keyHash: newId(),
  content: { csr: 'the request' },
  createdAt: NOW,
  ...overrides,
})

const approve = (order: Order): Order => ({ ...order, state: 'submitting' })

describe.each(SHARED_DATABASES)('orders in $name', ({ start }) => {
  it('are numbered per workspace and read back unchanged', async () => {
    await using store = await startStore(start)
    await Promise.all(Array.from({ length: 5 }, () => addOrder(store, order(), REQUESTED)))
    const other = await addOrder(store, order({ workspaceId: 'T2' }), REQUESTED)
    expect(other.number).toBe(1)
    expect(await store.orders.find('T2', 1)).toEqual(other)
    const all = await store.orders.list({ workspaceId: 'T1', environment: 'production', limit: 10 })
    expect(all.map(({ number }) => number)).toEqual([5, 4, 3, 2, 1])
    expect(
      await store.orders.count({ workspaceId: 'T1', environment: 'production', states: ['awaiting'] }),
    ).toBe(5)
    expect(await store.orders.find('T1', 6)).toBeUndefined()
    expect(await store.orders.find('T1', Number.NaN)).toBeUndefined()
  })

  it('accept only one of several concurrent steps', async () => {
    await using store = await startStore(start)
    const first = await addOrder(store, order(), REQUESTED)
    const event = { kind: 'approve', at: LATER, userId: 'U2' }
    const results = await Promise.all(
      Array.from({ length: 8 }, () => store.orders.saveStep(approve(first), event)),
    )
    expect(results.filter(Boolean)).toHaveLength(1)
    expect(await store.orders.find('T1', 1)).toMatchObject({ state: 'submitting', version: 2 })
    expect(await store.orders.listEvents(first)).toEqual([REQUESTED, event])
  })

  it.each([
    { shared: 'key', same: { keyHash: 'k' } },
    { shared: 'certificate', same: { renewsId: 'c-7' } },
  ])(
    'can’t be requested while another one for the same $shared is open, whoever asks',
    async ({ shared, same }) => {
      await using store = await startStore(start)
      const request = (requesterId: string, environment: NewOrder['environment'] = 'production') =>
        addOrder(store, order({ requesterId, environment, ...same }), REQUESTED)
      const refusal = { reason: { message: expect.stringContaining(`Order 1, for the same ${shared}, `) } }
      const results = await Promise.allSettled([request('U1'), request('U2')])
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject(refusal)
      let [open] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      for (const state of ['submitting', 'unknown', 'failed'] as const) {
        open = await store.orders.saveStep({ ...(open ?? throwMissing()), state }, { kind: state, at: LATER })
        const [result] = await Promise.allSettled([request('U1')])
        if (state === 'failed') expect(result).toMatchObject({ value: { number: 2 } })
        else expect(result).toMatchObject(refusal)
      }
      expect(await request('U1', 'ote')).toMatchObject({ number: 3 })
    },
  )

  it('can’t be sent twice for the same key, regardless of which is approved first', async () => {
    await using store = await startStore(start)
    const key = { keyHash: 'k' }
    // Two open orders for one key can't be requested, so the test sets the second key itself.
    const [first, second] = [
      await addOrder(store, order(key), REQUESTED),
      await addOrder(store, order(), REQUESTED),
    ]
    const event = { kind: 'approve', at: LATER, userId: 'U2' }
    const results = await Promise.allSettled([
      saveApproval(store, approve(first), event),
      saveApproval(store, { ...approve(second), ...key }, event),
    ])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringMatching(/^Order \d, for the same key, is being sent\./) },
    })
    expect(
      await store.orders.count({ workspaceId: 'T1', environment: 'production', states: ['submitting'] }),
    ).toBe(1)
  })

  it('aren’t sent if an order for the same key was placed after the request', async () => {
    await using store = await startStore(start)
    const second = await addOrder(store, order(), REQUESTED)
    await addOrder(store, order({ keyHash: 'k', state: 'received', receivedAt: LATER }), REQUESTED)
    const approving = saveApproval(
      store,
      { ...approve(second), keyHash: 'k' },
      { kind: 'approve', at: LATER },
    )
    await expect(approving).rejects.toThrow(
      'Order 2, for the same key, was sent after order 1 was requested.',
    )
    // A later request may replace it.
    expect(await addOrder(store, order({ keyHash: 'k' }), REQUESTED)).toMatchObject({ number: 3 })
  })

  it('schedule a step’s work and write its audit row in the same transaction', async () => {
    await using store = await startStore(start)
    const first = await addOrder(store, order({ content: { remindAt: LATER.toISOString() } }), REQUESTED)
    const kinds = Object.values(ORDER_WORK)
    const claimKinds = async () =>
      (await store.work.claimDue('P1', kinds, 10))
        .flat()
        .map(({ kind, key }) => `${kind} ${key}`)
        .toSorted()
    // On the database's clock, `LATER` is in the past, so the work scheduled for that time is due too.
    expect(await claimKinds()).toEqual([`order.due ${first.id}`, `order.notice ${first.id}`])
    const auditEvent = {
      workspaceId: 'T1',
      at: NOW,
      actor: { userId: 'U2' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    await store.orders.saveStep({ ...first, state: 'submitting' }, { kind: 'approve', at: NOW }, auditEvent)
    expect(await claimKinds()).toEqual([`order.submit ${first.id}`])
    expect(
      await store.orders.saveStep({ ...first, state: 'failed' }, { kind: 'failed', at: NOW }, auditEvent),
    ).toBeUndefined()
    expect(await store.audit.search({ workspaceId: 'T1', limit: 5 })).toHaveLength(1)
  })

  it('let only the process that sends the order’s notification store its cards’ location', async () => {
    await using store = await startStore(start)
    const first = await addOrder(store, order(), REQUESTED)
    const [notice] = await store.work.claimDue('P1', [ORDER_WORK.notice], 1)
    const asOwner = (owner: string) => ({ work: notice ?? throwMissing(), owner })
    const cards = [{ key: 'card in C1', channelId: 'C1', ts: '1.2', version: 1 }]
    await expect(store.orders.storeCards(first, cards, asOwner('P2'))).rejects.toThrow(LeaseLost)
    expect((await store.orders.get(first.id))?.cards).toEqual([])
    await store.orders.storeCards(first, cards, asOwner('P1'))
    expect((await store.orders.get(first.id))?.cards).toEqual(cards)
    const second = await addOrder(store, order(), REQUESTED)
    const later = { key: 'card in C1', channelId: 'C1', ts: '1.21', version: 1 }
    await store.orders.storeCards(second, [{ ...later, key: 'card to U1', ts: '1' }, later], asOwner('P1'))
    const find = async (ts: string, channelId = 'C1', workspaceId = 'T1') =>
      (await store.orders.findByMessage(workspaceId, { channelId, ts }))?.number
    expect(await Promise.all([find('1.2'), find('1.21'), find('1'), find('2')])).toEqual([1, 2, 2, undefined])
    expect(await Promise.all([find('1.2', 'C2'), find('1.2', 'C1', 'T2')])).toEqual([undefined, undefined])
  })

  it('can be decrypted only in their own row', async () => {
    await using store = await startStore(start)
    await addOrder(store, order(), REQUESTED)
    await addOrder(store, order(), REQUESTED)
    await using raw = await openDatabase(store.url)
    const rows = await raw.rows.selectFrom('cert_order').selectAll().orderBy('number').execute()
    expect(JSON.stringify(rows)).not.toContain('the request')
    await raw.rows
      .updateTable('cert_order')
      .set({ sealed_content: rows[1]?.sealed_content ?? '' })
      .where('number', '=', 1)
      .execute()
    await expect(store.orders.find('T1', 1)).rejects.toThrow('can’t be decrypted')
  })
})

function throwMissing(): never {
  throw new Error('There is no order.')
}

it('doesn’t store cards for a process that lost its lease', async () => {
  await using server = await startPostgresDatabase('migrated')
  const database = { url: server.url, keys: KEY_A }
  await using store = await openStore(database)
  await using other = await openDatabase(database.url)
  const { id } = await addOrder(store, order(), REQUESTED)
  const [notice] = await store.work.claimDue('P1', [ORDER_WORK.notice], 1)
  const { storeCards, get } = store.orders
  const asOwner = (owner: string) => ({ work: notice ?? throwMissing(), owner })
  const card = (ts: string) => [{ key: 'card in C1', channelId: 'C1', ts, version: 1 }]
  const countWaiting = async (): Promise<number> => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(other.rows)
    return rows.length
  }
  const { pending } = await other.rows.transaction().execute(async (transaction) => {
    await transaction.selectFrom('cert_order').select('id').where('id', '=', id).forUpdate().execute()
    const pending = storeCards({ id }, card('1.1'), asOwner('P1')).catch((error: unknown) => error)
    await expect.poll(countWaiting).toBeGreaterThan(0)
    const [lease] = await store.work.listLeases()
    expect(lease && (await store.work.takeOver(lease, 'P2'))?.id).toBe(notice?.id)
    return { pending }
  })
  expect(await pending).toBeInstanceOf(LeaseLost)
  await storeCards({ id }, card('1.2'), asOwner('P2'))
  expect((await get(id))?.cards).toEqual(card('1.2'))
})

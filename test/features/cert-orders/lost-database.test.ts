import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { orders as orderCalls, type PlacedOrder } from '../../../src/api/orders.ts'
import { orderRepository } from '../../../src/features/cert-orders/order.ts'
import { parseKeys } from '../../../src/store/secrets/keys.ts'
import { createSealer } from '../../../src/store/secrets/seal.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { outcomeJournal } from '../../../src/store/work/outcome-journal.ts'
import { startDatabaseProxy } from '../../store/database-proxy.ts'
import { KEY_A, makeFolder } from '../../store/databases.ts'
import { startPostgresDatabase } from '../../store/postgres.ts'
import { listeningSlack, startOrderProcess, WORKSPACE } from './order-process.ts'

const PLACED: PlacedOrder = { id: '500001', status: 'pending', answer: '{}' }
// Only the text of a body is asked of it, which needs no connection.
const { bodyOf } = orderCalls(undefined as never)
const sealer = createSealer(() => parseKeys(KEY_A))

/** An order whose POST has left and waits for its answer, on a server that can be taken away from the process that sent it. */
async function startUnderWay() {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder())
  const journalPath = join(folder.path, 'journal')
  await mkdir(journalPath)
  const database = started.use(await startPostgresDatabase('migrated'))
  const proxy = started.use(await startDatabaseProxy(new URL(database.url)))
  const direct = started.use(await openStore({ url: database.url, keys: KEY_A }))
  const store = started.use(await openStore({ url: proxy.url, keys: KEY_A }))
  const left = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<PlacedOrder>()
  let posts = 0
  const create = (): Promise<PlacedOrder> => {
    posts += 1
    left.resolve()
    return answer.promise
  }
  const { messenger, told } = listeningSlack()
  const around = { api: { orders: { bodyOf, create } }, messenger, roles: new Set(['U2']) }
  const journalOf = (store: Store) => outcomeJournal(store.recordedSteps, sealer, journalPath)
  const journal = started.use(journalOf(store))
  const sender = started.use(
    startOrderProcess({ store: { ...store, outcomeJournal: journal }, around, times: { waitMs: 500 } }),
  )
  const orders = orderRepository(direct.orders)
  await sender.does('U1', { does: 'request', orderReference: 'PO 1' })
  const [order] = await orders.list({ workspaceId: WORKSPACE, limit: 1 })
  if (!order) throw new Error('An order was asked for.')
  const approving = sender.does('U2', { does: 'approve', number: 1, hash: order.bodyHash })
  // Of which nothing is expected while the database is away.
  approving.catch(() => undefined)
  await left.promise
  const everything = started.move()
  return {
    proxy,
    answer,
    orders,
    direct,
    around,
    told,
    journalOf,
    posts: () => posts,
    /** One for each step that has ended meanwhile. */
    kept: () => readdir(journalPath),
    state: async () => (await orders.get(order.id))?.state,
    steps: async () => (await orders.events(order)).map(({ kind }) => kind),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

describe('an answer of the service that comes while the database is away', () => {
  it('is written into the order once it is back, and the order was never unknown', async () => {
    await using world = await startUnderWay()
    world.proxy.away()
    world.answer.resolve(PLACED)
    await expect.poll(world.kept).not.toEqual([])
    expect(await world.state()).toBe('submitting')
    world.proxy.back()
    await expect.poll(world.state).toBe('placed')
    await expect.poll(world.kept).toEqual([])
    await expect.poll(() => world.told.join('\n')).toContain('Your order 1: placed.')
    expect(await world.steps()).toEqual(['request', 'approve', 'placed'])
    expect(world.posts()).toBe(1)
  })

  it('corrects what others had to give up as unknown, from the disk of the machine that heard it', async () => {
    await using world = await startUnderWay()
    // For good: the process that has sent it never gets through again, as if it had been killed.
    world.proxy.away()
    world.answer.resolve(PLACED)
    await expect.poll(world.kept).not.toEqual([])
    const { direct, around } = world
    await using journal = world.journalOf(direct)
    await using other = startOrderProcess({
      store: { ...direct, outcomeJournal: journal },
      around,
      times: { settleMs: 300 },
    })
    await expect.poll(world.state).toBe('unknown')
    await expect.poll(() => world.told.join('\n')).toContain('Order 1 needs a look')
    const settled = await journal.reconcile()
    for (const id of settled) {
      const { kind, key = '' } = (await direct.work.find(WORKSPACE, id)) ?? { kind: '' }
      await direct.work.schedule({ workspaceId: WORKSPACE, kind, key })
    }
    other.engine.wake()
    await expect.poll(world.state).toBe('placed')
    expect(world.posts()).toBe(1)
    expect(await world.kept()).toEqual([])
    // What the first process finds then is as it would have it.
    world.proxy.back()
    await expect.poll(async () => (await direct.work.leases()).length).toBe(0)
    expect(await world.steps()).toEqual(['request', 'approve', 'unknown', 'placed'])
  })
})

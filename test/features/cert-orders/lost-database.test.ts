import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { startDatabaseProxy } from '../../databases/database-proxy.ts'
import { KEY_A } from '../../databases/databases.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { createRecordingSlack, formatBody, startOrderProcess, WORKSPACE } from './order-process.ts'

const ANSWER = '{"data":{"id":"500001"}}'

/** Sends an order's POST and withholds its answer. The test can disconnect the sending process from its database. */
async function startWithOpenPost() {
  await using started = new AsyncDisposableStack()
  const database = started.use(await startPostgresDatabase('migrated'))
  const proxy = started.use(await startDatabaseProxy(new URL(database.url)))
  const storeOptions = { keys: KEY_A }
  const direct = started.use(await openStore({ url: database.url, ...storeOptions }))
  const store = started.use(await openStore({ url: proxy.url, ...storeOptions }))
  const sent = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  let posts = 0
  const create = (): Promise<string> => {
    posts += 1
    sent.resolve()
    return answer.promise
  }
  const { poster, sentTexts } = createRecordingSlack()
  const fakes = { api: { orders: { formatBody, create } }, poster, roles: new Set(['U2']) }
  const sender = started.use(startOrderProcess({ store, fakes, times: { waitMs: 500 } }))
  const orders = direct.orders
  await sender.performAction('U1', { kind: 'request', orderReference: 'PO 1' })
  const [order] = await orders.list({ workspaceId: WORKSPACE, limit: 1 })
  if (!order) throw new Error('There is no order.')
  const approving = sender.performAction('U2', { kind: 'approve', number: 1, hash: order.bodyHash })
  // Not awaited, because it may fail while the database is down.
  approving.catch(() => undefined)
  await sent.promise
  // A message that is interrupted is looked up only after half a minute.
  await expect.poll(() => sentTexts).toHaveLength(2)
  await expect
    .poll(async () => (await direct.work.listLeases()).map(({ kind }) => kind))
    .toEqual(['order.submit'])
  const resources = started.move()
  return {
    proxy,
    answer,
    orders,
    direct,
    fakes,
    sentTexts,
    posts: () => posts,
    state: async () => (await orders.get(order.id))?.state,
    steps: async () => (await orders.listEvents(order)).map(({ kind }) => kind),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

describe('a response of the service that arrives while the database is down', () => {
  it('is recorded in the order once the database is back, and the order never becomes unknown', async () => {
    await using world = await startWithOpenPost()
    world.proxy.disconnect()
    world.answer.resolve(ANSWER)
    expect(await world.state()).toBe('submitting')
    world.proxy.restore()
    await expect.poll(world.state).toBe('received')
    await expect.poll(() => world.sentTexts.join('\n')).toContain('Your order 1 was received')
    expect(await world.steps()).toEqual(['request', 'approve', 'received'])
    expect(world.posts()).toBe(1)
  })
})

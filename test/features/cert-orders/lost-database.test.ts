import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { startDatabaseProxy } from '../../databases/database-proxy.ts'
import { KEY_A } from '../../databases/databases.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { createRecordingSlack, formatBody, startOrderProcess, WORKSPACE } from './order-process.ts'

const ANSWER = '{"data":{"id":"500001"}}'

it('records a response that arrives while the database is down, and the order never becomes unknown', async () => {
  await using database = await startPostgresDatabase('migrated')
  await using proxy = await startDatabaseProxy(new URL(database.url))
  await using direct = await openStore({ url: database.url, keys: KEY_A })
  await using store = await openStore({ url: proxy.url, keys: KEY_A })
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
  await using sender = startOrderProcess({ store, fakes, times: { waitMs: 500 } })
  await sender.performAction('U1', { kind: 'request', orderReference: 'PO 1' })
  const findOrder = async () => {
    const [order] = await direct.orders.list({ workspaceId: WORKSPACE, limit: 1 })
    if (!order) throw new Error('There is no order.')
    return order
  }
  const order = await findOrder()
  const approving = sender.performAction('U2', { kind: 'approve', number: 1, hash: order.bodyHash })
  // Not awaited, because it may fail while the database is down.
  approving.catch(() => undefined)
  await sent.promise
  // A message that is interrupted is looked up only after half a minute.
  await expect.poll(() => sentTexts).toHaveLength(2)
  await expect
    .poll(async () => (await direct.work.listLeases()).map(({ kind }) => kind))
    .toEqual(['order.submit'])

  proxy.disconnect()
  answer.resolve(ANSWER)
  expect((await findOrder()).state).toBe('submitting')
  proxy.restore()
  await expect.poll(async () => (await findOrder()).state).toBe('received')
  await expect.poll(() => sentTexts.join('\n')).toContain('Your order 1 was received')
  const steps = (await direct.orders.listEvents(order)).map(({ kind }) => kind)
  expect(steps).toEqual(['request', 'approve', 'received'])
  expect(posts).toBe(1)
})

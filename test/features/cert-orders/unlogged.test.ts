import { describe, expect, it } from 'vitest'
import type { Who } from '../../../src/features/cert-orders/order-book.ts'
import { certOrderParts } from '../../../src/features/cert-orders/parts.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../../../src/features/cert-orders/policy.ts'
import { openStore } from '../../../src/store/store.ts'
import { WORKSPACE as PLAYGROUND } from '../../world.ts'
import { CSR, peopleOf, WORKSPACE } from './kills.ts'
import { askFor, inView, startOrders } from './people.ts'

const WISH = {
  environment: 'production' as const,
  request: { action: 'create', csr: CSR, duration: '1 year', productId: '101' },
  csr: { subject: 'CN=a', names: [], key: 'EC', signature: 'ECDSA', warnings: [] },
  names: {},
}

/** An order book whose audit log takes nothing; `sent` counts what the service got. */
async function startUnlogged(direct: boolean) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  await store.settings.set(WORKSPACE, ORDER_POLICY, { ...DEFAULT_POLICY, direct })
  const reported: string[] = []
  const sent: unknown[] = []
  const report = (_error: unknown, words: string): void => void reported.push(words)
  const { routes, start } = certOrderParts({
    store,
    ...peopleOf([]),
    report,
    now: () => new Date(),
    times: { keepEveryMs: 2 ** 30 },
  })
  started.use(start())
  const create = async (body: unknown) => {
    sent.push(body)
    return { id: '1', status: 'pending', certificateId: undefined, answer: '' }
  }
  const who = (userId: string): Who => ({
    workspaceId: WORKSPACE,
    enterpriseId: undefined,
    userId,
    holds: async () => true,
    proves: async () => true,
    // Only this much of the service is asked for.
    api: async () => ({ orders: { bodyOf: JSON.stringify, create } }) as never,
    async change(_deed, work) {
      await work()
      throw new Error('The audit log is full.')
    },
  })
  const everything = started.move()
  return {
    store,
    sent,
    reported,
    book: routes.book,
    who,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

describe('an order of which the audit log takes nothing', () => {
  it('is placed, and said to be placed: whoever read of a failure would ask for it twice', async () => {
    await using world = await startUnlogged(true)
    const order = await world.book.request(world.who('U1'), WISH)
    expect(order.state).toBe('placed')
    expect(world.sent).toHaveLength(1)
    expect(world.reported.join()).toContain('may be missing in the audit log')
  })

  it('waits for approval after it was asked for, and is placed by the approval', async () => {
    await using world = await startUnlogged(false)
    const asked = await world.book.request(world.who('U1'), WISH)
    expect(asked.state).toBe('awaiting')
    expect((await world.book.approve(world.who('U2'), asked.number, asked.bodyHash)).state).toBe('placed')
    expect(world.sent).toHaveLength(1)
    expect(await world.store.orders.count({ workspaceId: WORKSPACE })).toBe(1)
  })
})

it('says in the audit log of which environment an order is, wherever it is decided on', async () => {
  await using world = await startOrders()
  const { member, admin } = world.slack
  await askFor(member)
  await world.app.store.channels.setEnvironment(PLAYGROUND, 'C0GENERAL1', 'ote')
  await admin.command('/cert-order', 'approve 1')
  await admin.submit({}, { until: inView('Order placed.') })
  const [row] = await world.app.store.audit.search({ workspaceId: PLAYGROUND, limit: 5 })
  expect(row).toMatchObject({ verb: '/cert-order approve', object: 'order 1: create shop.example.com' })
})

import { describe, expect, it } from 'vitest'
import { createHerald } from '../../../src/features/cert-orders/herald.ts'
import { requested } from '../../../src/features/cert-orders/lifecycle.ts'
import { ledgerOf } from '../../../src/features/cert-orders/order.ts'
import { DEFAULT_POLICY, ORDER_POLICY } from '../../../src/features/cert-orders/policy.ts'
import { openStore } from '../../../src/store/store.ts'
import { CSR, WORKSPACE } from './kills.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const REFUSED = 'An API error occurred: messages_tab_disabled'

/** An order that waits, three approvers (`U2` to `U4`), and a Slack that does to a message what `of` says. */
async function startHerald(of: (to: string) => Promise<void> | undefined, channelId?: string) {
  await using started = new AsyncDisposableStack()
  const store = started.use(await openStore({ url: 'sqlite::memory:' }))
  await store.settings.set(WORKSPACE, ORDER_POLICY, { ...DEFAULT_POLICY, ...(channelId && { channelId }) })
  const ledger = ledgerOf(store.orders)
  const clock = { now: START }
  const now = () => new Date(clock.now)
  const got: string[] = []
  const send = async (_where: unknown, _environment: unknown, to: string, { text }: { text: string }) => {
    await of(to)
    got.push(`${to} ${text.includes('Your order') ? 'notice' : text.includes('Reminder') ? 'alert' : 'card'}`)
    return { channelId: `D-${to}`, ts: String(got.length) }
  }
  const parts = {
    ledger,
    settings: store.settings,
    messenger: { post: send, direct: send, edit: async () => undefined },
    mayPost: async (): Promise<'yes'> => 'yes',
    findHolders: async () => ['U2', 'U3', 'U4'],
    nameOf: async (_where: unknown, id: string) => id,
    now,
    report: () => undefined,
  }
  const request = { action: 'create', csr: CSR, duration: '1 year', productId: '101' }
  const csr = { subject: 'CN=a', names: [], key: 'EC', signature: 'ECDSA', warnings: [] }
  const where = { workspaceId: WORKSPACE, enterpriseId: undefined, environment: 'production' as const }
  const asked = {
    where,
    by: 'U1',
    request,
    csr,
    names: {},
    bodyHash: 'h',
    policy: DEFAULT_POLICY,
    now: now(),
  }
  const order = await ledger.add(requested(asked), { kind: 'request', at: now(), userId: 'U1' })
  const everything = started.move()
  return {
    ledger,
    order,
    got,
    clock,
    herald: createHerald(parts),
    other: createHerald(parts),
    isTold: async () => (await ledger.untold(new Date(clock.now + 1000 * HOUR_MS), 10)).length === 0,
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

const EVERYONE = ['U2 card', 'U3 card', 'U4 card', 'U1 notice']

describe('telling of an order', () => {
  it('reaches everyone but whom Slack refuses, once', async () => {
    await using world = await startHerald((to) =>
      to === 'U3' ? Promise.reject(new Error(REFUSED)) : undefined,
    )
    for (let hour = 0; hour < 60; hour += 1) {
      await world.herald.tell(world.order)
      world.clock.now += HOUR_MS
    }
    expect(world.got).toEqual(EVERYONE.filter((one) => !one.startsWith('U3')))
    expect(await world.isTold()).toBe(true)
  })

  it.each(['connect ECONNRESET', 'An API error occurred: ratelimited', 'A rate limit was exceeded'])(
    'tries again whom it could not reach (%s), and only them',
    async (fault) => {
      let isAway = true
      await using world = await startHerald((to) =>
        isAway && to === 'U3' ? Promise.reject(new Error(fault)) : undefined,
      )
      for (let hour = 0; hour < 3; hour += 1) {
        await world.herald.tell(world.order)
        world.clock.now += HOUR_MS
      }
      expect(world.got).toEqual(EVERYONE.filter((one) => !one.startsWith('U3')))
      expect(await world.isTold()).toBe(false)
      isAway = false
      await world.herald.tell(world.order)
      expect(world.got.toSorted()).toEqual(EVERYONE.toSorted())
      expect(await world.isTold()).toBe(true)
    },
  )

  it('says each reminder once to each, though one of them cannot be reached', async () => {
    let isAway = false
    await using world = await startHerald((to) =>
      isAway && to === 'U2' ? Promise.reject(new Error('socket hang up')) : undefined,
    )
    await world.herald.tell(world.order)
    isAway = true
    const current = await world.ledger.find(WORKSPACE, 1)
    if (!current) throw new Error('The order is there.')
    await world.ledger.move(current, { kind: 'remind', at: new Date(world.clock.now) })
    for (let hour = 0; hour < 5; hour += 1) {
      await world.herald.tell(world.order)
      world.clock.now += HOUR_MS
      isAway = hour < 2
    }
    expect(world.got.filter((one) => one.endsWith('alert')).toSorted()).toEqual([
      'U2 alert',
      'U3 alert',
      'U4 alert',
    ])
    expect(await world.isTold()).toBe(true)
  })

  it('is one process’s, however long it takes', async () => {
    const another: { tell?: () => Promise<void> } = {}
    await using world = await startHerald(async () => {
      // Each message takes 50 s, and another replica looks for work meanwhile.
      world.clock.now += 50_000
      await another.tell?.()
    })
    another.tell = () => world.other.tell(world.order)
    await world.herald.tell(world.order)
    expect(world.got).toEqual(EVERYONE)
  })
})

import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/errors.ts'
import { orders as orderCalls, type PlacedOrder } from '../../../src/api/orders.ts'
import { UserError } from '../../../src/errors.ts'
import { transition } from '../../../src/features/cert-orders/lifecycle.ts'
import { requested } from '../../../src/features/cert-orders/new-order.ts'
import { hashOf, orderRepository } from '../../../src/features/cert-orders/order.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/policy.ts'
import { type SubmitParts, submitWork } from '../../../src/features/cert-orders/submit-order.ts'
import { createLog } from '../../../src/log.ts'
import { ORDER_WORK, openStore, SealError } from '../../../src/store/store.ts'
import { startEngine } from '../../../src/work/engine.ts'
import type { HeldWork } from '../../../src/work/held-work.ts'
import { WORKSPACE, wishOf } from './order-process.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const SETTLE_MS = 30 * SECOND_MS
const PLACED: PlacedOrder = { id: '500001', status: 'pending', answer: '{}' }
// Only the text of a body is asked of it, which needs no connection.
const { bodyOf } = orderCalls(undefined as never)

/** An order that has been approved and is to be sent; the database's clock is moved by hand. */
async function startApproved(more: Partial<SubmitParts> = {}, create = async () => PLACED) {
  await using started = new AsyncDisposableStack()
  const clock = { now: START }
  const store = started.use(await openStore({ url: 'sqlite::memory:', clock: () => new Date(clock.now) }))
  const orders = orderRepository(store.orders)
  let posts = 0
  const api = {
    orders: {
      bodyOf,
      create() {
        posts += 1
        return create()
      },
    },
  }
  const { request, csr, names } = wishOf('PO 1')
  const now = await orders.time()
  const where = { workspaceId: WORKSPACE, enterpriseId: undefined, environment: 'production' as const }
  const bodyHash = hashOf(request, api.orders)
  const asked = requested({ where, by: 'U1', request, csr, names, bodyHash, policy: DEFAULT_POLICY, now })
  const order = await orders.add(asked, { kind: 'request', at: now, userId: 'U1', reference: 'asked' })
  const approval = { kind: 'approve' as const, by: 'U2', hash: bodyHash, holders: new Set(['U2']) }
  const made = transition(order, approval, { ...DEFAULT_POLICY, now })
  if ('refusal' in made) throw new Error(made.refusal)
  await orders.move(made.next, { kind: 'approve', at: now, userId: 'U2', reference: 'approved' })
  const parts: SubmitParts = {
    orders,
    steps: store.recordedSteps,
    journal: store.outcomeJournal,
    settings: store.settings,
    apiOf: async () => api,
    mayApprove: async () => true,
    now: () => new Date(clock.now),
    settleMs: SETTLE_MS,
    createReference: () => 'of its own',
    ...more,
  }
  const what = { workspaceId: WORKSPACE, kind: ORDER_WORK.submit, key: order.id }
  const stop = new AbortController()
  const everything = started.move()
  return {
    store,
    orders,
    parts,
    clock,
    stop,
    posts: () => posts,
    current: async () => {
      const current = await orders.get(order.id)
      return { state: current?.state, outcome: current?.content.outcome }
    },
    /** A process takes the work, as long as nobody has it. */
    async held(owner: string): Promise<HeldWork> {
      const work = await store.work.claim(what, owner, MINUTE_MS)
      if (!work) throw new Error('Somebody has it.')
      return { work, owner, signal: stop.signal, wantsStop: () => false }
    },
    /** A process that is gone has it no more. */
    lose: ({ work, owner }: HeldWork) => store.work.release(work.id, owner, { state: 'waiting', dueInMs: 0 }),
    audit: async () => {
      const rows = await store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 10 })
      return rows.map((row) => `${row.verb} ${row.actor.userId} ${row.outcome} ${row.reference}`).toReversed()
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

describe('an order that is to be sent', () => {
  it('is placed once, with intent and outcome in the audit log under the approval’s reference', async () => {
    await using world = await startApproved()
    const kind = submitWork(world.parts)
    const held = await world.held('P1')
    expect(await kind.run(held)).toEqual({ state: 'done' })
    await kind.run(held)
    expect(await world.current()).toMatchObject({ state: 'placed', outcome: { placed: { id: '500001' } } })
    expect(world.posts()).toBe(1)
    expect(await world.audit()).toEqual([
      '/cert-order submit U2 begun approved',
      '/cert-order submit U2 done approved',
    ])
  })

  const noToken = (): Promise<never> => Promise.reject(new UserError('No token is stored.'))
  const unopened = (): Promise<never> => Promise.reject(new SealError('unknown-key', 'No key opens it.'))
  const changed = async () => ({ orders: { bodyOf: () => 'another', create: async () => PLACED } })
  it.each([
    { title: 'at once, whoever lost the role since', ageMs: 5 * SECOND_MS, may: false, says: undefined },
    { title: 'late, by people who still may', ageMs: MINUTE_MS, may: true, says: undefined },
    {
      title: 'late, after the role was lost',
      ageMs: MINUTE_MS,
      may: false,
      says: 'may not approve orders any more',
    },
    { title: 'far too late', ageMs: 11 * MINUTE_MS, may: true, says: 'It took too long' },
    {
      title: 'far too late, with a token that does not open',
      ageMs: 11 * MINUTE_MS,
      may: true,
      apiOf: unopened,
      says: 'It took too long',
    },
    { title: 'without a token', ageMs: 0, may: true, apiOf: noToken, says: 'No token is stored.' },
    { title: 'with another body', ageMs: 0, may: true, apiOf: changed, says: 'not what was approved' },
  ])('$title: $says', async ({ ageMs, may, apiOf, says }) => {
    await using world = await startApproved({ mayApprove: async () => may, ...(apiOf && { apiOf }) })
    world.clock.now += ageMs
    await submitWork(world.parts).run(await world.held('P1'))
    expect(world.posts()).toBe(says === undefined ? 1 : 0)
    expect(await world.current()).toMatchObject(
      says === undefined
        ? { state: 'placed' }
        : { state: 'failed', outcome: { why: expect.stringContaining(says) } },
    )
    expect(await world.audit()).toHaveLength(2)
  })

  it('waits while Slack cannot say whether its approvers still may', async () => {
    await using world = await startApproved({
      mayApprove: () => Promise.reject(new UserError('Slack is away.')),
    })
    world.clock.now += MINUTE_MS
    await expect(submitWork(world.parts).run(await world.held('P1'))).rejects.toThrow('Slack is away.')
    expect(await world.current()).toEqual({ state: 'submitting', outcome: undefined })
    expect(await world.audit()).toEqual([])
  })

  it('comes to its end, however often it could not be brought there', async () => {
    await using world = await startApproved()
    for (let attempt = 0; attempt < 60; attempt += 1) await world.lose(await world.held('one before'))
    world.clock.now += 20 * 60 * MINUTE_MS
    await using _engine = startEngine({
      store: world.store.work,
      kinds: [submitWork(world.parts)],
      log: createLog('silent'),
    })
    await expect.poll(world.current).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('It took too long') },
    })
    expect(world.posts()).toBe(0)
  })

  it('is not sent by a process that has lost it, and begins nothing', async () => {
    await using world = await startApproved()
    const held = await world.held('P1')
    await world.lose(held)
    await expect(submitWork(world.parts).run(held)).rejects.toThrow('elsewhere')
    world.stop.abort(new Error('Let go of.'))
    await expect(submitWork(world.parts).run(await world.held('P2'))).rejects.toThrow('Let go of.')
    expect(world.posts()).toBe(0)
    expect(await world.audit()).toEqual([])
  })

  it.each(['events', 'apiOf'] as const)(
    'is not sent at once where a call hangs (%s), but after another look at the rights of its approvers',
    async (hanging) => {
      await using world = await startApproved({ mayApprove: async () => false })
      const { orders, apiOf } = world.parts
      const hangs = <T>(call: () => Promise<T>): Promise<T> => {
        world.clock.now += 15 * SECOND_MS
        return call()
      }
      const kind = submitWork({
        ...world.parts,
        stopwatch: () => world.clock.now,
        ...(hanging === 'apiOf'
          ? { apiOf: (order) => hangs(() => apiOf(order)) }
          : { orders: { ...orders, events: (order) => hangs(() => orders.events(order)) } }),
      })
      const held = await world.held('P1')
      for (let runs = 0; runs < 3; runs += 1) await kind.run(held)
      expect(world.posts()).toBe(0)
      expect(await world.current()).toMatchObject({
        state: 'failed',
        outcome: { why: expect.stringContaining('may not approve orders any more') },
      })
    },
  )

  it('is not sent by a process that stood still between saying so and doing it', async () => {
    let reading = 0
    await using world = await startApproved({
      stopwatch() {
        reading += 5 * SECOND_MS
        return reading
      },
    })
    await submitWork(world.parts).run(await world.held('P1'))
    expect(world.posts()).toBe(0)
    expect(await world.current()).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('not sent') },
    })
  })

  it.each([
    { answer: new ApiError('rejected', 'no', { said: ['No.'] }), state: 'failed', outcome: 'failed' },
    { answer: new ApiError('timeout', '', { mayHaveHappened: true }), state: 'unknown', outcome: 'unknown' },
    { answer: new Error('a fault of ours'), state: 'unknown', outcome: 'unknown' },
  ])('ends $state', async ({ answer, state, outcome }) => {
    await using world = await startApproved({}, () => Promise.reject(answer))
    await submitWork(world.parts).run(await world.held('P1'))
    expect((await world.current()).state).toBe(state)
    expect((await world.audit()).at(-1)).toBe(`/cert-order submit U2 ${outcome} approved`)
  })
})

/** Pauses that end by hand, and a stopwatch that stands still but for what passes. */
function startPausing() {
  const pauses: { ms: number; end: () => void; fail: () => void }[] = []
  let reading = 0
  return {
    pauses,
    stopwatch: () => reading,
    pass(ms: number) {
      reading += ms
    },
    pause(ms: number): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      pauses.push({ ms, end: resolve, fail: () => reject(new Error('Interrupted.')) })
      return promise
    },
  }
}

describe('an order whose POST a process that is gone has begun', () => {
  /** The POST never ends; the work is another's after. */
  async function startBegun() {
    const world = await startApproved({}, () => new Promise(() => undefined))
    const held = await world.held('P1')
    const lost = submitWork(world.parts).run(held)
    lost.catch(() => undefined)
    await expect.poll(world.posts).toBe(1)
    await world.lose(held)
    return { world, held }
  }

  it.each([
    { clock: 'goes on', stepMs: 10 * SECOND_MS },
    { clock: 'is set back', stepMs: -120 * MINUTE_MS },
    { clock: 'is set forward', stepMs: 120 * MINUTE_MS },
  ])(
    'is left alone for as long as that may be under way, then unknown, and never sent again, where the clock $clock',
    async ({ stepMs }) => {
      const { world } = await startBegun()
      await using _world = world
      const { stopwatch, pause, pauses } = startPausing()
      const second = submitWork({ ...world.parts, stopwatch, pause })
      const held = await world.held('P2')
      world.clock.now += stepMs
      const end = second.run(held)
      await expect.poll(() => pauses.length).toBe(1)
      expect(pauses[0]?.ms).toBe(SETTLE_MS)
      expect((await world.current()).state).toBe('submitting')
      pauses[0]?.end()
      expect(await end).toEqual({ state: 'done' })
      expect(await world.current()).toMatchObject({
        state: 'unknown',
        outcome: { why: expect.stringContaining('interrupted') },
      })
      expect(await second.run(held)).toEqual({ state: 'done' })
      expect(world.posts()).toBe(1)
      expect(await world.audit()).toEqual([
        '/cert-order submit U2 begun approved',
        '/cert-order submit U2 unknown approved',
      ])
    },
  )

  it('waits on after it was interrupted, and not once more as long', async () => {
    const { world } = await startBegun()
    await using _world = world
    const { stopwatch, pause, pauses, pass } = startPausing()
    const second = submitWork({ ...world.parts, stopwatch, pause })
    const held = await world.held('P2')
    const first = second.run(held)
    await expect.poll(() => pauses.length).toBe(1)
    pass(12 * SECOND_MS)
    pauses[0]?.fail()
    await expect(first).rejects.toThrow('Interrupted.')
    const again = second.run(held)
    await expect.poll(() => pauses.length).toBe(2)
    expect(pauses[1]?.ms).toBe(SETTLE_MS - 12 * SECOND_MS)
    pauses[1]?.end()
    await again
    expect((await world.current()).state).toBe('unknown')
  })

  it.each([
    { isInTime: true, when: 'while it is waited for' },
    { isInTime: false, when: 'afterwards' },
  ])('is what the service answered, once that turns up $when', async ({ isInTime }) => {
    const { world, held } = await startBegun()
    await using _world = world
    const next = await world.held('P2')
    const settle = () => {
      const result = { kind: 'placed', placed: PLACED }
      return world.store.recordedSteps.settle({ workId: held.work.id, line: 1, state: 'done', result })
    }
    const pause = isInTime ? settle : async () => undefined
    await submitWork({ ...world.parts, pause }).run(next)
    expect((await world.current()).state).toBe(isInTime ? 'placed' : 'unknown')
    if (!isInTime) await settle()
    await submitWork(world.parts).run(next)
    expect(await world.current()).toMatchObject({ state: 'placed', outcome: { placed: { id: '500001' } } })
  })
})

describe('a process that has an order twice, for it took over its own', () => {
  it('does not take what its other run has begun for not sent', async () => {
    await using world = await startApproved()
    const { steps } = world.parts
    const { stopwatch, pause, pauses } = startPausing()
    const stored = Promise.withResolvers<void>()
    const heard = Promise.withResolvers<void>()
    const kind = submitWork({
      ...world.parts,
      stopwatch,
      pause,
      steps: {
        ...steps,
        async begin(...given) {
          const isBegun = await steps.begin(...given)
          stored.resolve()
          await heard.promise
          return isBegun
        },
      },
    })
    const held = await world.held('P1')
    const first = kind.run(held)
    await stored.promise
    const second = kind.run(held)
    await expect
      .poll(async () => pauses.length + Number((await world.current()).state !== 'submitting'))
      .toBe(1)
    expect((await world.current()).state).toBe('submitting')
    heard.resolve()
    await first
    pauses[0]?.end()
    await second
    expect(await world.current()).toMatchObject({ state: 'placed', outcome: { placed: { id: '500001' } } })
    expect(world.posts()).toBe(1)
  })
})

describe('a process that did not hear of what the database has taken', () => {
  it('knows that it has sent nothing: the order has failed, and is not unknown', async () => {
    await using world = await startApproved()
    const { steps } = world.parts
    let isCut = true
    const kind = submitWork({
      ...world.parts,
      steps: {
        ...steps,
        async begin(...given) {
          const isBegun = await steps.begin(...given)
          if (isCut) throw new Error('The connection broke.')
          return isBegun
        },
      },
    })
    const held = await world.held('P1')
    await expect(kind.run(held)).rejects.toThrow('broke')
    isCut = false
    await kind.run(held)
    expect(await world.current()).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('not sent') },
    })
    expect(world.posts()).toBe(0)
  })

  it('writes the answer that it knows into the order, however often that fails', async () => {
    await using world = await startApproved()
    const { orders } = world.parts
    let failures = 3
    const kind = submitWork({
      ...world.parts,
      orders: {
        ...orders,
        async move(...given) {
          failures -= 1
          if (failures >= 0) throw new Error('The database is away.')
          return orders.move(...given)
        },
      },
    })
    await kind.run(await world.held('P1'))
    expect((await world.current()).state).toBe('placed')
    expect(world.posts()).toBe(1)
  })
})

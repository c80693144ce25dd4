import { describe, expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import { createSubmitWork } from '../../../src/features/cert-orders/submit-order.ts'
import { createLog } from '../../../src/log.ts'
import { ANSWER, MINUTE_MS, startApprovedOrder } from './approved-order.ts'
import { WORKSPACE } from './order-process.ts'

describe('an approved order', () => {
  it.each([
    {
      answer: ANSWER,
      audited: 'done',
      order: { state: 'received', outcome: { answered: { id: '500001', answer: ANSWER } } },
    },
    {
      answer: '{}',
      audited: 'unknown',
      order: { state: 'unknown', outcome: { sender: 'ended', answered: { answer: '{}' } } },
    },
  ])(
    'is placed once, and its start and outcome are audited under the approval’s reference: $audited',
    async ({ answer, audited, order }) => {
      await using world = await startApprovedOrder({}, async () => answer)
      const kind = createSubmitWork(world.deps)
      const leased = await world.claim('P1')
      for (const _ of ['first', 'repeated']) expect(await kind.run(leased)).toEqual({ state: 'done' })
      expect(await world.current()).toMatchObject(order)
      expect(world.postCount()).toBe(1)
      expect(await world.audit()).toEqual([
        '/cert-order submit U2 begun approved',
        `/cert-order submit U2 ${audited} approved`,
      ])
    },
  )

  it('gets an outcome even if many attempts fail', async () => {
    await using world = await startApprovedOrder()
    for (let attempt = 0; attempt < 60; attempt += 1)
      await world.releaseClaim(await world.claim('an earlier process'))
    world.clock.now += 20 * 60 * MINUTE_MS
    await using _engine = startEngine({
      store: world.store.work,
      kinds: [createSubmitWork(world.deps)],
      log: createLog('silent'),
    })
    await expect.poll(world.current).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('isn’t from the last ten minutes') },
    })
    expect(world.postCount()).toBe(0)
    expect(await world.audit()).toEqual([
      '/cert-order submit U2 begun approved',
      '/cert-order submit U2 failed approved',
    ])
  })

  it.each(['received', 'failed', 'unknown'] as const)(
    'isn’t sent if it is %s, although nothing was recorded before its POST',
    async (kind) => {
      await using world = await startApprovedOrder()
      const [order] = await Array.fromAsync(
        world.orders.scan({ workspaceId: WORKSPACE, environment: 'production', limit: 1 }),
      )
      const outcomes = {
        received: { kind: 'received', answered: { id: '7', answer: '' } },
        failed: { kind: 'failed', why: 'No.', said: [] },
        unknown: { kind: 'unknown', why: 'Lost.', said: [], sender: 'ended' },
      } as const
      const at = await world.orders.readTime()
      const result = order && transition(order, { kind: 'answer', outcome: outcomes[kind] }, at)
      if (!result || 'refusal' in result) throw new Error('The order isn’t being sent.')
      await world.orders.saveStep(result.next, { kind, at })
      expect(await createSubmitWork(world.deps).run(await world.claim('P1'))).toEqual({ state: 'done' })
      expect(world.postCount()).toBe(0)
      expect((await world.current()).state).toBe(kind)
    },
  )

  it.each([
    ['before', 0, 0],
    ['right before', 1, 0],
    ['after', 2, 1],
  ])('leaves nothing to do if it is deleted %s its POST', async (_, maxReads, posts) => {
    await using world = await startApprovedOrder()
    const { orders } = world.deps
    let reads = 0
    const get: typeof orders.get = async (id) => {
      reads += 1
      return reads > maxReads ? undefined : orders.get(id)
    }
    const kind = createSubmitWork({ ...world.deps, orders: { ...orders, get } })
    expect(await kind.run(await world.claim('P1'))).toEqual({ state: 'done' })
    expect(world.postCount()).toBe(posts)
  })

  it('isn’t sent anymore once people were told that nobody knows whether it was', async () => {
    await using world = await startApprovedOrder()
    const [resumed, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { steps } = world.deps
    const record: typeof steps.record = async (...args) => {
      const attempt = await steps.record(...args)
      resumed.resolve()
      await mayGoOn.promise
      return attempt
    }
    const first = await world.claim('P1')
    const suspended = createSubmitWork({ ...world.deps, steps: { ...steps, record } }).run(first)
    await resumed.promise
    await world.releaseClaim(first)
    const second = await world.claim('P2')
    await createSubmitWork({ ...world.deps, pause: async () => undefined }).run(second)
    expect((await world.current()).state).toBe('unknown')
    world.elapsedMs += MINUTE_MS
    mayGoOn.resolve()
    await expect(suspended).rejects.toThrow()
    await world.releaseClaim(second)
    await createSubmitWork(world.deps).run(await world.claim('P3'))
    expect(world.postCount()).toBe(0)
    expect(await world.current()).toMatchObject({ state: 'failed' })
  })

  it.each<[what: string, failing: () => Promise<undefined>]>([
    ['the database is unavailable', () => Promise.reject(new Error('The database is unavailable.'))],
    ['the order changes meanwhile', async () => undefined],
  ])('saves the service’s response in the next run if %s', async (_, failing) => {
    await using world = await startApprovedOrder()
    const { orders } = world.deps
    let calls = 0
    const saveStep: typeof orders.saveStep = (...args) => {
      calls += 1
      return calls === 1 ? failing() : orders.saveStep(...args)
    }
    const kind = createSubmitWork({ ...world.deps, orders: { ...orders, saveStep } })
    const leased = await world.claim('P1')
    const again = { state: 'waiting', dueInMs: 0 }
    expect(await kind.run(leased).catch(() => again)).toEqual(again)
    expect((await world.current()).state).toBe('submitting')
    expect(await kind.run(leased)).toEqual({ state: 'done' })
    expect((await world.current()).state).toBe('received')
    expect(world.postCount()).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { createLateOutcomes } from '../../../packages/durable/src/work/late-outcomes.ts'
import { createSubmitWork } from '../../../src/features/cert-orders/submit-order.ts'
import { storeWhenAwaited } from '../../bot/acts/act-context.ts'
import { ANSWER, SETTLE_MS, startApprovedOrder } from './approved-order.ts'
import { WORKSPACE } from './order-process.ts'

function createFakePause() {
  const pauses: { ms: number; end: () => void }[] = []
  return {
    pauses,
    pause(ms: number): Promise<void> {
      const { promise, resolve: end } = Promise.withResolvers<void>()
      pauses.push({ ms, end })
      return promise
    },
  }
}

describe('an order whose POST was started by a process that died', () => {
  /** Starts a POST that never returns, and releases the work for another process. */
  async function startInterrupted() {
    const world = await startApprovedOrder({}, () => new Promise(() => undefined))
    const leased = await world.claim('P1')
    const interruptedRun = createSubmitWork(world.deps).run(leased)
    interruptedRun.catch(() => undefined)
    await expect.poll(world.postCount).toBe(1)
    await world.releaseClaim(leased)
    return { world, leased }
  }

  it('waits while its POST may be running, then becomes unknown and is never resent', async () => {
    const { world } = await startInterrupted()
    await using _world = world
    const { pause, pauses } = createFakePause()
    const second = createSubmitWork({ ...world.deps, pause })
    const leased = await world.claim('P2')
    const run = second.run(leased)
    await expect.poll(() => pauses.length).toBe(1)
    expect(pauses[0]?.ms).toBe(SETTLE_MS)
    expect((await world.current()).state).toBe('submitting')
    pauses[0]?.end()
    expect(await run).toEqual({ state: 'done' })
    expect(await world.current()).toMatchObject({
      state: 'unknown',
      // Its request may still be under way, so a person has to say how they know that it isn't.
      outcome: { why: expect.stringContaining('interrupted'), sender: 'silent' },
    })
    expect(await second.run(leased)).toEqual({ state: 'done' })
    expect(world.postCount()).toBe(1)
    expect(await world.audit()).toEqual([
      '/cert-order submit U2 begun approved',
      '/cert-order submit U2 unknown approved',
    ])
  })

  it.each([
    { arrivesInTime: true, when: 'while the order waits for it' },
    { arrivesInTime: false, when: 'after the wait' },
  ])('is placed if the service’s response is found $when', async ({ arrivesInTime }) => {
    const { world, leased } = await startInterrupted()
    await using _world = world
    const next = await world.claim('P2')
    const [attempt] = await world.store.steps.list(leased.work.id)
    if (!attempt) throw new Error('No step was begun.')
    const storeResponse = () => {
      const body = { kind: 'received', answered: { id: '500001', answer: ANSWER } }
      return world.store.steps.recordOutcome({ ...attempt, state: 'done', body })
    }
    const pause = arrivesInTime ? storeResponse : async () => undefined
    await createSubmitWork({ ...world.deps, pause }).run(next)
    expect((await world.current()).state).toBe(arrivesInTime ? 'received' : 'unknown')
    if (!arrivesInTime) await storeResponse()
    await createSubmitWork(world.deps).run(next)
    expect(await world.current()).toMatchObject({
      state: 'received',
      outcome: { answered: { id: '500001' } },
    })
  })
})

it('ends only once the database has the outcome, which a later run must find', async () => {
  await using world = await startApprovedOrder()
  const { steps } = world.deps
  const leased = await world.claim('P1')
  await createSubmitWork({ ...world.deps, lateOutcomes: storeWhenAwaited(steps) }).run(leased)
  expect((await steps.list(leased.work.id)).map(({ state }) => state)).toEqual(['done'])
})

describe('a process that took over its own order', () => {
  it('waits for its own answer that isn’t stored yet instead of calling the outcome unknown', async () => {
    await using world = await startApprovedOrder()
    const { steps, orders } = world.deps
    const mayStore = Promise.withResolvers<void>()
    const slow: typeof steps = {
      ...steps,
      async recordOutcome(...args) {
        await mayStore.promise
        return steps.recordOutcome(...args)
      },
    }
    await using lateOutcomes = createLateOutcomes(slow)
    const kind = createSubmitWork({
      ...world.deps,
      pause: async () => undefined,
      steps: slow,
      lateOutcomes,
    })
    const leased = await world.claim('P1')
    const first = kind.run(leased)
    await expect.poll(world.postCount).toBe(1)
    const second = kind.run(leased)
    // A run that didn't know of the answer would have an outcome by now.
    for (let turn = 0; turn < 500; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    mayStore.resolve()
    await Promise.all([first, second])
    const [order] = await orders.list({ workspaceId: WORKSPACE, environment: 'production', limit: 1 })
    const kinds = order && (await orders.listEvents(order)).map((event) => event.kind)
    expect(kinds).toEqual(['request', 'approve', 'received'])
    expect(world.postCount()).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { RESTORED, WHOLE_STORE } from '../../../packages/durable/src/backup.ts'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { SealError } from '../../../packages/durable/src/secrets/seal.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import { createSubmitWork } from '../../../src/features/cert-orders/submit-order.ts'
import { createLog } from '../../../src/log.ts'
import { ANSWER, MINUTE_MS, SECOND_MS, startApprovedOrder } from './approved-order.ts'
import { WORKSPACE } from './order-process.ts'

describe('an approved order', () => {
  it('is placed once, and its start and outcome are audited under the approval’s reference', async () => {
    await using world = await startApprovedOrder()
    const kind = createSubmitWork(world.deps)
    const leased = await world.claim('P1')
    for (const _ of ['first', 'repeated']) expect(await kind.run(leased)).toEqual({ state: 'done' })
    expect(await world.current()).toMatchObject({
      state: 'received',
      outcome: { answered: { id: '500001' } },
    })
    expect(world.postCount()).toBe(1)
    expect(await world.audit()).toEqual([
      '/cert-order submit U2 begun approved',
      '/cert-order submit U2 done approved',
    ])
  })

  const failWithoutToken = (): Promise<never> => Promise.reject(new UserError('No token is stored.'))
  const failToDecrypt = (): Promise<never> => Promise.reject(new SealError('unknown-key', 'No key opens it.'))
  const getChangedApi = async () => ({ orders: { formatBody: () => 'another', create: async () => ANSWER } })
  it.each(
    [
      { when: 'right away', ageMs: 5 * SECOND_MS, error: undefined },
      { when: 'late', ageMs: 9 * MINUTE_MS, error: undefined },
      {
        when: 'far too late',
        ageMs: 11 * MINUTE_MS,
        error: 'Preparing the order took too long',
      },
      {
        when: 'far too late, with a token that can’t be decrypted',
        ageMs: 11 * MINUTE_MS,
        getApi: failToDecrypt,
        error: 'Preparing the order took too long',
      },
      {
        when: 'without a token',
        ageMs: 0,
        getApi: failWithoutToken,
        error: 'No token is stored.',
      },
      {
        when: 'with another body than the approved one',
        ageMs: 0,
        getApi: getChangedApi,
        error: 'no longer matches what was approved',
      },
    ].map((row) => ({ ...row, state: row.error === undefined ? 'received' : 'failed' })),
  )('ends as $state if it would be sent $when', async ({ ageMs, getApi, error, state }) => {
    await using world = await startApprovedOrder(getApi && { getApi })
    world.clock.now += ageMs
    await createSubmitWork(world.deps).run(await world.claim('P1'))
    expect(world.postCount()).toBe(error === undefined ? 1 : 0)
    expect(await world.current()).toMatchObject(
      error === undefined ? { state } : { state, outcome: { why: expect.stringContaining(error) } },
    )
    expect(await world.audit()).toHaveLength(2)
  })

  it('isn’t sent after a restore that nobody has confirmed', async () => {
    await using world = await startApprovedOrder()
    await world.store.settings.set(WHOLE_STORE, RESTORED, { restoredAt: '2026-03-01T11:00:00.000Z' })
    await createSubmitWork(world.deps).run(await world.claim('P1'))
    expect(world.postCount()).toBe(0)
    expect(await world.current()).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('restored from a backup') },
    })
  })

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
      outcome: { why: expect.stringContaining('Preparing the order took too long') },
    })
    expect(world.postCount()).toBe(0)
  })

  it.each(['received', 'failed', 'unknown'] as const)(
    'isn’t sent if it is %s, although nothing was recorded before its POST',
    async (kind) => {
      await using world = await startApprovedOrder()
      const [order] = await world.orders.list({ workspaceId: WORKSPACE, limit: 1 })
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

  it('isn’t sent by a process that lost its lease or is stopping', async () => {
    await using world = await startApprovedOrder()
    const leased = await world.claim('P1')
    await world.releaseClaim(leased)
    await expect(createSubmitWork(world.deps).run(leased)).rejects.toThrow('The lease was lost')
    world.stopController.abort(new Error('The process is stopping.'))
    await expect(createSubmitWork(world.deps).run(await world.claim('P2'))).rejects.toThrow(
      'The process is stopping.',
    )
    expect(world.postCount()).toBe(0)
    expect(await world.audit()).toEqual([])
  })

  it.each([
    { suspendedMs: 4 * SECOND_MS, posts: 1, state: 'received' },
    { suspendedMs: 4 * SECOND_MS + 1, posts: 0, state: 'failed' },
  ])(
    'is $state if its process was suspended for $suspendedMs ms between recording and sending',
    async ({ suspendedMs, posts, state }) => {
      let elapsedMs = 0
      await using world = await startApprovedOrder({ stopwatch: () => elapsedMs })
      const { steps } = world.deps
      const begin: typeof steps.begin = async (...args) => {
        const attempt = await steps.begin(...args)
        elapsedMs += suspendedMs
        return attempt
      }
      const kind = createSubmitWork({ ...world.deps, steps: { ...steps, begin } })
      await kind.run(await world.claim('P1'))
      expect(world.postCount()).toBe(posts)
      const outcome = posts === 0 ? { why: expect.stringContaining('wasn’t sent') } : {}
      expect(await world.current()).toMatchObject({ state, outcome })
    },
  )

  it('isn’t sent by a process that lost its lease between recording and sending', async () => {
    await using world = await startApprovedOrder()
    const { steps } = world.deps
    const kind = createSubmitWork({
      ...world.deps,
      steps: {
        ...steps,
        async begin(...args) {
          const attempt = await steps.begin(...args)
          world.stopController.abort(new Error('The lease was lost.'))
          return attempt
        },
      },
    })
    await kind.run(await world.claim('P1'))
    expect(world.postCount()).toBe(0)
    expect(await world.current()).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('wasn’t sent') },
    })
  })
})

describe('a process that loses its connection to the database', () => {
  it('marks the order as failed instead of unknown, because it wasn’t sent', async () => {
    await using world = await startApprovedOrder()
    const { steps } = world.deps
    let isDisconnected = true
    const kind = createSubmitWork({
      ...world.deps,
      steps: {
        ...steps,
        async begin(...args) {
          const isBegun = await steps.begin(...args)
          if (isDisconnected) throw new Error('The connection broke.')
          return isBegun
        },
      },
    })
    const leased = await world.claim('P1')
    await expect(kind.run(leased)).rejects.toThrow('broke')
    isDisconnected = false
    await kind.run(leased)
    expect(await world.current()).toMatchObject({
      state: 'failed',
      outcome: { why: expect.stringContaining('wasn’t sent') },
    })
    expect(world.postCount()).toBe(0)
  })

  it('doesn’t take the POST of another process for its own that wasn’t sent', async () => {
    await using world = await startApprovedOrder({}, () => new Promise(() => undefined))
    const { steps } = world.deps
    const begin = () => Promise.reject(new Error('The connection broke.'))
    const pause = async () => undefined
    const disconnected = createSubmitWork({ ...world.deps, pause, steps: { ...steps, begin } })
    const first = await world.claim('P1')
    await expect(disconnected.run(first)).rejects.toThrow('broke')
    await world.releaseClaim(first)
    const second = await world.claim('P2')
    createSubmitWork(world.deps)
      .run(second)
      .catch(() => undefined)
    await expect.poll(world.postCount).toBe(1)
    await world.releaseClaim(second)
    await disconnected.run(await world.claim('P1'))
    expect(await world.current()).toMatchObject({ state: 'unknown', outcome: { sender: 'silent' } })
  })

  it('saves the service’s response in the next run', async () => {
    await using world = await startApprovedOrder()
    const { orders } = world.deps
    let isDisconnected = true
    const kind = createSubmitWork({
      ...world.deps,
      orders: {
        ...orders,
        async saveStep(...args) {
          if (isDisconnected) throw new Error('The database is unavailable.')
          return orders.saveStep(...args)
        },
      },
    })
    const leased = await world.claim('P1')
    await expect(kind.run(leased)).rejects.toThrow('unavailable')
    expect((await world.current()).state).toBe('submitting')
    isDisconnected = false
    await kind.run(leased)
    expect((await world.current()).state).toBe('received')
    expect(world.postCount()).toBe(1)
  })
})

it('runs again if the order changes while its outcome is saved', async () => {
  await using world = await startApprovedOrder()
  const { orders } = world.deps
  let conflicts = 0
  const kind = createSubmitWork({
    ...world.deps,
    orders: {
      ...orders,
      async saveStep(...args) {
        conflicts += 1
        return conflicts === 1 ? undefined : orders.saveStep(...args)
      },
    },
  })
  const leased = await world.claim('P1')
  expect(await kind.run(leased)).toMatchObject({ state: 'waiting', dueInMs: 0 })
  expect(await kind.run(leased)).toEqual({ state: 'done' })
  expect((await world.current()).state).toBe('received')
  expect(world.postCount()).toBe(1)
})

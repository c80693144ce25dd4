import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { openStore } from '../../../src/app/store.ts'
import { createSweepWork, scheduleSweeping, sweep } from '../../../src/bot/retention/sweeping.ts'
import { createLog } from '../../../src/log.ts'
import { KEY_A } from '../../databases/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000)
const log = createLog('silent')

/** Opens a store in which the process and the database have the same clock. */
const openTestStore = () =>
  openStore({ url: 'sqlite::memory:', keys: KEY_A, now: () => NOW, clock: () => NOW })

it('deletes old audit entries of every workspace if a retention period is set, and none otherwise', async () => {
  await using store = await openTestStore()
  for (const workspaceId of ['T1', 'T2'])
    for (const days of [400, 100, 1])
      await store.audit.append({
        workspaceId,
        at: daysAgo(days),
        actor: { userId: 'U1' },
        verb: '/hc edit',
        outcome: 'done',
        reference: `${days}`,
      })
  const listReferences = async () =>
    (
      await Promise.all(['T1', 'T2'].map((workspaceId) => store.audit.search({ workspaceId, limit: 10 })))
    ).map((rows) => rows.map(({ reference }) => reference))
  await sweep(store)
  expect(await listReferences()).toEqual([
    ['1', '100', '400'],
    ['1', '100', '400'],
  ])
  await sweep(store, 90)
  expect(await listReferences()).toEqual([['1'], ['1']])
})

it('deletes nothing early if the process’s clock is 400 days ahead of the database’s', async () => {
  const ahead = daysAgo(-400)
  await using store = await openStore({
    ...{ url: 'sqlite::memory:', keys: KEY_A },
    ...{ now: () => ahead, clock: () => NOW },
  })
  const edit = { actor: { userId: 'U1' }, verb: '/hc edit', outcome: 'done', reference: 'r' } as const
  await store.audit.append({ ...edit, workspaceId: 'T1', at: daysAgo(1) })
  await sweep(store, 90)
  expect(await store.audit.search({ workspaceId: 'T1', limit: 9 })).toHaveLength(1)
})

it('keeps sweeping after any number of failures, and reschedules work that the engine has given up', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const workKey = { workspaceId: '', kind: 'sweep', key: 'hourly' }
  let sweepCount = 0
  const sweepRows = async () => {
    sweepCount += 1
    if (sweepCount <= 110) throw new Error('The disk is full.')
    return new Map()
  }
  const kind = createSweepWork({ ...store, sweepRows }, undefined)
  await store.work.schedule(workKey)
  {
    // Without its own limit, the work is given up after the default number of attempts.
    const { maxAttempts: _, ...withDefaultLimit } = kind
    await using _engine = startEngine({
      store: store.work,
      kinds: [withDefaultLimit],
      log,
      times: { retryMs: 0 },
    })
    const isOver = async () => (await store.work.listOpen('', ['sweep'])).length === 0
    await expect.poll(isOver).toBe(true)
    expect(sweepCount).toBe(50)
  }
  await scheduleSweeping(store)
  expect(await store.work.listOpen('', ['sweep'])).toHaveLength(1)
  await store.work.schedule(workKey)
  await using _engine = startEngine({ store: store.work, kinds: [kind], log, times: { retryMs: 0 } })
  await expect.poll(() => sweepCount).toBe(111)
})

import { AUDIT_RETENTION_DAYS } from '@signalman/durable'
import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createSweepWork, scheduleSweeping, sweep } from '../../../src/bot/retention/sweeping.ts'
import { createLog } from '../../../src/log.ts'
import { KEY_A } from '../../databases/databases.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000)
const log = createLog('silent')

/** Saves the retention period like an admin in Slack. */
const saveRetention = ({ audit, settings }: Store, workspaceId: string, days: number): Promise<number> =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await settings.decide(decisions, AUDIT_RETENTION_DAYS, () => days),
    auditEvent: {
      ...{ workspaceId, at: NOW, actor: { userId: 'U1' }, verb: '/hc access' },
      ...{ object: 'how long the audit log is kept', after: { days }, outcome: 'done', reference: 'r' },
    },
  }))

/** Opens a store in which the process and the database have the same clock. */
const openTestStore = (url = 'sqlite::memory:') =>
  openStore({ url, keys: KEY_A, now: () => NOW, clock: () => NOW })

it('deletes old audit entries, and records that, only in workspaces with a retention period', async () => {
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
  await saveRetention(store, 'T1', 90)
  await sweep(store, NOW, log)
  await sweep(store, NOW, log)
  const listVerbs = async (workspaceId: string) =>
    (await store.audit.search({ workspaceId, limit: 10 })).map(({ verb, after }) => ({ verb, after }))
  expect(await listVerbs('T1')).toEqual([
    { verb: '/hc access', after: { days: 90 } },
    { verb: '/hc edit', after: undefined },
  ])
  expect(await listVerbs('T2')).toHaveLength(3)
})

it('deletes nothing early if the process’s clock is 400 days ahead of the database’s', async () => {
  const ahead = daysAgo(-400)
  await using store = await openStore({
    ...{ url: 'sqlite::memory:', keys: KEY_A },
    ...{ now: () => ahead, clock: () => NOW },
  })
  const edit = { actor: { userId: 'U1' }, verb: '/hc edit', outcome: 'done', reference: 'r' } as const
  await store.audit.append({ ...edit, workspaceId: 'T1', at: daysAgo(1) })
  await saveRetention(store, 'T1', 90)
  await sweep(store, ahead, log)
  expect((await store.audit.search({ workspaceId: 'T1', limit: 9 })).map(({ verb }) => verb)).toEqual([
    '/hc access',
    '/hc edit',
  ])
})

it('keeps sweeping after any number of failures, and reschedules work that the engine has given up', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const workKey = { workspaceId: '', kind: 'sweep', key: 'hourly' }
  let sweepCount = 0
  const shrink = async () => {
    sweepCount += 1
    if (sweepCount <= 110) throw new Error('The disk is full.')
  }
  const kind = createSweepWork({ ...store, shrink }, () => NOW, log)
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

import { expect, it } from 'vitest'
import { AUDIT_KEPT_DAYS } from '../../../src/bot/audit/retention.ts'
import { sweep } from '../../../src/bot/audit/sweeping.ts'
import { createLog } from '../../../src/log.ts'
import { openStore } from '../../../src/store/store.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000)
const log = createLog('silent')

it('shortens the audit log of a workspace that asks for it, says so in it, and leaves the others alone', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
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
  await store.settings.set('T1', AUDIT_KEPT_DAYS, 90)
  await sweep(store, NOW, log)
  await sweep(store, NOW, log)
  const left = async (workspaceId: string) =>
    (await store.audit.search({ workspaceId, limit: 10 })).map(({ verb, after }) => ({ verb, after }))
  expect(await left('T1')).toEqual([
    { verb: 'audit.retention', after: { removed: 2, olderThan: daysAgo(90).toISOString() } },
    { verb: '/hc edit', after: undefined },
  ])
  expect(await left('T2')).toHaveLength(3)
  expect(await store.audit.verify('T1')).toMatchObject({ faults: [] })
})

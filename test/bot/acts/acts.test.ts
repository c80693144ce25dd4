import { describe, expect, it } from 'vitest'
import { actWork } from '../../../src/bot/acts/acts.ts'
import { createLog } from '../../../src/log.ts'
import { openStore, type Store } from '../../../src/store/store.ts'

const PLACE = { workspaceId: 'T1', userId: 'U1', reference: 'R' }

/** The kind of work that acts are, over a store; nobody answers, and what is told is kept. */
function actsOver(store: Store, told: string[]) {
  return actWork({
    steps: store.recordedSteps,
    journal: store.outcomeJournal,
    runRequest: () => Promise.reject(new Error('Slack is away.')),
    log: createLog('silent'),
    times: { settleMs: 1 },
    requestHandlers: () => ({}),
    replies: { answer: async (_place, _environment, { text }) => void told.push(text) },
    now: () => new Date(),
  })
}

describe('an act that is given up', () => {
  it.each([
    { was: 'begun', says: 'Nobody can tell whether it was carried out', log: ['unknown', 'begun'] },
    { was: 'done', says: 'It was carried out', log: ['done', 'begun'] },
    { was: 'neither', says: 'Nothing was changed.', log: [] },
  ])('is told and in the audit log: $was', async ({ was, says, log }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const body = { request: {}, place: PLACE }
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a', body }, 'me', 60_000)
    const auditEvent = {
      ...PLACE,
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc delete',
      outcome: 'begun',
    } as const
    const step = { workId: work.id, line: 1 }
    if (was !== 'neither') await store.recordedSteps.begin('me', { ...step, name: 'delete' }, auditEvent)
    if (was === 'done')
      await store.recordedSteps.settle(
        { ...step, state: 'done', result: 1 },
        { ...auditEvent, outcome: 'done' },
      )
    const told: string[] = []
    await actsOver(store, told).gaveUp?.({ ...work, attempts: 20 }, new Error('Slack is away.'))
    expect(told).toEqual([expect.stringContaining(says)])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    expect(rows.map(({ outcome }) => outcome)).toEqual(log)
  })
})

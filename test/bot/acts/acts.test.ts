import { describe, expect, it } from 'vitest'
import { ACT_ERRORS } from '../../../src/bot/acts/act-errors.ts'
import { actWork } from '../../../src/bot/acts/acts.ts'
import { UserError } from '../../../src/errors.ts'
import { createLog } from '../../../src/log.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { OutcomeUnknown } from '../../../src/work/outcome-errors.ts'

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

const RESULTS = {
  done: 1,
  failed: ACT_ERRORS.record(new UserError('The name is taken.')),
  unknown: ACT_ERRORS.record(new OutcomeUnknown()),
}

describe('an act that is given up', () => {
  it.each([
    { was: 'begun', steps: ['begun'], says: 'Nobody can tell whether it was carried out' },
    { was: 'done', steps: ['done'], says: 'It was carried out' },
    { was: 'refused', steps: ['failed'], says: 'The name is taken.\nNothing was changed.' },
    {
      was: 'done in part',
      steps: ['done', 'failed'],
      says: 'The name is taken.\nWhat was done before this stays',
    },
    { was: 'of unknown outcome', steps: ['unknown'], says: 'Nobody can tell whether it was carried out' },
    { was: 'neither', steps: [], says: 'Nothing was changed.' },
  ] as const)('is told and in the audit log: $was', async ({ steps, says }) => {
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
    for (const [index, outcome] of steps.entries()) {
      const step = { workId: work.id, line: index + 1 }
      await store.recordedSteps.begin('me', { ...step, name: `step ${index}` }, auditEvent)
      if (outcome === 'begun') continue
      const state = outcome === 'done' ? 'done' : 'refused'
      await store.recordedSteps.settle(
        { ...step, state, result: RESULTS[outcome] },
        { ...auditEvent, outcome },
      )
    }
    const told: string[] = []
    await actsOver(store, told).gaveUp?.({ ...work, attempts: 20 }, new Error('Slack is away.'))
    expect(told).toEqual([expect.stringContaining(says)])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    const log = steps.flatMap((outcome) => ['begun', outcome === 'begun' ? 'unknown' : outcome])
    expect(rows.map(({ outcome }) => outcome).reverse()).toEqual(log)
  })
})

import { expect, it } from 'vitest'
import { CommitUnknown } from '../../../packages/durable/src/database/errors.ts'
import { OutcomeUnknown } from '../../../packages/durable/src/engine/outcome-errors.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { NO_SURFACE } from '../../../packages/slack/src/receive/request-origin.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { createActs, createActWork } from '../../../src/bot/acts.ts'
import { explain, problemText } from '../../../src/bot/request/explain.ts'
import { CommitPending, NotStored } from '../../../src/bot/request/refusals.ts'
import type { Run } from '../../../src/bot/run.ts'
import { createLog } from '../../../src/log.ts'
import { storeWhenAwaited } from './act-context.ts'

const ORIGIN = { workspaceId: 'T1', userId: 'U1', reference: 'R' }

/** The work kind for acts. Every request fails, and the refusals that the person sees are added to `messages`. */
function createTestActWork(store: Store, messages: string[]) {
  const run: Run = async (_request, _origin, { refusal }, act) => {
    if (!refusal) throw new Error('Slack is down.')
    messages.push(problemText(explain(refusal, { act }))[0])
  }
  const { steps, lateOutcomes } = store
  const find = () => ({ verb: '/hc delete', needs: 'operator' }) as const
  return createActWork({ steps, lateOutcomes, maxInFlightMs: 1, find, run })
}

const RESULTS = {
  done: 1,
  failed: ACT_ERRORS.serialize(new UserError('The name is taken.')),
  unknown: ACT_ERRORS.serialize(new OutcomeUnknown()),
}

it.each([
  { state: 'begun', steps: ['begun'], expected: 'The outcome is unknown' },
  { state: 'done', steps: ['done'], expected: 'It’s done' },
  { state: 'refused', steps: ['failed'], expected: 'The name is taken.\nNothing was changed.' },
  {
    state: 'partly done',
    steps: ['done', 'failed'],
    expected: 'The name is taken.\nThe earlier steps were already done',
  },
  { state: 'with an unknown outcome', steps: ['unknown'], expected: 'The outcome is unknown' },
  { state: 'not begun', steps: [], expected: 'Nothing was changed.' },
] as const)(
  'an act after its last attempt reports its outcome to the person and to the audit log: $state',
  async ({ steps, expected }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const body = { request: {}, origin: { ...ORIGIN, surface: NO_SURFACE } }
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a', body }, 'me')
    const auditEvent = {
      ...ORIGIN,
      at: new Date(),
      actor: { userId: 'U1' },
      verb: '/hc delete',
      outcome: 'begun',
    } as const
    for (const [index, outcome] of steps.entries()) {
      const step = { workId: work.id, line: index + 1 }
      const attempt = await store.steps.record('me', { ...step, name: `step ${index}` }, auditEvent)
      if (outcome === 'begun' || !attempt) continue
      const state = outcome === 'done' ? 'done' : 'refused'
      await store.steps.recordOutcome(
        { ...attempt, state, body: RESULTS[outcome] },
        { ...auditEvent, outcome },
      )
    }
    const messages: string[] = []
    await createTestActWork(store, messages).onGiveUp?.(
      { ...work, attempts: 20 },
      new Error('Slack is down.'),
    )
    expect(messages).toEqual([expect.stringContaining(expected)])
    const rows = await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 10 })
    const log = steps.flatMap((outcome) => ['begun', outcome === 'begun' ? 'unknown' : outcome])
    expect(rows.map(({ outcome }) => outcome).reverse()).toEqual(log)
  },
)

it.each([
  { idleMs: 60_000, isTooOld: false },
  { idleMs: 11 * 60_000, isTooOld: true },
])('measures an act’s idle time with the database’s clock only: $idleMs ms', async ({ idleMs, isTooOld }) => {
  // The database's clock is two hours behind this process's.
  const clock = { now: Date.now() - 2 * 3_600_000 }
  await using store = await openStore({ url: 'sqlite::memory:', clock: () => new Date(clock.now) })
  const body = { request: {}, origin: { ...ORIGIN, surface: NO_SURFACE } }
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a', body }, 'gone')
  await store.work.release(work.id, 'gone', { state: 'waiting', dueInMs: 0 })
  clock.now += idleMs
  const [claimed] = await store.work.claimDue('me', ['act'], 1)
  if (!claimed) throw new Error('The act is not due.')
  const messages: string[] = []
  const leased = {
    work: claimed,
    owner: 'me',
    signal: new AbortController().signal,
    wantsStop: () => false,
  }
  const result = await createTestActWork(store, messages)
    .run(leased)
    .catch((error: Error) => error.message)
  expect([messages.join(), result]).toEqual(
    isTooOld
      ? [expect.stringContaining('too much time has passed since'), { state: 'done', deletesBody: true }]
      : ['', 'Slack is down.'],
  )
})

it('says whether an act may still run that wasn’t stored in time', async () => {
  const origin = { ...ORIGIN, surface: NO_SURFACE }
  const begin = (engineBegin: Parameters<typeof createActs>[0]['engine']['begin']) =>
    createActs({
      engine: { begin: engineBegin, holdsForMs: 1000, run: async () => undefined },
      requestDeadlines: { storeDeadlineMs: 20 },
      log: createLog('silent'),
    }).begin({ kind: 'home', origin }, origin, 'key')

  expect(await begin(() => Promise.reject(new CommitUnknown(undefined)))).toEqual({
    refusal: expect.any(CommitPending),
  })
  const committing = await begin((_, beforeCommit) => {
    beforeCommit?.()
    return new Promise(() => undefined)
  })
  expect(committing).toEqual({ refusal: expect.any(CommitPending) })
  let commit: (() => void) | undefined
  const slow = await begin((_, beforeCommit) => {
    commit = beforeCommit
    return new Promise(() => undefined)
  })
  expect(slow).toEqual({ refusal: expect.any(NotStored) })
  // The person has read that nothing was started.
  expect(commit).toThrow('refused in the meantime')
})

it.each([
  { attempts: 1, surface: { kind: 'command', triggerId: 'T', responseUrl: 'https://hooks.slack.com/r' } },
  { attempts: 2, surface: { kind: 'none' } },
] as const)(
  'doesn’t answer at the place of the request after an interruption: attempt $attempts',
  async ({ attempts, surface }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const typed = { kind: 'command', triggerId: 'T', responseUrl: 'https://hooks.slack.com/r' } as const
    const body = { request: {}, origin: { ...ORIGIN, surface: typed } }
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a', body }, 'me')
    const surfaces: unknown[] = []
    const { steps, lateOutcomes } = store
    const actWork = createActWork({
      steps,
      lateOutcomes,
      maxInFlightMs: 1,
      find: () => ({ verb: '/hc delete', needs: 'operator' }),
      run: async (_request, origin) => void surfaces.push(origin.surface),
    })
    const signal = new AbortController().signal
    await actWork.run({ work: { ...work, attempts }, owner: 'me', signal, wantsStop: () => false })
    expect(surfaces).toEqual([surface])
  },
)

it('ends only once the database has each outcome, also of a step that it could not store at first', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const body = { request: {}, origin: { ...ORIGIN, surface: NO_SURFACE } }
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a', body }, 'me')
  const { steps } = store
  const actWork = createActWork({
    steps,
    lateOutcomes: storeWhenAwaited(steps),
    maxInFlightMs: 1,
    find: () => ({ verb: '/hc delete', needs: 'operator' }),
    async run(_request, _origin, _handler, act) {
      for (const name of ['first', 'second'])
        await act?.step({ name, auditEvent: () => undefined, work: async (send) => send(async () => name) })
    },
  })
  const signal = new AbortController().signal
  await actWork.run({ work, owner: 'me', signal, wantsStop: () => false })
  expect((await steps.list(work.id)).map((step) => [step.state, step.body])).toEqual([
    ['done', 'first'],
    ['done', 'second'],
  ])
})

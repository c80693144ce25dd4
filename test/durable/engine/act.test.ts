import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { DatabaseUnavailable } from '../../../packages/durable/src/database/errors.ts'
import { type Schema, updateRows } from '../../../packages/durable/src/database/schema.ts'
import { type Act, openAct } from '../../../packages/durable/src/engine/act.ts'
import type { ActDeps, ActStep, DecidingStep } from '../../../packages/durable/src/engine/act-step.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import {
  OutcomeLost,
  OutcomeUnknown,
  StoreUnavailable,
} from '../../../packages/durable/src/engine/outcome-errors.ts'
import { type Attempt, LeaseLost, type Steps } from '../../../packages/durable/src/work/steps.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { explain, problemText } from '../../../src/bot/request/explain.ts'
import { ApiError } from '../../../src/service/errors.ts'
import { storeWhenAwaited } from '../../bot/acts/act-context.ts'
import { KEY_A, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { startStore } from '../../databases/store.ts'

const timeoutError = new ApiError('timeout', 'No answer.', { mayHaveHappened: true })
const rejectedError = new ApiError('rejected', 'No.', { serviceMessages: ['Too long.'] })

/**
 * Opens an act. With 2 or more `attempts`, it resumes what an earlier process began.
 * After `maxInFlightMs`, a step that the earlier process began is certainly over.
 */
async function openTestAct(
  { work: workStore, steps, lateOutcomes }: Pick<Store, 'work' | 'steps'> & Pick<ActDeps, 'lateOutcomes'>,
  attempts: number,
  maxInFlightMs = 1,
  limits: { maxIdleMs?: number; sendWithinMs?: number } = {},
): Promise<Act> {
  const { work } = await workStore.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
  const leased = trackLeasedWork('me').add({ ...work, attempts })
  return openAct({ steps, lateOutcomes, errors: ACT_ERRORS, maxInFlightMs, ...limits }, leased)
}

const auditEvent = (outcome: AuditEvent['outcome']): AuditEvent => ({
  workspaceId: 'T1',
  at: new Date(),
  actor: { userId: 'U1' },
  verb: '/hc create',
  object: 'health-check x',
  outcome,
  reference: 'R',
})

const listOutcomes = async (store: Store) =>
  (await store.audit.search({ workspaceId: 'T1', withIntents: true, limit: 50 }))
    .map(({ outcome }) => outcome)
    .reverse()

const createStep = (
  work: () => Promise<string>,
  overrides: Partial<ActStep<string>> = {},
): ActStep<string> => ({
  name: 'create',
  auditEvent,
  work,
  ...overrides,
})

const mustNotRun = () => Promise.reject(new Error('This must not run.'))

/** Begins the act and records the start of its step, as a process does that dies before it records the outcome. */
async function recordBegunStep(store: Store): Promise<Attempt> {
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
  const step = { workId: work.id, line: 1, name: 'create' }
  const begun = await store.steps.record('me', step, auditEvent('begun'))
  if (!begun) throw new Error('The step was not recorded.')
  return begun
}

describe('a step of an act', () => {
  it('runs only once, and returns the recorded outcome when the act runs again', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    let calls = 0
    const work = async () => `made ${++calls}`
    for (const attempt of [1, 2, 3]) {
      const act = await openTestAct(store, attempt)
      expect(act.hasNoStepYet).toBe(attempt === 1)
      expect(await act.once('before', async () => `read ${attempt}`)).toBe('read 1')
      // Remembering changes nothing, so only a step lets an error no longer say that nothing was changed.
      expect(act.hasNoStepYet).toBe(attempt === 1)
      expect(await act.step(createStep(work))).toBe('made 1')
      expect(act.hasNoStepYet).toBe(false)
      expect(await act.step(createStep(work))).toBe('made 2')
    }
    expect(await listOutcomes(store)).toEqual(['begun', 'done', 'begun', 'done'])
  })

  it('throws the recorded error when the act runs again', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    let calls = 0
    const work = async (): Promise<string> => {
      calls += 1
      throw rejectedError
    }
    for (const attempt of [1, 2])
      await expect((await openTestAct(store, attempt)).step(createStep(work))).rejects.toMatchObject({
        kind: 'rejected',
        serviceMessages: ['Too long.'],
      })
    expect(calls).toBe(1)
    expect(await listOutcomes(store)).toEqual(['begun', 'failed'])
  })

  it.each([
    { found: { outcome: 'made' }, expected: 'made', audit: 'done' },
    { found: 'not-done', expected: ApiError, audit: 'failed' },
    { found: 'unknown', expected: OutcomeUnknown, audit: 'unknown' },
  ] as const)('is looked up if its response was lost: $found', async ({ found, expected, audit }) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const step = createStep(() => Promise.reject(timeoutError), { lookUp: async () => found })
    const act = await openTestAct(store, 1)
    if (typeof expected === 'string') expect(await act.step(step)).toBe(expected)
    else await expect(act.step(step)).rejects.toBeInstanceOf(expected)
    expect(await listOutcomes(store)).toEqual(['begun', audit])
    if (found === 'not-done')
      await expect((await openTestAct(store, 2)).step(step)).rejects.toMatchObject({ mayHaveHappened: false })
  })

  it.each([
    { found: { outcome: 'found' }, expectedCalls: 0 },
    { found: 'not-done', expectedCalls: 1 },
  ] as const)(
    'is looked up if a dead process began it, and run only if it wasn’t done: $found',
    async ({ found, expectedCalls }) => {
      await using store = await openStore({ url: 'sqlite::memory:' })
      await recordBegunStep(store)
      let calls = 0
      const act = await openTestAct(store, 2)
      expect(act.hasNoStepYet).toBe(false)
      const result = await act.step(
        createStep(
          async () => {
            calls += 1
            return 'done now'
          },
          { lookUp: async () => found },
        ),
      )
      expect(calls).toBe(expectedCalls)
      expect(result).toBe(expectedCalls ? 'done now' : 'found')
      // Its outcome is known.
      expect(await act.recordUnknownSteps()).toBe(false)
      expect(await listOutcomes(store)).toEqual(['begun', 'done'])
    },
  )

  it.each([
    { clock: 'runs on', byMs: 0, maxInFlightMs: 200 },
    { clock: 'is set forward', byMs: 5 * 60_000, maxInFlightMs: 200 },
    { clock: 'is set back, after the settling time', byMs: -3_600_000, maxInFlightMs: 1 },
  ])(
    'can still finish in the process that started it until the settling time is over, if the database’s clock $clock',
    async ({ byMs, maxInFlightMs }) => {
      const isFinished = maxInFlightMs > 1
      let clockOffsetMs = 0
      await using store = await openStore({
        url: 'sqlite::memory:',
        clock: () => new Date(Date.now() + clockOffsetMs),
      })
      const begun = await recordBegunStep(store)
      clockOffsetMs = byMs
      const act = await openTestAct(store, 2, maxInFlightMs)
      const outcome = act.step(createStep(async () => 'again', { lookUp: async () => 'not-done' }))
      const settled = { ...begun, state: 'done' as const, body: 'from the other process' }
      if (isFinished) await store.steps.recordOutcome(settled, auditEvent('done'))
      expect(await outcome).toBe(isFinished ? 'from the other process' : 'again')
      expect(await listOutcomes(store)).toEqual(['begun', 'done'])
    },
  )

  it('is recorded as unknown if an earlier process started it and this run doesn’t reach it', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await recordBegunStep(store)
    const act = await openTestAct(store, 2)
    expect(await act.recordUnknownSteps()).toBe(true)
    expect(await act.recordUnknownSteps()).toBe(false)
    expect(await listOutcomes(store)).toEqual(['begun', 'unknown'])
    await expect((await openTestAct(store, 3)).step(createStep(async () => 'no'))).rejects.toMatchObject({
      name: 'OutcomeUnknown',
    })
  })

  it('doesn’t start while it can’t be recorded, so that it can be retried later', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const act = await openTestAct(store, 1)
    await store[Symbol.asyncDispose]()
    await expect(act.step(createStep(mustNotRun))).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it.each([
    { isDone: false, expectedRuns: 2 },
    { isDone: true, expectedRuns: 1 },
  ])(
    'is looked up and then runs $expectedRuns times if the database fails during it (done: $isDone)',
    async ({ isDone, expectedRuns }) => {
      await using store = await openStore({ url: 'sqlite::memory:' })
      let runs = 0
      const step = createStep(
        async () => {
          runs += 1
          if (runs === 1) throw new DatabaseUnavailable(new Error('The connection was lost.'))
          return 'made'
        },
        { lookUp: async () => (isDone ? { outcome: 'made' } : 'not-done') },
      )
      await expect((await openTestAct(store, 1)).step(step)).rejects.toBeInstanceOf(StoreUnavailable)
      expect(await (await openTestAct(store, 2)).step(step)).toBe('made')
      expect(runs).toBe(expectedRuns)
      expect((await listOutcomes(store)).at(-1)).toBe('done')
    },
  )

  it('is looked up in the same run if the database failed too often to resume later', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const step = createStep(
      () => Promise.reject(new DatabaseUnavailable(new Error('The connection was lost.'))),
      {
        lookUp: async () => ({ outcome: 'made' }),
      },
    )
    expect(await (await openTestAct(store, 3)).step(step)).toBe('made')
    expect(await listOutcomes(store)).toEqual(['begun', 'done'])
  })

  it('has an unknown outcome if every look-up fails', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const act = await openTestAct(store, 1)
    const step = createStep(() => Promise.reject(timeoutError), {
      lookUp: () => Promise.reject(timeoutError),
    })
    await expect(act.step(step)).rejects.toBeInstanceOf(OutcomeUnknown)
    await expect((await openTestAct(store, 2)).step(step)).rejects.toMatchObject({ name: 'OutcomeUnknown' })
  })

  it('doesn’t store a secret result', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const step = createStep(async () => 'token', { isSecret: true })
    expect(await (await openTestAct(store, 1)).step(step)).toBe('token')
    await expect((await openTestAct(store, 2)).step(step)).rejects.toBeInstanceOf(OutcomeLost)
  })

  it('isn’t sent if the lease is lost while its start is being recorded', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
    const leasedWork = trackLeasedWork('me')
    const steps: Steps = {
      ...store.steps,
      async record(...parameters) {
        const isBegun = await store.steps.record(...parameters)
        leasedWork.applyHeartbeat(new Map(), leasedWork.all())
        return isBegun
      },
    }
    const options = { steps, lateOutcomes: store.lateOutcomes, errors: ACT_ERRORS, maxInFlightMs: 1 }
    const act = await openAct(options, leasedWork.add(work))
    await expect(act.step(createStep(mustNotRun))).rejects.toBeInstanceOf(LeaseLost)
  })

  it('goes on later if the process stops while the outcome can’t be known yet, however often that happened', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const { workId } = await recordBegunStep(store)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
    const leasedWork = trackLeasedWork('me')
    const options = { steps: store.steps, lateOutcomes: store.lateOutcomes, errors: ACT_ERRORS }
    const act = await openAct(
      { ...options, maxInFlightMs: 2 ** 30 },
      leasedWork.add({ ...work, attempts: 9 }),
    )
    const isLookedUp = Promise.withResolvers<void>()
    async function lookUp() {
      isLookedUp.resolve()
      return 'not-done' as const
    }
    const ended = act.step(createStep(mustNotRun, { lookUp })).catch((error: unknown) => error)
    await isLookedUp.promise
    leasedWork.abortAll()
    expect(await ended).toBeInstanceOf(LeaseLost)
    expect(await store.steps.list(workId)).toMatchObject([{ state: 'begun' }])
  })

  it('doesn’t fail because the process stops that would begin it again', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await recordBegunStep(store)
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
    const leasedWork = trackLeasedWork('me')
    const options = { steps: store.steps, lateOutcomes: store.lateOutcomes, errors: ACT_ERRORS }
    const act = await openAct({ ...options, maxInFlightMs: 1 }, leasedWork.add({ ...work, attempts: 2 }))
    const step = createStep(mustNotRun, {
      readsFirst: true,
      lookUp: async () => 'not-done',
      async work() {
        leasedWork.abortAll()
        throw new ApiError('cancelled', 'The process stops.')
      },
    })
    await expect(act.step(step)).rejects.toBeInstanceOf(LeaseLost)
    expect(await listOutcomes(store)).toEqual(['begun'])
  })

  it('is told by its process while the database is down, but not when that ends', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
    const leasedWork = trackLeasedWork('me')
    const options = { steps: store.steps, lateOutcomes: store.lateOutcomes, errors: ACT_ERRORS }
    const act = await openAct({ ...options, maxInFlightMs: 1 }, leasedWork.add(work))
    await store[Symbol.asyncDispose]()
    expect(await act.throwIfLost()).toBeUndefined()
    leasedWork.abortAll()
    await expect(act.throwIfLost()).rejects.toBeInstanceOf(LeaseLost)
  })

  it('has the outcome that its own process had no chance to store before', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const late = { ...store, lateOutcomes: storeWhenAwaited(store.steps) }
    expect(await (await openTestAct(late, 1)).step(createStep(async () => 'sent'))).toBe('sent')
    expect(await (await openTestAct(late, 2)).step(createStep(mustNotRun))).toBe('sent')
  })

  it('doesn’t start in a process that has lost the lease', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const act = await openTestAct(store, 1)
    await store.work.release(act.id, 'me', { state: 'waiting', dueInMs: 0 })
    await expect(act.step(createStep(mustNotRun))).rejects.toBeInstanceOf(LeaseLost)
    expect(await listOutcomes(store)).toEqual([])
  })
})

describe.each(SHARED_DATABASES)('a step that only changes $name', ({ start }) => {
  const NOTE = { key: 'note', read: String }
  const readNote = (store: Store) => store.settings.get('T1', NOTE)
  const writeNote = (work: DecidingStep<string>['work']): DecidingStep<string> => ({
    name: 'settings',
    workspaceId: 'T1',
    auditEvent,
    work,
  })

  it('is saved together with its outcome and its audit entry, once, although the act runs again', async () => {
    await using store = await startStore(start)
    let calls = 0
    const step = writeNote((decisions) => store.settings.decide(decisions, NOTE, () => `decided ${++calls}`))
    for (const attempt of [1, 2])
      expect(await (await openTestAct(store, attempt)).decide(step)).toBe('decided 1')
    expect(await readNote(store)).toBe('decided 1')
    expect(await listOutcomes(store)).toEqual(['done'])
  })

  it('changes nothing if it is refused, and is refused for the same reason when the act runs again', async () => {
    await using store = await startStore(start)
    let calls = 0
    const step = writeNote(async (decisions) => {
      calls += 1
      await store.settings.decide(decisions, NOTE, () => 'written')
      throw new UserError('Somebody else has it.')
    })
    for (const attempt of [1, 2])
      await expect((await openTestAct(store, attempt)).decide(step)).rejects.toThrow('Somebody else has it.')
    expect(calls).toBe(1)
    expect(await readNote(store)).toBe('undefined')
    expect(await listOutcomes(store)).toEqual(['failed'])
  })

  it('leaves nothing behind if the database fails before the commit, and then runs again', async () => {
    await using store = await startStore(start)
    const failing = writeNote(async (decisions) => {
      await store.settings.decide(decisions, NOTE, () => 'half')
      throw new DatabaseUnavailable(new Error('The connection was lost.'))
    })
    await expect((await openTestAct(store, 1)).decide(failing)).rejects.toBeInstanceOf(StoreUnavailable)
    expect([await readNote(store), await listOutcomes(store)]).toEqual(['undefined', []])
    const step = writeNote((decisions) => store.settings.decide(decisions, NOTE, () => 'whole'))
    expect(await (await openTestAct(store, 2)).decide(step)).toBe('whole')
    expect(await listOutcomes(store)).toEqual(['done'])
  })

  it('is explained as having changed nothing if the database fails too often, also when the act runs again', async () => {
    await using store = await startStore(start)
    const failing = writeNote(async (decisions) => {
      await store.settings.decide(decisions, NOTE, () => 'half')
      throw new DatabaseUnavailable(new Error('The connection was lost.'))
    })
    for (const attempt of [3, 4]) {
      const act = await openTestAct(store, attempt)
      const error: unknown = await act.decide(failing).catch((thrown: unknown) => thrown)
      expect(problemText(explain(error, { act })).join('\n')).toContain('Nothing was changed.')
    }
    expect([await readNote(store), await listOutcomes(store)]).toEqual(['undefined', ['failed']])
  })

  it('writes nothing in a process that loses the act while it decides', async () => {
    await using store = await startStore(start)
    const act = await openTestAct(store, 1)
    const step = writeNote(async (decisions) => {
      await updateRows(decisions.transaction, 'work', { id: act.id }, { owner: 'another' })
      return store.settings.decide(decisions, NOTE, () => 'too late')
    })
    await expect(act.decide(step)).rejects.toBeInstanceOf(LeaseLost)
    expect([await readNote(store), await listOutcomes(store)]).toEqual(['undefined', []])
  })
})

async function isLockAwaited({ rows }: { rows: Kysely<Schema> }): Promise<boolean> {
  const waiting = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(rows)
  return waiting.rows.length > 0
}

it('begins a decision only when nobody else holds the lock of the workspace', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using store = await openStore({ url: server.url, keys: KEY_A })
  await using others = await openDatabase(server.url)
  const events: string[] = []
  const locked = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const holding = others.withLock('T1', async () => {
    locked.resolve()
    await waiting.promise
    events.push('released')
  })
  await locked.promise
  const act = await openTestAct(store, 1)
  const work = async () => events.push('decided')
  const deciding = act.decide({ name: 'settings', workspaceId: 'T1', auditEvent, work })
  await expect.poll(() => isLockAwaited(others)).toBe(true)
  waiting.resolve()
  await Promise.all([deciding, holding])
  expect(events).toEqual(['released', 'decided'])
})

it('ends before another process deletes the work of its workspace, also if it changed some of that', async () => {
  await using server = await startPostgresDatabase('migrated')
  await using store = await openStore({ url: server.url, keys: KEY_A })
  await using other = await openStore({ url: server.url, keys: KEY_A })
  await using database = await openDatabase(server.url)
  const act = await openTestAct(store, 1)
  const job = await store.work.add({ workspaceId: 'T1', kind: 'job', key: 'j' }, 'prepared')
  let deleting: Promise<unknown> | undefined
  const deciding = act.decide({
    name: 'start',
    workspaceId: 'T1',
    auditEvent,
    async work(decisions) {
      const started = await store.work.within(decisions).start(job, { body: {} })
      deleting = other.forgetWorkspace('T1')
      await expect.poll(() => isLockAwaited(database)).toBe(true)
      return started
    },
  })
  expect(await deciding).toBe('started')
  expect(await deleting).toMatchObject({ work: 2 })
  expect(await listOutcomes(store)).toEqual(['done'])
})

describe('a step that was recorded as started but not sent', () => {
  /** Its process always seems to have been suspended before a step is sent. */
  const openSuspendedAct = (store: Store, attempts: number) =>
    openTestAct(store, attempts, 60_000, { sendWithinMs: -1 })

  it('runs immediately in the next process, even without a look-up', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const work = async () => 'made'
    for (const attempt of [1, 2]) {
      const act = await openSuspendedAct(store, attempt)
      await expect(act.step(createStep(work))).rejects.toBeInstanceOf(StoreUnavailable)
      const [step] = await store.steps.list(act.id)
      expect(step).toMatchObject({ state: 'ready', body: { outcome: 'begun' } })
    }
    expect(await (await openTestAct(store, 3, 60_000)).step(createStep(work))).toBe('made')
    expect(await listOutcomes(store)).toEqual(['begun', 'done'])
  })

  it('fails instead of having an unknown outcome if the person has lost permission', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const act = await openSuspendedAct(store, 1)
    await expect(act.step(createStep(async () => 'made'))).rejects.toBeInstanceOf(StoreUnavailable)
    const authorize = () => Promise.reject(new ApiError('rejected', 'No more.'))
    const nextAct = await openTestAct(store, 2, 60_000)
    await expect(nextAct.step(createStep(async () => 'made', { authorize }))).rejects.toThrow('No more.')
    expect(await listOutcomes(store)).toEqual(['begun', 'failed'])
  })
})

describe('an act that was idle for too long', () => {
  const MAX_IDLE_MS = 50

  /** Opens an act that a dead process left behind, with one step that it began or finished too long ago. */
  async function openIdleAct(store: Store, state: 'begun' | 'done'): Promise<Act> {
    const begun = await recordBegunStep(store)
    if (state === 'done')
      await store.steps.recordOutcome({ ...begun, state, body: 'made' }, auditEvent('done'))
    const findAgeMs = async () => (await store.steps.list(begun.workId))[0]?.begunMsAgo ?? 0
    await expect.poll(findAgeMs).toBeGreaterThan(MAX_IDLE_MS)
    return openTestAct(store, 2, 1, { maxIdleMs: MAX_IDLE_MS })
  }

  const notDone = async (): Promise<'not-done'> => 'not-done'

  it.each([
    ['wasn’t done', { lookUp: notDone }, 'before it could run', 'failed'],
    ['can’t be looked up', {}, 'It’s unknown whether', 'unknown'],
  ])('doesn’t repeat a step that %s', async (_condition, overrides, expectedError, audit) => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const act = await openIdleAct(store, 'begun')
    await expect(act.step(createStep(mustNotRun, overrides))).rejects.toThrow(expectedError)
    expect(await listOutcomes(store)).toEqual(['begun', audit])
  })

  it.each([
    { state: 'begun', found: 'by look-up', overrides: { lookUp: async () => ({ outcome: 'made' }) } },
    { state: 'done', found: 'in its record', overrides: {} },
  ] as const)(
    'returns the outcome of a step that is found $found, but doesn’t start the next one',
    async ({ state, overrides }) => {
      await using store = await openStore({ url: 'sqlite::memory:' })
      const act = await openIdleAct(store, state)
      expect(await act.step(createStep(mustNotRun, overrides))).toBe('made')
      await expect(act.step(createStep(mustNotRun, { name: 'invite' }))).rejects.toThrow('Done: create.')
      const decision = { name: 'settings', workspaceId: 'T1', auditEvent, work: mustNotRun }
      await expect(act.decide(decision)).rejects.toThrow('Done: create.')
      expect(act.hasDoneSteps()).toBe(true)
      expect(await listOutcomes(store)).toEqual(['begun', 'done'])
    },
  )
})

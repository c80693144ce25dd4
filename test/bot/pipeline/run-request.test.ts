import { expect, it } from 'vitest'
import { type Act, openAct } from '../../../packages/durable/src/engine/act.ts'
import { trackLeasedWork } from '../../../packages/durable/src/engine/leased-work.ts'
import { UserError } from '../../../packages/runtime/src/errors.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { ACT_ERRORS } from '../../../src/bot/act-errors.ts'
import { type Explained, problemText } from '../../../src/bot/request/explain.ts'
import { createRun } from '../../../src/bot/run.ts'
import { createLog } from '../../../src/log.ts'

async function beginAct(store: Store, attempts: number): Promise<Act> {
  const { work } = await store.work.begin({ workspaceId: 'T1', kind: 'act', key: 'a' }, 'me')
  const leased = trackLeasedWork('me').add({ ...work, attempts })
  const deps = {
    steps: store.steps,
    lateOutcomes: store.lateOutcomes,
    errors: ACT_ERRORS,
    maxInFlightMs: 1,
  }
  return openAct(deps, leased)
}

/** Runs an act with one step, and calls `before` and `after` around the step. Returns the problem shown to the person. */
async function runAndGetProblem(
  store: Store,
  attempts: number,
  before: () => void,
  after: () => void = () => undefined,
): Promise<string> {
  let shown = ''
  // Only the methods that this test needs.
  const answer = {
    showProblem: async (problem: Explained) => {
      shown = problemText(problem)[0]
    },
    close: () => undefined,
  }
  const access = { authorize: async () => ({}), findActor: async () => ({}) }
  const run = createRun({
    openAnswer: () => answer as never,
    access: access as never,
    makeContext: () => ({}) as never,
    findHiddenButtons: async () => undefined,
    windowStates: { read: async () => undefined },
    cached: { channelEnvironment: async () => 'production' },
    channels: { environment: async () => 'production' },
    refreshHome: async () => undefined,
    log: createLog('silent'),
  })
  const act = await beginAct(store, attempts)
  const place = { workspaceId: 'T1', userId: 'U1', reference: 'R', surface: { kind: 'home' as const } }
  const auditEvent = (outcome: 'begun' | 'done' | 'failed' | 'unknown') => ({
    workspaceId: 'T1',
    at: new Date(),
    actor: { userId: 'U1' },
    verb: '/hc connect',
    outcome,
    reference: 'R',
  })
  async function work(): Promise<undefined> {
    before()
    await act.step({ name: 'connect', auditEvent, work: async () => undefined })
    after()
    return undefined
  }
  const request = { kind: 'home' as const, origin: place }
  const handler = {
    verb: '/hc connect',
    needs: 'admin',
    environment: 'production',
    isAct: true,
    run: work,
  } as const
  await run(request, { ...place, channelId: 'C1' }, handler, act)
  return shown
}

it('doesn’t add “Nothing was changed” to an error if an earlier attempt changed something', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const fail = () => {
    throw new UserError('The service doesn’t answer.')
  }
  expect(await runAndGetProblem(store, 1, fail)).toContain('Nothing was changed.')
  expect(await runAndGetProblem(store, 1, () => undefined)).toBe('')
  const repeated = await runAndGetProblem(store, 2, fail)
  expect(repeated).toContain('It’s done')
  expect(repeated).not.toContain('Nothing was changed.')
  expect(await runAndGetProblem(store, 2, () => undefined)).toBe('')
})

it('doesn’t add “Nothing was changed” to an error after a completed step', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const shown = await runAndGetProblem(
    store,
    1,
    () => undefined,
    () => {
      throw new UserError('The second role has changed in the meantime.')
    },
  )
  expect(shown).toContain('The second role has changed in the meantime.')
  expect(shown).toContain('The earlier steps were already done')
  expect(shown).not.toContain('Nothing was changed.')
})

it('doesn’t add “Nothing was changed” to an error that already says so', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const shown = await runAndGetProblem(
    store,
    1,
    () => undefined,
    () => {
      throw new UserError('It’s already over. Nothing was changed.')
    },
  )
  expect(shown).toBe('It’s already over. Nothing was changed.')
})

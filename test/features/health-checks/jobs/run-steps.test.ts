import { expect, it } from 'vitest'
import { runSteps } from '../../../../src/features/health-checks/jobs/run-steps.ts'
import type { ChangesRun, StepDeps } from '../../../../src/features/health-checks/jobs/store-outcomes.ts'

/** A job with one step in the given state, whose check others hold all the time. */
function createBlockedJob(state: 'begun' | 'partial' | 'ready', signal: AbortSignal) {
  const body = { step: { do: 'delete', line: 1, name: 'web', uuid: 'uuid-web' } }
  const step = { line: 1, body, attempt: {}, begunMsAgo: 1000, opened: { body } }
  const only = (wanted: typeof state, after = 0) => (state === wanted && after === 0 ? [step] : [])
  let asked = 0
  const steps = {
    listBegun: async () => only('begun'),
    listInState: async (_id: string, _state: string, after: number) => only('partial', after),
    listReady: async (_id: string, after: number) => only('ready', after),
    countByState: async () => ({ ready: 0, begun: 0, [state]: 1 }),
    takeHolds: async () => {
      asked += 1
      return new Map()
    },
  }
  const run = {
    id: 'job',
    details: {},
    signal,
    settleMs: 1000,
    connect: async () => ({ environment: 'production', address: 'https://api.example' }),
    recheckAccess: async () => undefined,
    isStopped: () => false,
  }
  // `runSteps` uses only these parts before it has a hold.
  return {
    run: run as unknown as ChangesRun,
    deps: { steps } as unknown as StepDeps,
    countAsked: () => asked,
  }
}

it.each(['begun', 'partial', 'ready'] as const)(
  'stops waiting for the check of a %s step when its process loses the job',
  async (state) => {
    const stopping = new AbortController()
    const { run, deps, countAsked } = createBlockedJob(state, stopping.signal)
    const running = runSteps(run, deps, async () => undefined)
    await expect.poll(countAsked).toBeGreaterThan(0)
    stopping.abort(new Error('The job is someone else’s.'))
    await expect(running).rejects.toThrow('The job is someone else’s.')
  },
)

it('does the rest of a partly done step only if a person continues the job of a window', async () => {
  const { run, deps, countAsked } = createBlockedJob('partial', new AbortController().signal)
  await runSteps({ ...run, details: { ...run.details, inWindow: true } }, deps, async () => undefined)
  expect(countAsked()).toBe(0)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createBackoff } from '../../../../src/features/health-checks/jobs/backoff.ts'
import type { ChangesRun, StepDeps } from '../../../../src/features/health-checks/jobs/store-outcomes.ts'
import { type StepToWrite, writeBatch } from '../../../../src/features/health-checks/jobs/write-steps.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { Api } from '../../../../src/service/service.ts'

/** Long enough that a busy machine adds little to it. */
const SETTLE_MS = 500
/** After this, a step must be begun again before its next request. */
const SLOW_MS = 200

const ALERTS = [{ type: 'EMAIL', recipients: ['ann@example.com'] }]
const STEP = {
  line: 1,
  attempt: undefined,
  hold: { key: 'check web', mark: 'm' },
  record: { step: { do: 'edit', uuid: 'u' } },
  decision: {
    is: 'write',
    record: { step: { do: 'edit', line: 1, name: 'web', uuid: 'u', set: {} }, mayHaveBeenSent: true },
    requests: [
      { method: 'alerts', uuid: 'u', to: [...ALERTS, { type: 'EMAIL', recipients: ['bob@example.com'] }] },
    ],
  },
  alerts: new Map(),
  written: [],
}

const FIELDS = { name: 'web', protocol: 'TCP', target: 'mx.example.com', port: 25, customerId: 1 }

/** What the service answers to each update. */
const ANSWERED = { ...FIELDS, uuid: 'u', frequency: 60 }

/** Writes steps with two requests, of which each takes this long. `mayBeginAgain`: nobody has taken them over meanwhile. */
async function write(
  requestMs: number,
  {
    mayBeginAgain = true,
    count = 1,
    requests = STEP.decision.requests as readonly unknown[],
    mayHaveBeenSent = undefined as true | undefined,
    settleMs = SETTLE_MS,
    record = STEP.decision.record as object,
    read = async (): Promise<object> => ANSWERED,
  } = {},
) {
  const begun: { attempt?: unknown; hold?: unknown }[] = []
  const created: unknown[] = []
  const settled: { line: number; attempt: unknown; state: string; body: unknown }[] = []
  const steps = {
    async begin(_job: string, _owner: string, each: { line: number; attempt?: unknown }[]) {
      begun.push(...each)
      const mayBegin = mayBeginAgain || each.every(({ attempt }) => attempt === undefined)
      return mayBegin ? each.map(({ line }) => ({ line, begunAt: String(begun.length) })) : []
    },
    saveProgress: async () => undefined,
    settle: async (_job: string, _owner: string, outcomes: typeof settled) => void settled.push(...outcomes),
  }
  const api = {
    healthChecks: { update: async () => ANSWERED, get: read },
    alerts: {
      async create(_uuid: string, body: unknown) {
        created.push(body)
        await sleep(requestMs)
        return body
      },
    },
  }
  const signal = new AbortController().signal
  const run = {
    id: 'job',
    leaseOwner: 'me',
    details: { verb: '/hc edit' },
    signal,
    settleMs,
    addresses: { saveWritten: async () => undefined, find: async () => new Map() },
    auditEvent: () => undefined,
    failure: {},
  }
  // `writeBatch` uses only these parts.
  const { open } = await writeBatch(
    run as unknown as ChangesRun,
    { steps, moveToReplacements: async () => undefined } as unknown as StepDeps,
    api as unknown as Api,
    Array.from(
      { length: count },
      (_, index) =>
        ({
          ...STEP,
          line: index + 1,
          record: { ...STEP.record, mayHaveBeenSent },
          decision: { ...STEP.decision, record, requests },
        }) as unknown as StepToWrite,
    ),
    createBackoff(signal, 0),
  )
  return { begun, created, settled, open: [...open] }
}

it('begins a step once if its requests are fast', async () => {
  const { begun, created, settled, open } = await write(0, { settleMs: 60_000 })
  expect(begun).toHaveLength(1)
  expect(created).toHaveLength(2)
  expect(settled).toMatchObject([{ state: 'done', attempt: { begunAt: '1' } }])
  expect(open).toEqual([])
})

it('begins a step again, and renews its hold, before a request that others would no longer wait for', async () => {
  const { begun, created, settled } = await write(SLOW_MS)
  expect(begun).toMatchObject([{ hold: STEP.hold }, { hold: STEP.hold, attempt: { begunAt: '1' } }])
  expect(created).toHaveLength(2)
  expect(settled).toMatchObject([{ state: 'done', attempt: { begunAt: '2' } }])
})

it('sends no further request for a step that someone took over', async () => {
  const { created, settled, open } = await write(SLOW_MS, { mayBeginAgain: false })
  expect(created).toHaveLength(1)
  expect(settled).toEqual([])
  expect(open).toEqual([1])
})

it('leaves a step ready if its turn comes late, so that its check is read again first', async () => {
  // Five steps are written at the same time.
  const { created, settled } = await write(SLOW_MS, { count: 6 })
  expect(created).toHaveLength(5 * 2)
  expect(settled.filter(({ state }) => state === 'done')).toHaveLength(5)
  expect(settled.filter(({ state }) => state === 'ready')).toMatchObject([
    { line: 6, body: { step: STEP.record.step } },
  ])
})

/** Sets a frequency of 45 s, which was 90 s before. The service answers 60 s. */
function writeFrequency(read: () => Promise<object>, sent = 45) {
  const address = { is: 'none' }
  const before = { fields: { ...FIELDS, frequency: 90, address }, alerts: [] }
  const step = { ...STEP.decision.record.step, set: { frequency: sent } }
  return write(0, {
    requests: [{ method: 'update', uuid: 'u', fields: { ...FIELDS, frequency: sent, address } }],
    record: { ...STEP.decision.record, step, before },
    read,
  })
}

it('counts a step as done without another look if the service answers what was sent', async () => {
  const { settled } = await writeFrequency(() => Promise.reject(new Error('Not needed.')), 60)
  expect(settled).toMatchObject([{ state: 'done' }])
})

it.each([
  { found: 45, state: 'done', reason: undefined },
  { found: 90, state: 'unclear', reason: 'Someone else may have changed it at the same moment.' },
  { found: 30, state: 'unclear', reason: 'Someone else may have changed it at the same moment.' },
  { found: 60, state: 'partial', reason: 'The service answered that its frequency is 60, not 45.' },
])(
  'counts a step that was answered differently as $state if its check has $found then',
  async ({ found, state, reason }) => {
    const { settled } = await writeFrequency(async () => ({ ...ANSWERED, frequency: found }))
    const body = reason === undefined ? {} : { reason: expect.stringContaining(reason) }
    expect(settled).toMatchObject([{ state, body }])
  },
)

it('leaves a step begun that was answered differently if its check can’t be read', async () => {
  const { settled, open } = await writeFrequency(() =>
    Promise.reject(new ApiError('unavailable', 'The service is down.')),
  )
  expect(settled).toEqual([])
  expect(open).toEqual([1])
})

it('doesn’t call a step ready if an earlier request for it may have arrived', async () => {
  const { settled, open } = await write(SLOW_MS, { count: 6, mayHaveBeenSent: true })
  expect(settled.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  expect(open).toEqual([6])
})

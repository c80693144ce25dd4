import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createBackoff } from '../../../../src/features/health-checks/jobs/backoff.ts'
import type { ChangesRun, StepDeps } from '../../../../src/features/health-checks/jobs/store-outcomes.ts'
import { type StepToWrite, writeBatch } from '../../../../src/features/health-checks/jobs/write-steps.ts'
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

/** Writes steps with two requests, of which each takes this long. `mayBeginAgain`: nobody has taken them over meanwhile. */
async function write(
  requestMs: number,
  {
    mayBeginAgain = true,
    count = 1,
    requests = STEP.decision.requests as readonly unknown[],
    mayHaveBeenSent = undefined as true | undefined,
    settleMs = SETTLE_MS,
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
    healthChecks: { update: async () => ({ ...FIELDS, frequency: 60 }) },
    alerts: {
      async create(_uuid: string, body: unknown) {
        created.push(body)
        await sleep(requestMs)
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
    addresses: { saveWritten: async () => undefined },
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
          decision: { ...STEP.decision, requests },
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

it.each([
  { frequency: 60, state: 'done' },
  { frequency: 45, state: 'unclear' },
])(
  'counts a step as $state if it set the frequency to $frequency, and the service answered with 60',
  async ({ frequency, state }) => {
    const fields = { ...FIELDS, frequency, address: { is: 'none' } }
    const { settled } = await write(0, { requests: [{ method: 'update', uuid: 'u', fields }] })
    expect(settled).toMatchObject([{ state }])
  },
)

it('doesn’t call a step ready if an earlier request for it may have arrived', async () => {
  const { settled, open } = await write(SLOW_MS, { count: 6, mayHaveBeenSent: true })
  expect(settled.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5])
  expect(open).toEqual([6])
})

import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { createAccountProof } from '../../src/bot/workspaces/account-proof.ts'
import { runSteps } from '../../src/features/health-checks/jobs/run-steps.ts'
import type { ChangesRun } from '../../src/features/health-checks/jobs/store-outcomes.ts'
import { createKnownAddresses } from '../../src/features/health-checks/rows/known-addresses.ts'
import type { StepRecord } from '../../src/features/health-checks/rules/change.ts'
import { quickOrLong } from '../long.ts'
import { createClient, PRODUCTION } from '../service/vendor.ts'

const STEPS = quickOrLong('JOB_STEPS', { quick: 500, long: 10_000 })
/** Less than a map entry takes (about 150 bytes), so that one leaked entry per step is detected. */
const MAX_BYTES_PER_STEP = 60

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  await runInNewContext('gc')({ execution: 'async', type: 'major' })
}

const CHECK = { name: 'web', customer_id: 1, protocol: 'TCP', target: 'a.example', port: 80, frequency: 60 }
const STATE = {
  fields: { name: 'web', customerId: 1, target: 'a.example', address: { is: 'none' } },
  alerts: [],
} as const

/** Starts a service without state. Every check exists, because the test never requests one after deleting it. */
async function startForgetfulService() {
  const server = createServer((request, response) => {
    request.resume()
    const [, uuid] = /\/healthchecks\/([\w-]+)$/.exec(request.url ?? '') ?? []
    const data = uuid === undefined ? [] : { uuid, ...CHECK, modified_at: '2026-03-01T12:00:00Z' }
    const isDeletion = request.method === 'DELETE'
    response.writeHead(isDeletion ? 204 : 200, { 'content-type': 'application/json' })
    response.end(isDeletion ? '' : JSON.stringify({ message: 'OK', data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const createStep = (line: number): { line: number; body: StepRecord } => {
  const uuid = `00000000-0000-4000-8000-${String(line).padStart(12, '0')}`
  const seen = { modifiedAt: '2026-03-01T12:00:00.000Z', address: { is: 'none' } } as const
  const { fields } = STATE
  const expects = { fields: { name: fields.name, target: fields.target, customerId: fields.customerId } }
  // Cast, because a deletion reads only these fields.
  const step = { do: 'delete', line, name: 'web', uuid, expects, seen } as unknown as StepRecord['step']
  return { line, body: { step } }
}

it('leaks no timers, listeners, objects, or memory when the steps of a job finish', {
  timeout: 240_000 + STEPS * 60,
}, async () => {
  await using vendor = await startForgetfulService()
  await using service = createClient(vendor.url, { connections: 4 })
  await using store = await openStore({ url: 'sqlite::memory:' })
  const knownAddresses = createKnownAddresses(store.ephemeralState, { production: 'none', ote: 'none' })
  const stop = new AbortController()

  async function deleteChecks(count: number): Promise<void> {
    const id = await store.work.add({ workspaceId: 'T1', kind: 'job' }, 'waiting')
    await store.workSteps.add(
      id,
      Array.from({ length: count }, (_, index) => createStep(index + 1)),
    )
    await store.work.claimDue('me', ['job'], 1)
    const api = service.with(PRODUCTION)
    const run = {
      id,
      leaseOwner: 'me',
      details: { verb: '/hc delete' },
      context: { workspaceId: 'T1', userId: 'U1', environment: 'production' },
      signal: stop.signal,
      settleMs: 600_000,
      auditEvent: (event: { verb: string; object: string }, outcome: 'done') => ({
        ...event,
        workspaceId: 'T1',
        at: new Date(),
        actor: { userId: 'U1' },
        outcome,
        reference: 'R',
      }),
      recheckAccess: async () => undefined,
      isStopped: () => false,
      connect: async () => api,
      addresses: knownAddresses.in({ workspaceId: 'T1', environment: 'production', now: new Date() }),
      // Cast, because `runSteps` uses nothing else.
    } as unknown as ChangesRun
    const deps = {
      steps: store.workSteps,
      moveToReplacements: async () => ({ watches: 0, silences: 0 }),
      knownAddresses,
      accountProof: createAccountProof(store.ephemeralState),
    }
    expect(await runSteps(run, deps, async () => undefined)).toBeUndefined()
    expect(await store.workSteps.countByState(id)).toMatchObject({ done: count, begun: 0, ready: 0 })
    await store.work.release(id, 'me', { state: 'done' })
  }

  async function measure() {
    await collectGarbage()
    return {
      timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
      listeners: getEventListeners(stop.signal, 'abort').length,
      signals: queryObjects(AbortSignal, { format: 'count' }),
      objects: queryObjects(Object, { format: 'count' }),
      bytes: process.memoryUsage().heapUsed,
    }
  }

  // Warm up: this compiles code, opens connections, and creates everything else that is created only once.
  await deleteChecks(STEPS)
  await deleteChecks(STEPS)
  const before = await measure()
  await deleteChecks(4 * STEPS)
  // undici drops the timers of finished requests about once a second, and compiled code and buffers that are on their way out may be
  // counted at first. Each measurement takes a second, so one serves for everything.
  await vi.waitFor(
    async () => {
      const after = await measure()
      expect(after.objects - before.objects).toBeLessThan(STEPS)
      expect(after.timers).toBeLessThanOrEqual(before.timers + 4)
      expect(after.listeners).toBe(before.listeners)
      expect(after.signals).toBeLessThanOrEqual(before.signals + 4)
      expect(after.bytes - before.bytes).toBeLessThan(4 * STEPS * MAX_BYTES_PER_STEP)
    },
    { timeout: 60_000, interval: 1000 },
  )
})

import type { WorkEnd } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { COMPARE_INTERVAL_MS } from '../../../../src/features/threats/rows/cases.ts'
import { hasSameTarget, type ThreatCase } from '../../../../src/features/threats/rules/threat-case.ts'
import { compareWork } from '../../../../src/features/threats/watched/compare-work.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import { readEvent } from '../../../service/reading.ts'
import { createFakeReachability } from '../../watching/reachable-people.ts'
import { ANN, createSampleCase, NOW } from '../cases/sample.ts'
import { createThreatEvent } from '../events.ts'

const TARGET = { protocol: 'HTTPS', target: 'https://exa.mple/login', port: 443 } as const
const CHECK: HealthCheck = { uuid: 'u1', name: 'Takedown', status: 'HEALTHY', ...TARGET }

/** Compares the case's check once, with this answer from the service. */
async function runComparison(answer: HealthCheck | ApiError | Error, account = 'a1') {
  const threatCase: ThreatCase = {
    ...(await createSampleCase(readEvent(createThreatEvent('exa.mple')), ['take', ANN])),
    checkUuid: 'u1',
    watched: {
      ...TARGET,
      name: 'Takedown exa[.]mple',
      account: 'a1',
      by: ANN,
      reference: 'r',
      at: NOW.toISOString(),
    },
  }
  const calls: string[] = []
  const healthChecks = {
    async get() {
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const deps = {
    threatCases: {
      get: async () => threatCase,
      step: async ({ noteText, watched }: { noteText: string; watched: string }) =>
        void calls.push(`${watched}: ${noteText}`),
    },
    personalWatches: { stop: async () => void calls.push('stopped') },
    audit: { search: async () => [], append: async () => void calls.push('audited') },
    getApi: async () => ({ account, healthChecks }),
    postOnce: async (_: unknown, { send: __ }: { send: unknown }) => {
      calls.push('notified')
      return { posted: { channelId: 'D1', ts: '1' }, isFound: false }
    },
    reachability: createFakeReachability(),
    poster: { seekIn: async () => undefined },
    steps: { hasLease: async () => true },
    mayPost: async () => 'yes',
    reportError: () => undefined,
    wake: () => undefined,
    now: () => NOW,
    log: createLog('silent'),
  } as unknown as Parameters<typeof compareWork>[0]
  const leasedWork = {
    work: { id: 'w', workspaceId: 'T1', key: threatCase.id, attempts: 1 },
    owner: 'me',
    signal: new AbortController().signal,
  } as unknown as Parameters<ReturnType<typeof compareWork>['run']>[0]
  const workEnd: WorkEnd = await compareWork(deps).run(leasedWork)
  return { calls, end: workEnd }
}

const notFound = () => new ApiError('not-found', 'gone', { status: 404 })

describe('the comparison of a watched case’s health check', () => {
  it.each([
    { condition: 'the check hasn’t changed', answer: CHECK, account: 'a1' },
    { condition: 'the service is unavailable', answer: new Error('unavailable'), account: 'a1' },
    {
      condition: 'Signalman now uses another account, which doesn’t have the check',
      answer: notFound(),
      account: 'a2',
    },
  ])('keeps watching if $condition', async ({ answer, account }) => {
    const { calls, end } = await runComparison(answer, account)
    expect(calls).toEqual([])
    expect(end).toMatchObject({ state: 'waiting', dueInMs: COMPARE_INTERVAL_MS })
  })

  it('reports that the check was edited, and stops watching', async () => {
    const { calls } = await runComparison({ ...CHECK, target: 'https://other.example/' })
    expect(calls.slice(-3)).toEqual([
      'audited',
      'stopped',
      'ended: The health check Takedown exa[.]mple was edited and connects to HTTPS hxxps://other[.]example/, port 443 instead of hxxps://exa[.]mple/login, so it no longer tests this case’s page. No longer watched',
    ])
  })

  it('reports that the check was deleted, and stops watching', async () => {
    const { calls } = await runComparison(notFound())
    expect(calls).toContain('stopped')
    expect(calls.at(-1)).toBe('ended: The health check Takedown exa[.]mple was deleted. No longer watched')
  })

  it.each([{ target: 'https://exa.mple/' }, { protocol: 'HTTP' }, { port: 8443 }])(
    'recognizes %j as another target',
    (change) => {
      expect(hasSameTarget(TARGET, CHECK)).toBe(true)
      expect(hasSameTarget(TARGET, { ...CHECK, ...change })).toBe(false)
    },
  )
})

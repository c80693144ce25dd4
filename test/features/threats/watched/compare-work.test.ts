import type { WorkEnd } from '@signalman/durable'
import { describe, expect, it } from 'vitest'
import { COMPARE_INTERVAL_MS } from '../../../../src/features/threats/rows/cases.ts'
import { hasSameTarget, type ThreatCase } from '../../../../src/features/threats/rules/threat-case.ts'
import { compareWork } from '../../../../src/features/threats/watched/compare-work.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck } from '../../../../src/service/health-checks.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { ANN, NOW, sampleCase } from '../cases/sample.ts'
import { eventOf } from '../events.ts'

const TARGET = { protocol: 'HTTPS', target: 'https://exa.mple/login', port: 443 } as const
const CHECK: HealthCheck = { uuid: 'u1', name: 'Takedown', status: 'HEALTHY', ...TARGET }

/** Compares a watched case once while the service gives this answer. */
async function lookedAt(answer: HealthCheck | ApiError | Error, account = 'a1') {
  const found: ThreatCase = {
    ...(await sampleCase(threatEventOf(eventOf('exa.mple')), ['take', ANN])),
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
  const said: string[] = []
  const healthChecks = {
    async get() {
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  const parts = {
    threatCases: {
      get: async () => found,
      step: async ({ text, watched }: { text: string; watched: string }) =>
        void said.push(`${watched}: ${text}`),
    },
    personalWatches: { stop: async () => void said.push('stopped') },
    audit: { search: async () => [], append: async () => void said.push('audited') },
    apiOf: async () => ({ account, healthChecks }),
    postOnce: async (_: unknown, { send: __ }: { send: unknown }) => {
      said.push('told')
      return { posted: { channelId: 'D1', ts: '1' }, isFound: false }
    },
    poster: { seekIn: async () => undefined },
    steps: { hasLease: async () => true },
    mayPost: async () => 'yes',
    report: () => undefined,
    wake: () => undefined,
    now: () => NOW,
    log: createLog('silent'),
  } as unknown as Parameters<typeof compareWork>[0]
  const held = {
    work: { id: 'w', workspaceId: 'T1', key: found.id, attempts: 1 },
    owner: 'me',
    signal: new AbortController().signal,
  } as unknown as Parameters<ReturnType<typeof compareWork>['run']>[0]
  const end: WorkEnd = await compareWork(parts).run(held)
  return { said, end }
}

const gone = () => new ApiError('not-found', 'gone', { status: 404 })

describe('comparing the check of a watched case', () => {
  it.each([
    { what: 'it hasn’t changed', answer: CHECK, account: 'a1' },
    { what: 'the service can’t be asked', answer: new Error('away'), account: 'a1' },
    { what: 'another account doesn’t have it', answer: gone(), account: 'a2' },
  ])('says nothing if $what', async ({ answer, account }) => {
    const { said, end } = await lookedAt(answer, account)
    expect(said).toEqual([])
    expect(end).toMatchObject({ state: 'waiting', dueInMs: COMPARE_INTERVAL_MS })
  })

  it('says that the check was edited, and stops', async () => {
    const { said } = await lookedAt({ ...CHECK, target: 'https://other.example/' })
    expect(said.slice(-3)).toEqual([
      'audited',
      'stopped',
      'ended: The health check Takedown exa[.]mple was edited and connects to HTTPS hxxps://other[.]example/, port 443 instead of hxxps://exa[.]mple/login, so it says nothing about this case. No longer watched',
    ])
  })

  it('says that the check was deleted, and stops', async () => {
    const { said } = await lookedAt(gone())
    expect(said.at(-1)).toBe('ended: The health check Takedown exa[.]mple was deleted. No longer watched')
  })

  it.each([{ target: 'https://exa.mple/' }, { protocol: 'HTTP' }, { port: 8443 }])(
    'recognizes %j as another target',
    (change) => {
      expect(hasSameTarget(TARGET, CHECK)).toBe(true)
      expect(hasSameTarget(TARGET, { ...CHECK, ...change })).toBe(false)
    },
  )
})

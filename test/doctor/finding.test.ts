import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { examineAll, ok, unreachable } from '../../src/doctor/finding.ts'

const withCode = (code: string) => Object.assign(new Error('with a secret'), { code })
const fetchFailed = (cause: Error) => new TypeError('fetch failed', { cause })

it.each([
  [fetchFailed(withCode('ECONNREFUSED')), 'doesn’t answer (ECONNREFUSED)', 'Check whether it runs'],
  [new DOMException('…', 'TimeoutError'), 'doesn’t answer in time (TimeoutError)', 'Check the host and port'],
  [fetchFailed(withCode('UND_ERR_CONNECT_TIMEOUT')), 'doesn’t answer in time (UND_ERR', 'Check the host'],
  [fetchFailed(fetchFailed(withCode('ENOTFOUND'))), 'can’t be found in DNS', 'Check the host'],
  [fetchFailed(withCode('SELF_SIGNED_CERT_IN_CHAIN')), 'that this machine doesn’t trust', 'Name a file with'],
  [fetchFailed(withCode('CERT_HAS_EXPIRED')), 'has a certificate that isn’t valid now', 'Renew it'],
  [
    fetchFailed(withCode('ERR_TLS_CERT_ALTNAME_INVALID')),
    'a certificate for another name',
    'Use a name from',
  ],
  [fetchFailed(withCode('ERR_SSL_WRONG_VERSION_NUMBER')), 'doesn’t speak TLS', 'Correct the port'],
  [fetchFailed(new Error('bad port')), 'can’t be reached (bad port)', undefined],
  [withCode('E_UNKNOWN'), 'can’t be reached (E_UNKNOWN)', undefined],
  [new TypeError('with a secret'), 'can’t be reached (TypeError)', undefined],
  [undefined, 'can’t be reached (unknown reason)', undefined],
] as const)(
  'says what is wrong with a connection, and gives advice only if the cause is known: %s',
  (error, problem, advice) => {
    const { message, fix } = unreachable('part', 'It', error)
    expect(message).toMatch(/^It /)
    expect(message).toContain(problem)
    expect(message).not.toContain('secret')
    if (advice === undefined) expect(fix).toBeUndefined()
    else expect(fix).toContain(advice)
  },
)

describe('many tokens of one address', () => {
  it('are checked several at a time, after the first', async () => {
    const [running, most] = [new Set<string>(), { count: 0 }]
    const many = Array.from({ length: 100 }, (_, index) => `${index}`)
    const findings = await examineAll('slack', many, async (token) => {
      running.add(token)
      most.count = Math.max(most.count, running.size)
      // Later than others that began at the same time.
      await setImmediate()
      running.delete(token)
      return [ok(token, 'It works.')]
    })
    expect(new Set(findings.map(({ part }) => part))).toEqual(new Set(many))
    expect(most.count).toBeGreaterThan(1)
    expect(most.count).toBeLessThan(20)
  })

  it.each([
    { name: 'nothing answers the first', late: 'none', lost: '1', unchecked: '2 tokens weren’t' },
    { name: 'nothing answers a later one', late: 'none', lost: '2', unchecked: undefined },
    { name: 'time is up', late: '2', lost: 'none', unchecked: '1 token wasn’t' },
    { name: 'time is up before the first answers', late: '1', lost: 'none', unchecked: '3 tokens weren’t' },
  ])('are counted if they weren’t checked, because $name', async ({ late, lost, unchecked }) => {
    const timeUp = Promise.withResolvers<void>()
    const findings = await examineAll(
      'slack',
      ['1', '2', '3'],
      async (token) => {
        if (token === lost) return [unreachable(token, 'Slack', new DOMException('late', 'TimeoutError'))]
        if (token !== late) return [ok(token, 'It works.')]
        timeUp.resolve()
        return await new Promise<never>(() => undefined)
      },
      timeUp.promise,
    )
    expect(findings.find(({ state }) => state === 'skipped')?.message).toBe(
      unchecked && `${unchecked} checked.`,
    )
    expect(findings.filter(({ state }) => state === 'fault').map(({ part }) => part)).toEqual(
      lost === 'none' ? [] : [lost],
    )
  })
})

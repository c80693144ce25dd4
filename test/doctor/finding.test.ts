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
  const TOKENS = ['a', 'b', 'c']

  it('are checked at the same time, after the first', async () => {
    const running: string[] = []
    const findings = await examineAll('slack', TOKENS, async (token) => {
      running.push(token)
      // The second waits until the third has begun.
      await expect.poll(() => token === 'a' || running.length === TOKENS.length).toBe(true)
      return [ok(token, 'It works.')]
    })
    expect(findings.map(({ part }) => part)).toEqual(TOKENS)
  })

  it('aren’t checked if nothing answered the first', async () => {
    const asked: string[] = []
    const findings = await examineAll('slack', TOKENS, async (token) => {
      asked.push(token)
      return [unreachable(token, 'Slack', new DOMException('late', 'TimeoutError'))]
    })
    expect(asked).toEqual(['a'])
    expect(findings.map(({ state, message }) => `${state}: ${message}`)).toEqual([
      'fault: Slack doesn’t answer in time (TimeoutError).',
      'skipped: 2 other tokens weren’t checked.',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { findSignals } from '../../../../src/features/threats/rules/signals.ts'
import {
  buildTakedownCheck,
  digestTarget,
  listReportedTargets,
} from '../../../../src/features/threats/rules/takedown-check.ts'
import { readEvent } from '../../../service/reading.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'

const readPage = (domain: string | undefined, originUrl: string, finalUrl = '') =>
  readEvent({
    ...(domain && { domain }),
    observed_data: { website: { origin_url: originUrl, final_url: finalUrl } },
  })

describe('the health check for a reported page', () => {
  it.each([
    {
      description: 'the page on the domain that the event names',
      domain: 'exa.mple',
      originUrl: 'https://other.test/a',
      finalUrl: 'http://www.exa.mple:8080/b#c',
      expected: { protocol: 'HTTP', target: 'http://www.exa.mple:8080/b', port: 8080 },
    },
    {
      description: 'the domain if the page is on another one',
      domain: 'exa.mple',
      originUrl: 'https://other.test/a',
      expected: { protocol: 'HTTPS', target: 'exa.mple', port: 443 },
    },
    {
      description: 'the reported page on an IP address, not the domain',
      domain: 'exa.mple',
      originUrl: 'http://192.0.2.77/login',
      finalUrl: 'https://exa.mple/',
      expected: { protocol: 'HTTP', target: 'http://192.0.2.77/login', port: 80 },
    },
    {
      description: 'the page on the IP address that the event names',
      domain: '2001:db8::9',
      originUrl: 'https://[2001:db8::9]/login',
      expected: { protocol: 'HTTPS', target: 'https://[2001:db8::9]/login', port: 443 },
    },
    {
      description: 'the reported page if the event names no domain',
      domain: undefined,
      originUrl: 'http://192.0.2.77:81/login',
      expected: { protocol: 'HTTP', target: 'http://192.0.2.77:81/login', port: 81 },
    },
  ])('tests $description', ({ domain, originUrl, finalUrl, expected }) => {
    const event = readPage(domain, originUrl, finalUrl)
    const body = buildTakedownCheck(event, { eventId: ID, customerId: 1 })
    expect(body).toMatchObject(expected)
    expect(listReportedTargets(event)).toContain(digestTarget(expected.target))
  })

  it('doesn’t exist if the event names nothing to test', () => {
    expect(buildTakedownCheck(readPage(undefined, ''), { eventId: ID, customerId: 1 })).toBeUndefined()
    expect(buildTakedownCheck(readPage(undefined, 'x y'), { eventId: ID, customerId: 1 })).toBeUndefined()
  })
})

it.each([
  ['exa.mple', 'http://192.0.2.77/', 'The page redirects to an IP address, 192.0.2.77.'],
  ['192.0.2.9', 'http://192.0.2.9/login', undefined],
  ['192.0.2.9', 'https://a.evil.test/', 'The page redirects to another domain, evil.test.'],
])('the redirect from %s to %s is described by its target', (domain, finalUrl, evidence) => {
  const signals = findSignals({ event: readPage(domain, '', finalUrl), isOwnerHidden: false })
  expect(signals.find(({ kind }) => kind === 'redirect')?.evidence).toBe(evidence)
})

import { describe, expect, it } from 'vitest'
import { CHECK_FIELDS, findTargetFault } from '../../../../src/features/health-checks/rules/fields.ts'

describe('a target', () => {
  it.each([
    ['1.2.3', 'HTTPS', 'isn’t an IPv4 address'],
    ['0x7f.1', 'TCP', 'isn’t an IPv4 address'],
    ['www.256', 'TCP', 'isn’t an IP address, domain, or URL'],
    ['https://256.1.1.1/', 'HTTPS', 'isn’t an IP address, domain, or URL'],
    ['https://1.2.3/health', 'HTTPS', 'no domain or IP address'],
    ['https://user:secret@www.example.com', 'HTTPS', 'can’t contain a user name or password'],
    ['https://user@www.example.com', 'HTTPS', 'can’t contain a user name or password'],
    ['http://www.example.com', 'HTTPS', 'starts with http://, but the protocol is HTTPS'],
    ['https://www.example.com', 'HTTP', 'starts with https://, but the protocol is HTTP'],
    ['https://www.example.com', 'TCP', 'For a URL, choose HTTP or HTTPS'],
    ['ftp://www.example.com', 'HTTPS', 'isn’t an IP address, domain, or URL'],
    ['not a target', 'HTTPS', 'isn’t an IP address, domain, or URL'],
    ['', 'HTTPS', 'Enter an IP address'],
  ])('is rejected: “%s” with protocol %s (%s)', (target, protocol, expected) => {
    expect(findTargetFault(target, protocol)).toContain(expected)
    expect(findTargetFault(target, protocol)).not.toContain('secret')
  })

  it.each([
    ['192.0.2.10', 'HTTPS'],
    ['2001:db8::1', 'TCP'],
    ['localhost', 'TCP'],
    ['shop.example.com', 'HTTPS'],
    ['shop.example.com.', 'HTTP'],
    ['bücher.example', 'HTTPS'],
    ['1and1.example', 'HTTPS'],
    ['https://shop.example.com/health?a=b@c', 'HTTPS'],
    ['http://192.0.2.10:8080/', 'HTTP'],
    ['https://[2001:db8::1]/', 'HTTPS'],
    ['https://bücher.example/', 'HTTPS'],
  ])('is accepted: “%s” with protocol %s', (target, protocol) => {
    expect(findTargetFault(target, protocol)).toBeUndefined()
  })
})

it.each<readonly [string, number | string]>([
  ['60', 60],
  ['90sec', 90],
  ['60000ms', 60],
  ['5 min', 300],
  ['2h', 7200],
  ['86400', 86_400],
  ['172800 s', 172_800],
  ['86401', '86401 s is more than a day. Add the unit: s, ms, min, or h.'],
  ...['0', '-5', '1.5', '1e3', '1500ms', '5 Minuten', '1 d', '9000 h', ''].map(
    (typed) => [typed, 'Enter a time from 1 s to 365 days, such as 60 s or 5 min.'] as const,
  ),
])('reads a frequency of “%s”', (typed, expected) => {
  const read = () => CHECK_FIELDS.frequency.read(typed)
  if (typeof expected === 'number') expect(read()).toBe(expected)
  else expect(read).toThrow(expected)
})

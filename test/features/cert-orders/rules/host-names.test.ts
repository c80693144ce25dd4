import { describe, expect, it } from 'vitest'
import { findLongestPublicDays } from '../../../../src/features/cert-orders/rules/durations.ts'
import {
  findForeignNames,
  listCertificateNames,
  parseDomain,
} from '../../../../src/features/cert-orders/rules/host-names.ts'

const KINDS = ['DNS', 'email', 'URL', 'IP', 'user']

/** A request with these alternative names and parts of its subject: `DNS shop.example.com`, `O Example`. */
function createCsr(requested: readonly string[]) {
  const all = requested.map((entry) => {
    const [label = '', ...words] = entry.split(' ')
    return { label, kind: label, text: words.join(' ') }
  })
  return {
    names: all.filter(({ kind }) => KINDS.includes(kind)),
    subjectParts: all.filter(({ label }) => !KINDS.includes(label)),
    attributes: [],
  }
}

/** Every part of the subject that names a host outside example.com: as it is, among words, or in another spelling. */
const FOREIGN_PARTS = [
  'OU www.bank.example',
  'OU *.Bank.example',
  'O bank.example',
  'UID https://bank.example/login',
  '2.5.4.13 ceo@bank.example',
  'OU 203.0.113.9',
  'serialNumber bücher.example',
  'OU Visit www.bank.example',
  'OU www.bank.example, Inc',
  'OU www.bank.example:443',
  'OU bank.example/login',
  'OU //bank.example',
  'OU .bank.example',
  'OU Ann <ann@bank.example>',
  'OU see https://bank.example/',
  'OU WWW．BANK．EXAMPLE',
  'OU www。bank。example',
  'OU bank\u2024example',
  'OU www.bank.exam\u200bple',
  'OU bank.example\u202e',
  'OU [2001:DB8::1]',
  'OU 10.0.0.0/8',
  'L www.bank.example',
  'street https://bank.example/',
]

/** Names that other software may read differently. */
const AMBIGUOUS_NAMES = ['exam\u200bple.com', 'shop。example.com', 'ｓhop.example.com']

describe('the allowed domains', () => {
  it.each<[what: string, requested: string[], outside: string[], domains?: string[]]>([
    [
      'an email address in the subject',
      ['CN a.example.com', 'E ceo@bank.example'],
      ['email ceo@bank.example'],
    ],
    ['an own email address', ['E it@example.com'], []],
    ['DC parts', ['DC com', 'DC bank'], ['DC bank.com']],
    ['own DC parts', ['DC com', 'DC example', 'CN a.example.com'], []],
    ['own DC parts, reversed', ['DC example', 'DC com'], []],
    [
      'every kind of alternative name',
      [
        'DNS a.example.com',
        'email ceo@bank.example',
        'URL https://bank.example/',
        'IP 203.0.113.9',
        'user a@bank',
      ],
      ['email ceo@bank.example', 'URL https://bank.example/', 'IP 203.0.113.9', 'user a@bank'],
    ],
    [
      'a listed IP address',
      ['IP 203.0.113.9', 'URL https://203.0.113.9/', 'IP 203.0.113.10'],
      ['IP 203.0.113.10'],
      ['203.0.113.9'],
    ],
    ['an IPv6 address, whatever its spelling', ['CN 2001:DB8:0::1', 'IP 2001:db8::1'], [], ['2001:db8::1']],
    [
      'an international name',
      ['CN bücher.example', 'DNS xn--bcher-kva.example'],
      [],
      ['xn--bcher-kva.example'],
    ],
    ['a suffix', ['CN notexample.com'], ['notexample.com']],
    [
      'user information in a URL',
      ['URL https://example.com@evil.test/'],
      ['URL https://example.com@evil.test/'],
    ],
    ...[
      'URL https://example.com\\@evil.test/',
      'URL https:evil.test@example.com',
      'email a@evil.test,b@example.com',
      'email a@example.com@evil.test',
    ].map((name): [string, string[], string[]] => ['a host that can be read in two ways', [name], [name]]),
    [
      'hosts that are read in one way',
      [
        'URL HTTPS://www.example.com:8443/a@b?c',
        'URL https://example.com',
        'URL ldap://example.com#x',
        'email a,b@example.com',
      ],
      [],
    ],
    ['a URL without a host', ['URL urn:x'], ['URL urn:x']],
    [
      'no words, places, or own hosts in the subject',
      ['O Muster GmbH & Co.KG', 'OU IT 2.0', 'OU www.example.com', 'L St.Gallen', 'ST St.Gallen', 'C CH'],
      [],
    ],
    ['ambiguous names', AMBIGUOUS_NAMES.map((name) => `DNS ${name}`), AMBIGUOUS_NAMES],
    ['an ambiguous common name', ['CN example.com\u200b'], ['example.com\u200b']],
    ['an ambiguous email address', ['email a@example.com\u00ad'], ['email a@example.com\u00ad']],
    ['an ambiguous URL', ['URL https://example.com\u200b/'], ['URL https://example.com\u200b/']],
    [
      'names under either of two domains',
      ['DNS a.example.com', 'DNS b.example.org', 'DNS c.example.net'],
      ['c.example.net'],
      ['example.com', 'example.org'],
    ],
    ['an own name in another spelling', ['DNS SHOP.example.com.'], []],
  ])('bind %s', (_, requested, outside, domains = ['example.com']) => {
    expect(findForeignNames(createCsr(requested), domains)).toEqual(outside)
  })

  it.each(FOREIGN_PARTS)('bind a part of the subject that names a host: %s', (part) => {
    expect(findForeignNames(createCsr(['CN a.example.com', part]), ['example.com'])).toHaveLength(1)
  })

  it('take no more space than the request, however many hosts a part names', () => {
    const part = `OU ${Array.from({ length: 5900 }, (_, at) => `a@x${at}.a.de`).join(' ')}`
    const named = findForeignNames(createCsr(['CN a.example.com', part]), ['example.com'])
    expect(named).toHaveLength(5900)
    expect(named.join().length).toBeLessThan(2 * part.length)
  })

  it.each([
    ['Example.COM', 'example.com'],
    ['*.example.com', 'example.com'],
    ['.example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['203.0.113.9', '203.0.113.9'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['shop.github.io', 'shop.github.io'],
    ['corp.internal', 'corp.internal'],
    ...['co.uk', 'com.au', '*.gov.pl', 'github.io', 'GitHub.io.', 's3.amazonaws.com'].map((suffix) => [
      suffix,
    ]),
    ...['com', '', 'a b.example', '1.2.3', '*.', 'fe80::1%en0'].map((other) => [other]),
  ])('can be typed in any spelling, but can’t be public: %s', (typed, domain) => {
    expect(parseDomain(typed ?? '')).toBe(domain)
  })
})

it('counts each name once, whatever its spelling, and no email address or DC part of the subject', () => {
  const spellings = [
    'DNS shop.example.com',
    'DNS SHOP.example.com.',
    'DNS bücher.example',
    'DNS xn--bcher-kva.example',
  ]
  const csr = createCsr(['CN Shop.Example.com', 'E a@example.com', 'DC com', ...spellings])
  expect(listCertificateNames(csr).map(({ text }) => text)).toEqual([
    'shop.example.com',
    'xn--bcher-kva.example',
  ])
})

it.each([
  ['2026-03-14', 398],
  ['2026-03-15', 200],
  ['2027-03-14', 200],
  ['2027-03-15', 100],
  ['2029-03-14', 100],
  ['2029-03-15', 47],
  ['2020-08-31', 825],
])('on %s, public authorities issue for at most %i days', (day, days) => {
  for (const time of ['00:00:00.000', '12:00:00.000', '23:59:59.999'])
    expect(findLongestPublicDays(new Date(`${day}T${time}Z`))).toBe(days)
})

import { describe, expect, it } from 'vitest'
import { findLongestPublicDays } from '../../../../src/features/cert-orders/rules/durations.ts'
import {
  findForeignNames,
  listCertificateNames,
  parseDomain,
} from '../../../../src/features/cert-orders/rules/host-names.ts'

type Pairs = readonly (readonly [string, string])[]
const createCsr = (parts: Pairs, names: Pairs = []) => ({
  subjectParts: parts.map(([label, text]) => ({ label, text })),
  names: names.map(([kind, text]) => ({ kind, text })),
})

describe('the allowed domains', () => {
  it.each<{ what: string; parts?: Pairs; names?: Pairs; domains?: string[]; outside: string[] }>([
    {
      what: 'an email address in the subject',
      parts: [
        ['CN', 'shop.example.com'],
        ['E', 'ceo@bank.example'],
      ],
      outside: ['email ceo@bank.example'],
    },
    { what: 'an own email address', parts: [['E', 'it@example.com']], outside: [] },
    {
      what: 'DC parts',
      parts: [
        ['DC', 'com'],
        ['DC', 'bank'],
      ],
      outside: ['DC bank.com'],
    },
    {
      what: 'own DC parts',
      parts: [
        ['DC', 'com'],
        ['DC', 'example'],
        ['CN', 'a.example.com'],
      ],
      outside: [],
    },
    {
      what: 'own DC parts, reversed',
      parts: [
        ['DC', 'example'],
        ['DC', 'com'],
      ],
      outside: [],
    },
    {
      what: 'every kind of alternative name',
      names: [
        ['DNS', 'shop.example.com'],
        ['email', 'ceo@bank.example.org'],
        ['URL', 'https://bank.example.org/'],
        ['IP', '203.0.113.9'],
      ],
      outside: ['email ceo@bank.example.org', 'URL https://bank.example.org/', 'IP 203.0.113.9'],
    },
    {
      what: 'a listed IP address',
      names: [
        ['IP', '203.0.113.9'],
        ['URL', 'https://203.0.113.9/'],
        ['IP', '203.0.113.10'],
      ],
      domains: ['203.0.113.9'],
      outside: ['IP 203.0.113.10'],
    },
    {
      what: 'an international name',
      parts: [['CN', 'bücher.example']],
      names: [['DNS', 'xn--bcher-kva.example']],
      domains: ['xn--bcher-kva.example'],
      outside: [],
    },
    { what: 'a user name', names: [['user', 'a@bank']], outside: ['user a@bank'] },
    { what: 'a suffix', parts: [['CN', 'notexample.com']], outside: ['notexample.com'] },
    {
      what: 'user information in a URL',
      names: [['URL', 'https://example.com@evil.test/']],
      outside: ['URL https://example.com@evil.test/'],
    },
    {
      what: 'every other part of the subject that names a host',
      parts: [
        ['CN', 'shop.example.com'],
        ['OU', 'www.bank.example'],
        ['OU', '*.Bank.example'],
        ['O', 'bank.example'],
        ['UID', 'https://bank.example/login'],
        ['2.5.4.13', 'ceo@bank.example'],
        ['OU', '203.0.113.9'],
        ['serialNumber', 'bücher.example'],
      ],
      outside: [
        'OU www.bank.example',
        'OU *.Bank.example',
        'O bank.example',
        'UID https://bank.example/login',
        '2.5.4.13 ceo@bank.example',
        'OU 203.0.113.9',
        'serialNumber bücher.example',
      ],
    },
    {
      what: 'no words, places, or own hosts in the subject',
      parts: [
        ['O', 'Muster GmbH & Co.KG'],
        ['OU', 'IT 2.0'],
        ['OU', 'www.example.com'],
        ['L', 'St.Gallen'],
        ['C', 'CH'],
      ],
      outside: [],
    },
    {
      what: 'a host among words, or in another spelling',
      parts: [
        'Visit www.bank.example',
        'www.bank.example, Inc',
        'www.bank.example:443',
        'bank.example/login',
        '//bank.example',
        '.bank.example',
        'Ann <ann@bank.example>',
        'see https://bank.example/',
        'WWW．BANK．EXAMPLE',
        'www。bank。example',
        'bank\u2024example',
        'www.bank.exam\u200bple',
        'bank.example\u202e',
        '[2001:DB8::1]',
        '10.0.0.0/8',
      ].map((text) => ['OU', text] as const),
      outside: [
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
      ],
    },
    {
      what: 'a host in the name of a place',
      parts: [
        ['L', 'www.bank.example'],
        ['street', 'https://bank.example/'],
        ['ST', 'St.Gallen'],
      ],
      outside: ['L www.bank.example', 'street https://bank.example/'],
    },
    {
      what: 'names that other software may read differently',
      parts: [['CN', 'example.com\u200b']],
      names: [
        ['DNS', 'exam\u200bple.com'],
        ['DNS', 'shop。example.com'],
        ['DNS', 'ｓhop.example.com'],
        ['email', 'a@example.com\u00ad'],
        ['URL', 'https://example.com\u200b/'],
        ['DNS', 'SHOP.example.com.'],
      ],
      outside: [
        'example.com\u200b',
        'exam\u200bple.com',
        'shop。example.com',
        'ｓhop.example.com',
        'email a@example.com\u00ad',
        'URL https://example.com\u200b/',
      ],
    },
    {
      what: 'an IPv6 address, whatever its spelling',
      parts: [['CN', '2001:DB8:0::1']],
      names: [['IP', '2001:db8::1']],
      domains: ['2001:db8::1'],
      outside: [],
    },
    { what: 'a URL without a host', names: [['URL', 'urn:x']], outside: ['URL urn:x'] },
  ])('bind $what', ({ parts = [], names = [], domains = ['example.com'], outside }) => {
    expect(findForeignNames(createCsr(parts, names), domains)).toEqual(outside)
  })

  it('can be typed in any spelling', () => {
    expect(
      [
        'Example.COM',
        '*.example.com',
        '.example.com.',
        'bücher.example',
        '203.0.113.9',
        '2001:DB8:0:0::1',
        'fe80::1%en0',
      ].map(parseDomain),
    ).toEqual([
      'example.com',
      'example.com',
      'example.com',
      'xn--bcher-kva.example',
      '203.0.113.9',
      '2001:db8::1',
      undefined,
    ])
    for (const suffix of ['co.uk', 'com.au', '*.gov.pl', 'github.io', 'GitHub.io.', 's3.amazonaws.com'])
      expect(parseDomain(suffix), suffix).toBeUndefined()
    expect(parseDomain('shop.github.io')).toBe('shop.github.io')
    expect(parseDomain('corp.internal')).toBe('corp.internal')
    expect(['com', '', 'a b.example', '1.2.3', '*.'].map(parseDomain)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

it('counts each name once, whatever its spelling, and no email address or DC part of the subject', () => {
  const csr = createCsr(
    [
      ['CN', 'Shop.Example.com'],
      ['E', 'a@example.com'],
      ['DC', 'com'],
    ],
    [
      ['DNS', 'shop.example.com'],
      ['DNS', 'SHOP.example.com.'],
      ['DNS', 'bücher.example'],
      ['DNS', 'xn--bcher-kva.example'],
    ],
  )
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

import { describe, expect, it } from 'vitest'
import {
  describeName,
  findNameProblems,
} from '../../../../src/features/cert-orders/rules/csr/suspicious-names.ts'

const toName = (text: string) => {
  const [kind = '', ...rest] = text.split(' ')
  return { kind, text: rest.join(' ') }
}

describe('a suspicious name', () => {
  it.each([
    { name: 'DNS shop.bank.com', why: [] },
    {
      name: 'DNS *.bank.com',
      why: ['a wildcard over a whole registered domain: every name directly under bank.com'],
    },
    { name: 'DNS Shop.Bank.co.uk', why: [] },
    { name: 'DNS *.com', why: ['a wildcard over all of .com'] },
    { name: 'DNS *.co.uk', why: ['a wildcard over a public suffix: anyone’s names under co.uk'] },
    { name: 'DNS *.github.io', why: ['a wildcard over a public suffix: anyone’s names under github.io'] },
    { name: 'DNS co.uk', why: ['a public suffix, where anyone can register names'] },
    { name: 'DNS com', why: ['a whole top-level domain'] },
    { name: 'DNS *', why: ['a wildcard over everything'] },
    { name: 'DNS *.*.bank.com', why: ['a wildcard that isn’t the first label'] },
    { name: 'DNS w*.bank.com', why: ['a wildcard that isn’t the first label'] },
    { name: 'DNS localhost', why: ['a local name, which no public authority certifies'] },
    { name: 'DNS mail', why: ['a local name, which no public authority certifies'] },
    { name: 'DNS nas.local', why: ['a local name, which no public authority certifies'] },
    { name: 'DNS db.bank.corp', why: ['a local name, which no public authority certifies'] },
    { name: 'DNS a.nosuchtld', why: ['under no public top-level domain'] },
    { name: 'DNS 192.0.2.1', why: ['an IP address written as a host name'] },
    { name: 'DNS a_b.bank.com', why: ['an underscore, which no public authority certifies'] },
    { name: 'DNS a..bank.com', why: ['an empty label'] },
    { name: 'DNS bank.com.', why: ['a dot at its end'] },
    { name: `DNS ${'a'.repeat(64)}.com`, why: ['longer than a host name can be'] },
    { name: 'DNS xn--mller-kva.de', why: ['punycode: browsers may show müller.de, which is Latin'] },
    {
      name: 'DNS xn--80ak6aa92e.com',
      why: [
        'punycode: browsers may show аррӏе.com, which is Cyrillic',
        'letters of several scripts in one word (Latin, Cyrillic), which look alike',
      ].slice(0, 1),
    },
    { name: 'DNS xn--a.de', why: ['invalid punycode'] },
    { name: 'IP 198.51.100.7', why: ['an address, not a name'] },
    {
      name: 'IP 10.1.2.3',
      why: ['a private or local address, which no public authority certifies'],
    },
    {
      name: 'IP fd00::1',
      why: ['a private or local address, which no public authority certifies'],
    },
    {
      name: 'IP 010203',
      why: ['not an address: it has the wrong length'],
    },
    { name: 'email a@bank.com', why: ['an email address, not a host'] },
    { name: 'URL https://bank.com', why: ['a URL, not a host'] },
    { name: 'user a@bank', why: ['a name of the kind “user”, which browsers ignore'] },
  ])('is explained: $name ($why)', ({ name, why }) => {
    expect(findNameProblems(toName(name))).toEqual(why)
  })

  it.each(['bank\u202emoc', 'ba\u200bnk.com', 'bänk.com', 'a b.com', '<!everyone>', 'a,b.com', ''])(
    'isn’t a host name: %j',
    (value) => {
      expect(findNameProblems({ kind: 'DNS', text: value }).at(-1)).toMatch(/^not a host name/)
    },
  )

  it('is shown with its reasons', () => {
    expect([describeName(toName('DNS bank.com')), describeName(toName('DNS *.com'))]).toEqual([
      'DNS bank.com',
      'DNS *.com (a wildcard over all of .com)',
    ])
  })
})

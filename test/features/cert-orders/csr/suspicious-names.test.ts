import { describe, expect, it } from 'vitest'
import {
  describeName,
  findNameProblems,
} from '../../../../src/features/cert-orders/rules/csr/suspicious-names.ts'

const toName = (text: string) => {
  const [kind = '', ...rest] = text.split(' ')
  return { kind, text: rest.join(' ') }
}

describe('the reasons why a name is suspicious', () => {
  it.each([
    { name: 'DNS shop.bank.com', reasons: [] },
    {
      name: 'DNS *.bank.com',
      reasons: ['a wildcard over a whole registered domain for every name directly below it'],
    },
    { name: 'DNS Shop.Bank.co.uk', reasons: [] },
    { name: 'DNS *.com', reasons: ['a wildcard over all of .com'] },
    {
      name: 'DNS *.co.uk',
      reasons: ['a wildcard over a public suffix: it covers everyone’s names under co.uk'],
    },
    {
      name: 'DNS *.github.io',
      reasons: ['a wildcard over a public suffix: it covers everyone’s names under github.io'],
    },
    { name: 'DNS co.uk', reasons: ['a public suffix, where anyone can register names'] },
    { name: 'DNS com', reasons: ['a whole top-level domain'] },
    { name: 'DNS *', reasons: ['a wildcard over everything'] },
    { name: 'DNS *.*.bank.com', reasons: ['a wildcard that isn’t the first label'] },
    { name: 'DNS w*.bank.com', reasons: ['a wildcard that isn’t the first label'] },
    { name: 'DNS localhost', reasons: ['a local name, for which no public CA issues certificates'] },
    { name: 'DNS mail', reasons: ['a local name, for which no public CA issues certificates'] },
    { name: 'DNS nas.local', reasons: ['a local name, for which no public CA issues certificates'] },
    { name: 'DNS db.bank.corp', reasons: ['a local name, for which no public CA issues certificates'] },
    { name: 'DNS a.nosuchtld', reasons: ['not under a public top-level domain'] },
    { name: 'DNS 192.0.2.1', reasons: ['an IP address written as a host name'] },
    {
      name: 'DNS a_b.bank.com',
      reasons: ['an underscore: no public CA issues certificates for such a name'],
    },
    { name: 'DNS a..bank.com', reasons: ['an empty label'] },
    { name: 'DNS bank.com.', reasons: ['a trailing dot'] },
    { name: `DNS ${'a'.repeat(64)}.com`, reasons: ['longer than a host name can be'] },
    { name: 'DNS xn--mller-kva.de', reasons: ['punycode: browsers may show müller.de, which is Latin'] },
    {
      name: 'DNS xn--80ak6aa92e.com',
      reasons: ['punycode: browsers may show аррӏе.com, which is Cyrillic'],
    },
    { name: 'DNS xn--a.de', reasons: ['invalid punycode'] },
    { name: 'IP 198.51.100.7', reasons: ['an address, not a name'] },
    {
      name: 'IP 10.1.2.3',
      reasons: ['a private or local address, for which no public CA issues certificates'],
    },
    {
      name: 'IP fd00::1',
      reasons: ['a private or local address, for which no public CA issues certificates'],
    },
    {
      name: 'IP 010203',
      reasons: ['not an address: it has the wrong length'],
    },
    { name: 'email a@bank.com', reasons: ['an email address, not a host'] },
    { name: 'URL https://bank.com', reasons: ['a URL, not a host'] },
    { name: 'URL nonsense', reasons: ['a URL, not a host'] },
    { name: 'user a@bank', reasons: ['a name of type “user”, which browsers ignore'] },
  ])('of $name are $reasons', ({ name, reasons }) => {
    expect(findNameProblems(toName(name))).toEqual(reasons)
  })

  it.each(['bank\u202emoc', 'ba\u200bnk.com', 'bänk.com', 'a b.com', '<!everyone>', 'a,b.com', ''])(
    'include that it isn’t a host name: %j',
    (value) => {
      expect(findNameProblems({ kind: 'DNS', text: value }).at(-1)).toMatch(/^not a host name/)
    },
  )

  it('are shown in parentheses after the name', () => {
    expect([describeName(toName('DNS bank.com')), describeName(toName('DNS *.com'))]).toEqual([
      'DNS bank.com',
      'DNS *.com (a wildcard over all of .com)',
    ])
  })
})

import { expect, it } from 'vitest'
import { findNameProblems } from '../../../../src/features/cert-orders/rules/csr/suspicious-names.ts'

const toName = (text: string) => {
  const [kind = '', ...rest] = text.split(' ')
  return { kind, text: rest.join(' ') }
}

it.each([
  { name: 'DNS shop.bank.com', reasons: [] },
  { name: 'DNS Shop.Bank.co.uk', reasons: [] },
  {
    name: 'DNS *.bank.com',
    reasons: ['a wildcard over a whole registered domain for every name directly below it'],
  },
  { name: 'DNS *.shop.bank.com', reasons: ['a wildcard for every name directly below it'] },
  { name: 'DNS *.com', reasons: ['a wildcard over a public suffix: it covers everyone’s names under com'] },
  {
    name: 'DNS *.github.io',
    reasons: ['a wildcard over a public suffix: it covers everyone’s names under github.io'],
  },
  { name: 'DNS co.uk', reasons: ['a public suffix, where anyone can register names'] },
  { name: 'DNS localhost', reasons: ['not under a public top-level domain'] },
  { name: 'DNS nas.local', reasons: ['not under a public top-level domain'] },
  { name: 'DNS 192.0.2.1', reasons: ['an IP address written as a host name'] },
  { name: 'DNS xn--a.de', reasons: ['invalid punycode'] },
  {
    name: 'DNS xn--80ak6aa92e.com',
    reasons: ['punycode: browsers may show аррӏе.com, whose letters can look like others'],
  },
  { name: 'IP 198.51.100.7', reasons: ['a name of type “IP”, not a host name'] },
  { name: 'email a@bank.com', reasons: ['a name of type “email”, not a host name'] },
])('the reasons why $name is suspicious are $reasons', ({ name, reasons }) => {
  expect(findNameProblems(toName(name))).toEqual(reasons)
})

it.each([
  ...['*', '*.*.bank.com', 'w*.bank.com', 'a_b.bank.com', 'a..bank.com', 'bank.com.', '-a.com', ''],
  ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`, 'bank\u202emoc', 'ba\u200bnk.com', 'bänk.com'],
  ...['a b.com', '<!everyone>', 'a,b.com'],
])('include that it isn’t a host name: %j', (value) => {
  expect(findNameProblems({ kind: 'DNS', text: value })[0]).toMatch(/^not a host name/)
})

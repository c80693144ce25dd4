import { expect, it } from 'vitest'
import { findNameProblems } from '../../../../src/features/cert-orders/rules/csr/suspicious-names.ts'

const toName = (text: string) => {
  const [kind = '', ...rest] = text.split(' ')
  return { kind, text: rest.join(' ') }
}

const WILDCARD = 'a wildcard for every name directly below it'
const NOT_PUBLIC = 'not under a public top-level domain'
const everyones = (suffix: string) =>
  `a wildcard over a public suffix: it covers everyone’s names under ${suffix}`

it.each<[name: string, ...reasons: string[]]>([
  ['DNS shop.bank.com'],
  ['DNS Shop.Bank.co.uk'],
  ['DNS *.bank.com', 'a wildcard over a whole registered domain for every name directly below it'],
  ['DNS *.shop.bank.com', WILDCARD],
  ['DNS *.com', everyones('com')],
  ['DNS *.github.io', everyones('github.io')],
  ['DNS co.uk', 'a public suffix, where anyone can register names'],
  ['DNS localhost', NOT_PUBLIC],
  ['DNS nas.local', NOT_PUBLIC],
  ['DNS 192.0.2.1', 'an IP address written as a host name'],
  ['DNS xn--a.de', 'invalid punycode'],
  ['DNS xn--80ak6aa92e.com', 'punycode: browsers may show аррӏе.com, whose letters can look like others'],
  ['IP 198.51.100.7', 'a name of type “IP”, not a host name'],
  ['email a@bank.com', 'a name of type “email”, not a host name'],
])('the reasons why %s is suspicious: %s', (name, ...reasons) => {
  expect(findNameProblems(toName(name))).toEqual(reasons)
})

it.each([
  ...['*', '*.*.bank.com', 'w*.bank.com', 'a_b.bank.com', 'a..bank.com', 'bank.com.', '-a.com', ''],
  ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`, 'bank\u202emoc', 'ba\u200bnk.com', 'bänk.com'],
  ...['a b.com', '<!everyone>', 'a,b.com'],
])('include that it isn’t a host name: %j', (value) => {
  expect(findNameProblems({ kind: 'DNS', text: value })[0]).toMatch(/^not a host name/)
})

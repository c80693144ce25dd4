import { expect, it } from 'vitest'
import { DEFAULT_POLICY } from '../../../../src/features/cert-orders/policy.ts'
import type { Ruled } from '../../../../src/features/cert-orders/rules/conditions.ts'
import { parseRules, policyFor } from '../../../../src/features/cert-orders/rules/rules.ts'
import { seeded, seedOf } from '../../../random.ts'

/** A request as a person would describe it. */
interface Plain {
  action: 'create' | 'renew'
  /** Hosts alone: the common name, where there is one, and the alternatives. */
  commonName: string | undefined
  hosts: string[]
  months: number
  /** Undefined where nobody here knows as what the certificate was ordered. */
  product: string | undefined
}

type Question =
  | { asks: 'action'; value: string }
  | { asks: 'product'; value: string }
  | { asks: 'months'; value: number }
  | { asks: 'all under' | 'any under'; value: string }
  | { asks: 'wildcard' }

interface PlainRule {
  says: { kind: 'deny' } | { kind: 'approve' } | { kind: 'approvals'; count: number }
  questions: (Question & { not: boolean })[]
}

const SEED = seedOf()
const { below, oneOf, next } = seeded(SEED)
const PRODUCTS = ['101', '102', '103']
const SUFFIXES = ['corp.example', 'bank.example', 'example', 'eu.corp.example']
const MONTHS = [1, 6, 12, 24, 36]

function anyHost(): string {
  const host = `${oneOf(['shop', 'www', 'a.b', 'corp', 'bank'])}.${oneOf([...SUFFIXES, 'evil.test', 'evilbank.example'])}`
  const wild = next()
  if (wild < 0.12) return `*.${host}`
  if (wild < 0.2) return host.replace(/^./, (first) => `${first}*`)
  return wild < 0.25 ? host.toUpperCase() : host
}

function anyRequest(): Plain {
  const action = oneOf(['create', 'renew'] as const)
  return {
    action,
    commonName: next() < 0.7 ? anyHost() : undefined,
    hosts: Array.from({ length: 1 + below(3) }, anyHost),
    months: oneOf(MONTHS),
    product: action === 'renew' && next() < 0.4 ? undefined : oneOf(PRODUCTS),
  }
}

function anyQuestion(): Question {
  switch (below(6)) {
    case 0:
      return { asks: 'action', value: oneOf(['create', 'renew']) }
    case 1:
      return { asks: 'product', value: oneOf(PRODUCTS) }
    case 2:
      return { asks: 'months', value: oneOf(MONTHS) }
    case 3:
      return { asks: 'wildcard' }
    default:
      return { asks: oneOf(['all under', 'any under'] as const), value: oneOf(SUFFIXES) }
  }
}

const anyRule = (): PlainRule => ({
  says: oneOf([
    { kind: 'deny' },
    { kind: 'deny' },
    { kind: 'approve' },
    { kind: 'approvals', count: 1 + below(4) },
  ] as const),
  questions: Array.from({ length: 1 + below(2) }, () => ({ ...anyQuestion(), not: next() < 0.3 })),
})

/** In the several ways in which people write the same. */
const writtenMonths = (months: number): string =>
  months % 12 === 0
    ? oneOf([
        `${months} months`,
        `${months / 12} year${months === 12 ? '' : 's'}`,
        `${(months / 12) * 365} days`,
      ])
    : oneOf([`${months} months`, `${months} Month`])

function written({ says, questions }: PlainRule): string {
  const verdict =
    says.kind === 'deny' ? 'deny "No."' : says.kind === 'approve' ? 'approve' : `approvals ${says.count}`
  const conditions = questions.map((one) => {
    const not = one.not ? 'not ' : ''
    if (one.asks === 'wildcard') return `${not}wildcard`
    if (one.asks === 'months') return `${not}duration ${writtenMonths(one.value)}`
    const words = {
      action: 'action',
      product: 'product',
      'all under': 'names under',
      'any under': 'any name under',
    }
    return `${not}${words[one.asks]} ${one.value}`
  })
  return `${verdict} if ${conditions.join(', ')}`
}

const asOrder = ({ action, commonName, hosts, months, product }: Plain): Ruled => ({
  environment: 'production',
  request: {
    action,
    csr: 'pem',
    duration: writtenMonths(months),
    ...(action === 'create' ? { productId: product } : { certificateId: '55' }),
  },
  csr: {
    subject: commonName === undefined ? 'O=Example\\, Inc.' : `O=Example\\, Inc., CN=${commonName}`,
    names: hosts.map((host) => `DNS ${host}`),
    key: 'EC P-256',
    signature: 'ECDSA',
    warnings: [],
    extensions: [],
    attributes: [],
    look: { total: 0, first: [] },
  },
  names: {},
  ...(action === 'renew' && product !== undefined && { renewed: { productId: product } }),
})

const isUnder = (host: string, suffix: string): boolean =>
  host.toLowerCase() === suffix || host.toLowerCase().endsWith(`.${suffix}`)

/** Whether a rule is about a request of this product, read as it is written. */
function isAbout({ says, questions }: PlainRule, request: Plain, product: string): boolean {
  const names = [...(request.commonName === undefined ? [] : [request.commonName]), ...request.hosts]
  // What approves has to be so of every name.
  const ofSome = (test: (host: string) => boolean, not: boolean): boolean =>
    says.kind === 'approve' && !not ? names.every(test) : names.some(test)
  return questions.every((one) => {
    const is = (): boolean => {
      switch (one.asks) {
        case 'action':
          return request.action === one.value
        case 'product':
          return product === one.value
        case 'months':
          return request.months === one.value
        case 'wildcard':
          return ofSome((host) => host.includes('*'), one.not)
        case 'all under':
          return names.every((host) => isUnder(host, one.value))
        case 'any under':
          return ofSome((host) => isUnder(host, one.value), one.not)
      }
    }
    return is() !== one.not
  })
}

const DENIED = 99
const POLICY = { ...DEFAULT_POLICY, approvals: 2, direct: true }

/** How many approvals the first rule that is about it wants, for a request of this product. */
function asRead(rules: readonly PlainRule[], request: Plain, product: string): number {
  const rule = rules.find((one) => isAbout(one, request, product))
  if (!rule) return POLICY.approvals
  return rule.says.kind === 'deny' ? DENIED : rule.says.kind === 'approve' ? 0 : rule.says.count
}

it(`rules are never more lenient than they read (seed ${SEED})`, () => {
  const requests = Array.from({ length: 300 }, anyRequest)
  const sets = Array.from({ length: 40 }, () => Array.from({ length: 1 + below(4) }, anyRule))
  let asStrict = 0
  let stricter = 0
  for (const set of sets) {
    const text = set.map(written).join('\n')
    expect(parseRules(text).faults).toEqual([])
    for (const request of requests) {
      // What nobody knows may be any product, and the strictest reading of all has to hold.
      const products = request.product === undefined ? [...PRODUCTS, 'another'] : [request.product]
      const read = Math.max(...products.map((product) => asRead(set, request, product)))
      const { denied, approvals } = policyFor({ ...POLICY, rules: text }, asOrder(request))
      const found = denied === undefined ? approvals : DENIED
      expect(found, `${text}\n${JSON.stringify(request)}`).toBeGreaterThanOrEqual(read)
      if (found === read) asStrict += 1
      else stricter += 1
    }
  }
  expect(asStrict + stricter).toBe(12_000)
  // Stricter only where a rule is about some of the names, a wildcard may stand for one, or a product is not known.
  expect(stricter / 12_000).toBeLessThan(0.25)
})

import { describe, expect, it } from 'vitest'
import { type OrderStep, transition } from '../../../../src/features/cert-orders/lifecycle.ts'
import { requested } from '../../../../src/features/cert-orders/new-order.ts'
import type { Order } from '../../../../src/features/cert-orders/order.ts'
import { DEFAULT_POLICY, type OrderPolicy } from '../../../../src/features/cert-orders/policy.ts'
import type { Ruled } from '../../../../src/features/cert-orders/rules/conditions.ts'
import { decidingRule, parseRules, policyFor } from '../../../../src/features/cert-orders/rules/rules.ts'
import { seeded, seedOf } from '../../../random.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

const ordered = (
  more: {
    subject?: string
    names?: string[]
    key?: string
    request?: object
    product?: string
    renewed?: Ruled['renewed']
    environment?: 'ote'
  } = {},
): Ruled => ({
  environment: more.environment ?? 'production',
  request: {
    action: 'create',
    csr: 'pem',
    duration: '1 year',
    productId: '101',
    organizationId: '7001',
    ...more.request,
  },
  csr: {
    subject: more.subject ?? '',
    names: more.names ?? ['DNS shop.bank.com'],
    key: more.key ?? 'EC P-256',
    signature: 'ECDSA',
    warnings: [],
    extensions: [],
    attributes: [],
    look: { total: 0, first: [] },
  },
  names: { product: more.product ?? 'One name' },
  renewed: more.renewed,
})

/** Whether a rule of this verdict that asks this decides about the order. */
const decides = (verdict: string, condition: string, order: Ruled): boolean => {
  const { rules, faults } = parseRules(`${verdict} if ${condition}`)
  expect(faults).toEqual([])
  return decidingRule(rules, order, 1) !== undefined
}
const matches = (condition: string, order: Ruled): boolean => decides('approvals 2', condition, order)

describe('a condition', () => {
  it.each([
    { condition: 'action create', order: ordered(), is: true },
    { condition: 'action renew or reissue', order: ordered(), is: false },
    { condition: 'product 101', order: ordered(), is: true },
    { condition: 'product "one NAME"', order: ordered(), is: true },
    { condition: 'organization 7001 or 7002', order: ordered(), is: true },
    { condition: 'duration "2 years"', order: ordered({ request: { duration: '2 years' } }), is: true },
    { condition: 'environment ote', order: ordered({ environment: 'ote' }), is: true },
    { condition: 'key RSA', order: ordered({ key: 'RSA 2048 bits' }), is: true },
    { condition: 'key RSA', order: ordered(), is: false },
    { condition: 'names under bank.com', order: ordered(), is: true },
    {
      condition: 'names under bank.com',
      order: ordered({ names: ['DNS bank.com', 'DNS a.b.bank.com'] }),
      is: true,
    },
    { condition: 'names under bank.com', order: ordered({ names: ['DNS evilbank.com'] }), is: false },
    {
      condition: 'names under bank.com',
      order: ordered({ names: ['DNS a.bank.com', 'IP 192.0.2.1'] }),
      is: false,
    },
    {
      condition: 'any name under evil.net',
      order: ordered({ names: ['DNS a.com', 'DNS b.evil.net'] }),
      is: true,
    },
    {
      condition: 'names under *.bank.com or shop.net',
      order: ordered({ names: ['DNS a.bank.com', 'DNS shop.net'] }),
      is: true,
    },
    { condition: 'wildcard', order: ordered({ names: ['DNS *.bank.com'] }), is: true },
    { condition: 'not wildcard', order: ordered(), is: true },
    { condition: 'product 101, not wildcard, key EC', order: ordered(), is: true },
    { condition: 'product 101, wildcard', order: ordered(), is: false },
  ])('$condition: $is', ({ condition, order, is }) => {
    expect(matches(condition, order)).toBe(is)
  })
})

const renewal = (renewed?: Ruled['renewed']): Ruled =>
  ordered({ request: { action: 'renew', productId: undefined, certificateId: '55' }, renewed })

describe('rules see', () => {
  it.each([
    { what: 'a wildcard in the subject alone', order: ordered({ subject: 'CN=*.corp.example', names: [] }) },
    { what: 'a wildcard within a label', order: ordered({ names: ['DNS w*.corp.example'] }) },
    { what: 'a wildcard behind a plain name', order: ordered({ names: ['DNS a.b.com', 'DNS *.b.com'] }) },
    {
      what: 'a wildcard in another name of the subject',
      order: ordered({ subject: 'O=A\\, B+CN=a.b.com, CN=*.b.com' }),
    },
    { what: 'a subject that cannot be read', order: ordered({ subject: 'CN=#1e021234' }) },
  ])('$what', ({ order }) => {
    expect(decides('deny "No."', 'wildcard', order)).toBe(true)
    expect(decides('approve', 'not wildcard', order)).toBe(false)
  })

  it.each([
    { what: 'the common name beside the alternatives', order: ordered({ subject: 'CN=login.evil.example' }) },
    { what: 'a common name that ends like it', order: ordered({ subject: 'CN=evilbank.com' }) },
    { what: 'a wildcard that covers it and others', order: ordered({ names: ['DNS *.com'] }) },
    { what: 'an address beside it', order: ordered({ names: ['DNS bank.com', 'IP 192.0.2.1'] }) },
    { what: 'a common name with a port', order: ordered({ subject: 'CN=shop.bank.com:443' }) },
    { what: 'no names at all', order: ordered({ names: [] }) },
  ])('$what: not all names are under it', ({ order }) => {
    expect(decides('deny "No."', 'not names under bank.com', order)).toBe(true)
    expect(decides('approve', 'names under bank.com', order)).toBe(false)
    expect(decides('approve', 'any name under bank.com', order)).toBe(false)
  })

  it.each([
    'DNS *.evil.net',
    'DNS *.net',
    'DNS EVIL.net.',
    'DNS ｅｖｉｌ.net',
    'e-mail ann@evil.net',
    'URL https://a.evil.net/',
    'other-name 0c0568656c6c6f',
  ])('that %s may be under a suffix that is denied', (name) => {
    const order = ordered({ names: ['DNS shop.bank.com', name] })
    expect(decides('deny "No."', 'any name under evil.net', order)).toBe(true)
  })

  it.each([
    '2 years',
    '24 months',
    '24 Months',
    '730 days',
    '1 year 12 months',
    '2 yrs',
    '104 weeks',
    'P2Y',
    'two years',
  ])('that %s is or may be two years', (duration) => {
    const order = ordered({ request: { duration } })
    expect(decides('deny "Too long."', 'duration 2 years', order)).toBe(true)
  })

  it('that a year is not two, and approve only what certainly is as long', () => {
    const lasting = (duration: string) => ordered({ request: { duration } })
    expect(decides('deny "Too long."', 'duration 2 years', lasting('12 months'))).toBe(false)
    expect(decides('approve', 'duration 1 year or 24 months', lasting('730 days'))).toBe(true)
    expect(decides('approve', 'duration 1 year', lasting('366 days'))).toBe(false)
    expect(decides('approve', 'duration 1 year', lasting('a year'))).toBe(false)
  })

  it('the product of what is renewed, and deny where it is not known', () => {
    const wild = { productId: '102', product: 'Wildcard' }
    expect(decides('deny "No."', 'product 102', renewal(wild))).toBe(true)
    expect(decides('deny "No."', 'product wildcard', renewal(wild))).toBe(true)
    expect(decides('deny "No."', 'product 101', renewal(wild))).toBe(false)
    expect(decides('deny "No."', 'product 102', renewal())).toBe(true)
    expect(decides('deny "No."', 'not product 101', renewal())).toBe(true)
    expect(decides('approve', 'product 102', renewal())).toBe(false)
    expect(decides('approve', 'not product 102', renewal())).toBe(false)
  })

  it('say so of an order that is denied because it is not known', () => {
    const text = 'deny "No wildcard product." if product 102'
    expect(policyFor(policy(text), renewal()).denied).toContain('is not known here')
    expect(policyFor(policy(text), renewal({ productId: '102' })).denied).toBe('No wildcard product.')
  })

  it('that a rule about some of the names is about the order where it is the stricter one', () => {
    const mixed = ordered({ names: ['DNS a.test.example', 'DNS shop.bank.com'] })
    const under = (rules: string): number => policyFor(policy(rules, { approvals: 2 }), mixed).approvals
    expect(under('approvals 1 if any name under test.example')).toBe(2)
    expect(under('approvals 3 if any name under bank.com')).toBe(3)
    expect(under('approvals 1 if any name under test.example\napprovals 4 always')).toBe(4)
  })
})

it('rules of which a line cannot be read let nothing through', () => {
  expect(policyFor(policy('approve if names under bank.com\nallow always'), ordered()).denied).toContain(
    'Line 2',
  )
})

describe('a text of rules', () => {
  it.each([
    { text: 'allow if wildcard', why: 'it begins with' },
    { text: 'deny if wildcard', why: 'it begins with' },
    { text: 'approvals 9 if wildcard', why: 'approvals are from 1 to 5' },
    { text: 'approvals 0 if wildcard', why: 'approvals are from 1 to 5' },
    { text: 'approve if frobnicated', why: '“frobnicated” is no condition' },
    { text: 'approve if product', why: '“product” is no condition' },
    { text: 'approve if wildcard 3', why: '“wildcard 3” is no condition' },
    { text: 'approve if constructor x', why: 'is no condition' },
    { text: 'approve if duration 2 yeers', why: '“duration 2 yeers” is no condition' },
    { text: 'approve if names under *', why: '“names under *” is no condition' },
  ])('$text: $why', ({ text, why }) => {
    expect(parseRules(`# a comment\n\n${text}`).faults).toEqual([
      { line: 3, why: expect.stringContaining(why) },
    ])
  })

  it('is read top down, and the first that matches decides', () => {
    const text = 'deny “No wildcards.” if wildcard\r\napprovals 2 if names under bank.com\napprove always'
    const { rules, faults } = parseRules(text)
    expect(faults).toEqual([])
    const lineOf = (names: string[]): number | undefined =>
      decidingRule(rules, ordered({ names }), 1)?.rule.line
    expect([lineOf(['DNS *.bank.com']), lineOf(['DNS a.bank.com']), lineOf(['DNS a.net'])]).toEqual([1, 2, 3])
  })
})

const policy = (rules: string, more: Partial<OrderPolicy> = {}): OrderPolicy => ({
  ...DEFAULT_POLICY,
  ...more,
  rules,
})

describe('the policy for one order', () => {
  it('is that of the workspace where no rule is about it', () => {
    expect(policyFor(DEFAULT_POLICY, ordered())).toBe(DEFAULT_POLICY)
    expect(policyFor(policy('approvals 3 if wildcard'), ordered())).toMatchObject({ approvals: 1 })
  })

  it.each([
    { rules: 'approvals 3 always', direct: false, is: { approvals: 3 } },
    { rules: 'deny "Not here." always', direct: true, is: { denied: 'Not here.' } },
    { rules: 'approve always', direct: false, is: { approvals: 1 } },
    { rules: 'approve always', direct: true, is: { approvals: 0 } },
  ])('$rules, own orders count: $direct', ({ rules, direct, is }) => {
    expect(policyFor(policy(rules, { approvals: 2, direct }), ordered())).toMatchObject({
      ...is,
      rule: { line: 1, text: rules },
    })
  })
})

/** A waiting order of U1. */
function waiting(): Order {
  const { environment, ...wish } = ordered()
  const where = { workspaceId: 'T1', enterpriseId: undefined, environment }
  const asked = requested({ where, by: 'U1', ...wish, bodyHash: 'h', policy: DEFAULT_POLICY, now: NOW })
  return { ...asked, id: 'i', number: 1, version: 1, updatedAt: NOW, cards: [] }
}

it('a rule that denies keeps everybody from approving', () => {
  const rules = { ...policyFor(policy('deny "No." always'), ordered()), now: NOW }
  const approve: OrderStep = { kind: 'approve', by: 'U2', hash: 'h', holders: new Set(['U2']) }
  expect(transition(waiting(), approve, rules)).toEqual({ refusal: 'denied' })
  expect(transition(waiting(), { kind: 'allow' }, rules)).toEqual({ refusal: 'denied' })
})

const SEED = seedOf()

it(`no set of rules lets the requester order alone under four eyes (seed ${SEED})`, () => {
  const { below, oneOf } = seeded(SEED)
  const verdicts = ['approve', 'approvals 1', 'approvals 2', 'deny "No."']
  const conditions = [
    'always',
    'if product 101',
    'if wildcard',
    'if not wildcard, key EC',
    'if names under bank.com',
  ]
  const holders = new Set(['U1', 'U2', 'U3'])
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 1 + below(4) }, () => `${oneOf(verdicts)} ${oneOf(conditions)}`).join(
      '\n',
    )
    const rules = {
      ...policyFor(policy(text, { approvals: 1 + below(3), direct: false }), ordered()),
      now: NOW,
    }
    let order = waiting()
    const steps: OrderStep[] = [
      { kind: 'allow' },
      { kind: 'approve', by: 'U1', hash: 'h', holders },
      {
        kind: 'edit',
        by: 'U1',
        hash: 'h',
        request: order.content.request,
        names: {},
        nextHash: 'h',
        fields: [],
        holders,
      },
      { kind: 'allow' },
    ]
    for (const step of steps) {
      const made = transition(order, step, rules)
      if ('next' in made) order = made.next
    }
    expect(order.state, text).toBe('awaiting')
  }
})

it('a rule sends at once only where own orders count', () => {
  const rules = { ...policyFor(policy('approve if product 101', { direct: true }), ordered()), now: NOW }
  expect(transition(waiting(), { kind: 'allow' }, rules)).toMatchObject({
    next: { state: 'submitting', content: { submission: { by: 'U1', rule: { line: 1 } } } },
  })
})

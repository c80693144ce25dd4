import { describe, expect, it } from 'vitest'
import { type Csr, readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import type { KeyKind } from '../../../../src/features/cert-orders/rules/csr/key.ts'
import { readDays } from '../../../../src/features/cert-orders/rules/duration.ts'
import {
  type OrderName,
  orderNames,
  readDomain,
} from '../../../../src/features/cert-orders/rules/host-names.ts'
import {
  findDomains,
  type Judgement,
  judge,
  type PolicyInput,
} from '../../../../src/features/cert-orders/rules/judge.ts'
import {
  DEFAULT_POLICY,
  maxApprovals,
  ORDER_POLICY,
  type OrderPolicy,
} from '../../../../src/features/cert-orders/rules/policy.ts'
import { seeded, seedOf } from '../../../random.ts'
import { alternativeNames, host, requestOf, subjectOf } from '../csr/request-of.ts'

const SEED = seedOf()

const csrOf = (commonName: string, ...names: string[]): Csr => {
  const read = readCsr(
    requestOf({
      subject: subjectOf(['2.5.4.3', commonName]),
      extensions: [alternativeNames(...names.map(host))],
    }).toString('base64'),
  )
  if ('problem' in read) throw new Error(read.problem)
  return read.csr
}

const order = (more: Partial<PolicyInput> = {}): PolicyInput => ({
  environment: 'production',
  names: orderNames(csrOf('www.bank.example', 'www.bank.example')),
  key: { other: 'P-256' },
  duration: '1 year',
  productId: '101',
  customerId: undefined,
  isUnusual: false,
  ...more,
})

const policy = (more: Partial<OrderPolicy> = {}): OrderPolicy => ({ ...DEFAULT_POLICY, ...more })

describe('an order policy', () => {
  it('allows an ordinary order with the required approvals', () => {
    expect(judge(order(), policy({ approvals: 2 }))).toEqual({ is: 'allow', approvals: 2, because: [] })
  })

  it('uses the parsed common name, not one inside another attribute', () => {
    const read = readCsr(
      requestOf({
        subject: subjectOf(['2.5.4.10', 'Bank, CN=www.bank.example'], ['2.5.4.3', 'login.evil.example']),
      }).toString('base64'),
    )
    if ('problem' in read) throw new Error(read.problem)
    expect(judge(order({ names: orderNames(read.csr) }), policy({ domains: ['bank.example'] }))).toEqual({
      is: 'deny',
      because: ['login.evil.example isn’t under an allowed domain (bank.example).'],
    })
  })

  it.each([
    { name: 'bank.example', isAllowed: true },
    { name: 'www.bank.example', isAllowed: true },
    { name: 'WWW.BANK.EXAMPLE.', isAllowed: true },
    { name: '*.bank.example', isAllowed: true },
    { name: 'evilbank.example', isAllowed: false },
    { name: 'bank.example.evil.example', isAllowed: false },
    { name: 'example', isAllowed: false },
    { name: 'w*.bank.example', isAllowed: false },
    { name: '*.*.bank.example', isAllowed: false },
    { name: 'a b.bank.example', isAllowed: false },
  ])('allows or denies $name with the domain bank.example: $isAllowed', ({ name, isAllowed }) => {
    const judged = judge(
      order({ names: orderNames(csrOf(name, name)) }),
      policy({ domains: ['bank.example'] }),
    )
    expect(judged.is).toBe(isAllowed ? 'allow' : 'deny')
  })

  it('gives every reason for a denial, and for more approvals', () => {
    const names = orderNames(csrOf('*.evil.example', '*.evil.example'))
    const strict = policy({
      domains: ['bank.example'],
      wildcards: 'no',
      products: ['301'],
      customers: [7],
      maxDays: 90,
      keys: { rsaFrom: 3072, others: [] },
    })
    expect(judge(order({ names, key: { rsaBits: 2048 } }), strict)).toEqual({
      is: 'deny',
      because: [
        '*.evil.example isn’t under an allowed domain (bank.example).',
        'Wildcards aren’t allowed: *.evil.example.',
        'Product 101 isn’t allowed.',
        'Give a customer ID: only 7 is allowed.',
        '1 year is longer than the 90 days allowed.',
        'An RSA key with 2048 bits is too short. Use RSA with at least 3072 bits.',
      ],
    })
    const extra = policy({ wildcards: 'extra', extra: { newDomain: true, unusual: true, overDays: 90 } })
    expect(judge(order({ names, isUnusual: true }), extra, ['*.evil.example'])).toEqual({
      is: 'allow',
      approvals: 5,
      because: [
        '5 approvals instead of 1, because it has a wildcard (*.evil.example); and because it’s valid for more than 90 days (1 year); and because no order for *.evil.example was placed before; and because the request needs a look.',
      ],
    })
    expect(judge(order({ names }), { ...extra, approvals: 5 }, [])).toMatchObject({
      approvals: 5,
      because: [expect.stringMatching(/^5 approvals \(the maximum\), because it has a wildcard/)],
    })
  })

  it('requires one approval in OTE if configured, and allows nothing more there', () => {
    const ote = policy({ approvals: 3, wildcards: 'no', ote: 'one-approval' })
    expect(judge(order({ environment: 'ote' }), ote)).toMatchObject({ approvals: 1 })
    const names = orderNames(csrOf('*.a.example', '*.a.example'))
    expect(judge(order({ environment: 'ote', names }), ote).is).toBe('deny')
  })

  it('doesn’t derive a domain from two labels', () => {
    const names = orderNames(csrOf('evil.co.uk', 'evil.co.uk'))
    expect(findDomains(names, { domains: [] })).toEqual(new Set(['evil.co.uk']))
    const under = orderNames(csrOf('a.shop.example', 'b.shop.example'))
    expect(findDomains(under, { domains: ['shop.example'] })).toEqual(new Set(['shop.example']))
    expect(findDomains(orderNames(csrOf('*.a.example')), { domains: [] })).toEqual(new Set(['*.a.example']))
  })

  it('denies every order if it can’t be parsed', () => {
    for (const broken of [
      {},
      { ...DEFAULT_POLICY, domains: ['prod', 7] },
      { ...DEFAULT_POLICY, wildcards: 'maybe' },
      7,
    ])
      expect(judge(order(), ORDER_POLICY.read(broken))).toEqual({
        is: 'deny',
        because: ['P-256 keys aren’t allowed. The policy allows no keys.'],
      })
    expect(ORDER_POLICY.read(undefined)).toEqual(DEFAULT_POLICY)
    expect(ORDER_POLICY.read(JSON.parse(JSON.stringify(DEFAULT_POLICY)))).toEqual(DEFAULT_POLICY)
  })

  it('can ask for at most five approvals', () => {
    const all = { newDomain: true, unusual: true, overDays: 1 }
    expect(maxApprovals(policy())).toBe(1)
    expect(maxApprovals(policy({ wildcards: 'extra', extra: all }))).toBe(5)
    expect(maxApprovals(policy({ approvals: 4, extra: all }))).toBe(5)
  })
})

describe('the validity period of a product', () => {
  it.each([
    ['1 year', 366],
    ['2 Years', 732],
    ['1 year 6 months', 552],
    ['90 days', 90],
    ['12  months', 372],
    ['1,000 days', undefined],
    ['1.5 years', undefined],
    ['banana', undefined],
    ['1year', undefined],
    ['0 days', undefined],
    ['-1 year', undefined],
    ['1 constructor', undefined],
    ['', undefined],
  ])('is read from %j as %s days', (typed, days) => {
    expect(readDays(typed)).toBe(days)
  })
})

it.each([
  ['Bank.Example', 'bank.example'],
  ['.bank.example', 'bank.example'],
  ['*.bank.example', 'bank.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['example', undefined],
  ['bank example', undefined],
  ['192.0.2.1', undefined],
  ['w*.bank.example', undefined],
])('reads the domain %j as %s', (typed, domain) => {
  expect(readDomain(typed)).toBe(domain)
})

const MANY = 4000

it(`checks ${MANY} names against 500 domains without comparing every pair`, () => {
  const names = Array.from({ length: MANY }, (_, at): OrderName => {
    const text = `h${at}.d${at % 500}.bank.example`
    return { kind: 'host', text, host: text, isWildcard: false }
  })
  const asked: string[] = []
  const domains = Array.from({ length: 500 }, (_, at) => `d${at}.bank.example`)
  // Counts lookups instead of measuring time, which depends on the machine.
  const counted = new Proxy(domains, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) asked.push(key)
      return Reflect.get(target, key)
    },
  })
  expect(judge(order({ names }), policy({ domains: counted })).is).toBe('allow')
  expect(asked.length).toBeLessThan(5 * domains.length)
})

const BASES = ['bank.example', 'shop.example', 'co.uk', 'a.b.example', 'xn--bcher-kva.example']
const NAMES = ['', 'www.', '*.', 'evil', '*', 'a.b.', 'WWW.', 'x_y.', '*.www.']
const ENDS = [...BASES, 'evil.example', 'example', 'com', '192.0.2.1', 'bank.example.', 'bank..example']
const DURATIONS = [
  '1 year',
  '90 days',
  '13 months',
  '1,000 days',
  'banana',
  '2 years',
  '398 days',
  '52 weeks',
]
const KEYS: readonly KeyKind[] = [
  { rsaBits: 2048 },
  { rsaBits: 3072 },
  { rsaBits: 4096 },
  { other: 'P-256' },
  { other: 'P-384' },
  { other: 'Ed25519' },
]

function generators(random: () => number) {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const some = <T>(all: readonly T[]): T[] => (random() < 0.7 ? [] : all.filter(() => random() < 0.6))
  const anyPolicy = (): OrderPolicy =>
    policy({
      approvals: pick([1, 1, 2, 3, 5]),
      domains: some(BASES),
      wildcards: pick(['no', 'extra', 'yes']),
      otherNames: pick(['no', 'extra', 'yes']),
      products: some(['101', '102', '103']),
      customers: some([1, 2, 3]),
      ...(random() < 0.4 && { maxDays: pick([90, 200, 398]) }),
      keys: {
        ...(random() < 0.8 && { rsaFrom: pick([2048, 3072, 4096] as const) }),
        others: (['P-256', 'P-384', 'P-521', 'Ed25519'] as const).filter(() => random() < 0.7),
      },
      extra: {
        newDomain: random() < 0.4,
        unusual: random() < 0.4,
        ...(random() < 0.4 && { overDays: pick([60, 100, 300]) }),
      },
      ote: pick(['same', 'one-approval']),
    })
  const anyOrder = (): PolicyInput => {
    // Most are ordinary, so that many are allowed.
    const isPlain = random() < 0.6
    const texts = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      isPlain ? `www.${pick(BASES)}` : `${pick(NAMES)}${pick(ENDS)}`,
    )
    const others = ['IP 192.0.2.1', 'email a@bank.example'].filter(() => !isPlain && random() < 0.2)
    return order({
      environment: pick(['production', 'production', 'ote']),
      names: [
        ...orderNames(csrOf(texts[0] ?? '', ...texts.slice(1))),
        ...others.map((text): OrderName => ({ kind: 'other', text })),
      ],
      key: pick(KEYS),
      duration: isPlain ? pick(['1 year', '90 days']) : pick(DURATIONS),
      productId: pick(['101', '101', '102', '109', undefined]),
      customerId: pick([1, 2, 9, undefined]),
      isUnusual: random() < 0.3,
    })
  }
  return { pick, anyPolicy, anyOrder }
}

/** The documentation of the policy as code, sentence by sentence. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: it asks one question after the other, as the page does.
function plainly(asked: PolicyInput, rules: OrderPolicy, newDomains: readonly string[]): Judgement {
  const three = (all: readonly string[]) =>
    all.slice(0, 3).join(', ') + (all.length > 3 ? ` and ${all.length - 3} more` : '')
  const isHost = (text: string): boolean => {
    const bare = text.startsWith('*.') ? text.slice(2) : text
    const labels = bare.split('.')
    return labels.every((label) => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label)) && /[^\d.]/.test(bare)
  }
  const readable = asked.names
    .filter(({ kind, text }) => kind === 'host' && isHost(text))
    .map(({ text }) => text)
  const unread = asked.names.filter(({ kind }) => kind === 'unread').map(({ text }) => text)
  const others = asked.names.filter(({ kind }) => kind === 'other').map(({ text }) => text)
  const wild = readable.filter((text) => text.startsWith('*.'))
  const isUnder = (text: string): boolean =>
    rules.domains.some((domain) => text.replace('*.', '') === domain || text.endsWith(`.${domain}`))
  const outside = readable.filter((text) => !isUnder(text))
  const days = readDays(asked.duration)
  const no: string[] = []
  if (asked.names.length === 0) no.push('The request has no names.')
  if (rules.domains.length > 0 && outside.length > 0)
    no.push(
      `${three(outside)} ${outside.length > 1 ? 'aren’t' : 'isn’t'} under an allowed domain (${three(rules.domains)}).`,
    )
  const minds =
    rules.domains.length > 0 ||
    rules.wildcards !== 'yes' ||
    rules.otherNames !== 'yes' ||
    rules.extra.newDomain
  if (minds && unread.length === 1)
    no.push(`${unread[0]} can’t be read as a host name, so the policy can’t allow it.`)
  if (minds && unread.length > 1)
    no.push(`${three(unread)} can’t be read as host names, so the policy can’t allow them.`)
  if (rules.otherNames === 'no' && others.length > 0)
    no.push(`Only host names are allowed, and it asks for ${three(others)}.`)
  if (rules.wildcards === 'no' && wild.length > 0) no.push(`Wildcards aren’t allowed: ${three(wild)}.`)
  if (rules.products.length > 0 && asked.productId === undefined)
    no.push('The product isn’t known here, and only some products are allowed.')
  if (rules.products.length > 0 && asked.productId !== undefined && !rules.products.includes(asked.productId))
    no.push(`Product ${asked.productId} isn’t allowed.`)
  if (rules.customers.length > 0 && asked.customerId === undefined)
    no.push(
      `Give a customer ID: only ${three(rules.customers.map(String))} ${rules.customers.length > 1 ? 'are' : 'is'} allowed.`,
    )
  if (
    rules.customers.length > 0 &&
    asked.customerId !== undefined &&
    !rules.customers.includes(asked.customerId)
  )
    no.push(`Customer ${asked.customerId} isn’t allowed.`)
  if ((rules.maxDays !== undefined || rules.extra.overDays !== undefined) && days === undefined)
    no.push(`“${asked.duration}” can’t be read as a duration. Write a number and a unit, such as 1 year.`)
  if (rules.maxDays !== undefined && days !== undefined && days > rules.maxDays)
    no.push(`${asked.duration} is longer than the ${rules.maxDays} days allowed.`)
  const kinds = [
    ...(rules.keys.rsaFrom ? [`RSA with at least ${rules.keys.rsaFrom} bits`] : []),
    ...rules.keys.others,
  ]
  const use = kinds.length > 0 ? `Use ${kinds.join(', ')}.` : 'The policy allows no keys.'
  if (
    'other' in asked.key &&
    !rules.keys.others.some((one) => 'other' in asked.key && one === asked.key.other)
  )
    no.push(`${asked.key.other} keys aren’t allowed. ${use}`)
  if ('rsaBits' in asked.key && !rules.keys.rsaFrom) no.push(`RSA keys aren’t allowed. ${use}`)
  if ('rsaBits' in asked.key && rules.keys.rsaFrom && asked.key.rsaBits < rules.keys.rsaFrom)
    no.push(`An RSA key with ${asked.key.rsaBits} bits is too short. ${use}`)
  if (no.length > 0) return { is: 'deny', because: no }
  if (asked.environment === 'ote' && rules.ote === 'one-approval')
    return { is: 'allow', approvals: 1, because: [] }
  const why: string[] = []
  if (rules.otherNames === 'extra' && others.length > 0)
    why.push(
      `it asks for ${three(others)}, which ${others.length > 1 ? 'aren’t host names' : 'isn’t a host name'}`,
    )
  if (rules.wildcards === 'extra' && wild.length > 0) why.push(`it has a wildcard (${three(wild)})`)
  if (rules.extra.overDays !== undefined && days !== undefined && days > rules.extra.overDays)
    why.push(`it’s valid for more than ${rules.extra.overDays} days (${asked.duration})`)
  if (rules.extra.newDomain && newDomains.length > 0)
    why.push(`no order for ${three(newDomains)} was placed before`)
  if (rules.extra.unusual && asked.isUnusual) why.push('the request needs a look')
  if (why.length === 0) return { is: 'allow', approvals: rules.approvals, because: [] }
  const wanted = rules.approvals + why.length
  const most = wanted > 5
  return {
    is: 'allow',
    approvals: most ? 5 : wanted,
    because: [
      `${most ? '5 approvals (the maximum)' : `${wanted} approvals instead of ${rules.approvals}`}, because ${why.join('; and because ')}.`,
    ],
  }
}

it(`decides 200 policies × 200 requests as the text of the page says, seed ${SEED}`, () => {
  const { anyPolicy, anyOrder } = generators(seeded(SEED).next)
  const orders = Array.from({ length: 200 }, anyOrder)
  const policies = Array.from({ length: 200 }, anyPolicy)
  const seen = { allow: 0, deny: 0, more: 0 }
  for (const rules of policies)
    for (const [at, asked] of orders.entries()) {
      const newDomains = at % 3 === 0 ? [...findDomains(asked.names, rules)] : []
      const judged = judge(asked, rules, newDomains)
      expect(judged).toEqual(plainly(asked, rules, newDomains))
      seen[judged.is] += 1
      if (judged.is === 'allow' && judged.approvals > rules.approvals) seen.more += 1
      if (judged.is === 'allow' && rules.ote === 'same')
        expect(judged.approvals).toBeGreaterThanOrEqual(rules.approvals)
    }
  // Each kind of decision occurs.
  expect(Math.min(seen.allow, seen.deny, seen.more)).toBeGreaterThan(500)
})

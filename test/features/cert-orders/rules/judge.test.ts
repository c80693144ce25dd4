import { describe, expect, it } from 'vitest'
import { type Csr, readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import type { KeyKind } from '../../../../src/features/cert-orders/rules/csr/key.ts'
import {
  listOrderNames,
  type OrderName,
  parseDomain,
} from '../../../../src/features/cert-orders/rules/host-names.ts'
import {
  findDomains,
  type Judgment,
  judge,
  type PolicyInput,
  parseDays,
} from '../../../../src/features/cert-orders/rules/judge.ts'
import {
  computeMaxApprovals,
  DEFAULT_POLICY,
  ORDER_POLICY,
  type OrderPolicy,
} from '../../../../src/features/cert-orders/rules/policy.ts'
import { createRandom, readSeed } from '../../../random.ts'
import { alternativeNames, buildRequest, buildSubject, host } from '../csr/build-request.ts'

const SEED = readSeed()

const parseCsr = (commonName: string, ...names: string[]): Csr => {
  const result = readCsr(
    buildRequest({
      subject: buildSubject(['2.5.4.3', commonName]),
      extensions: [alternativeNames(...names.map(host))],
    }).toString('base64'),
  )
  if ('problem' in result) throw new Error(result.problem)
  return result.csr
}

const order = (overrides: Partial<PolicyInput> = {}): PolicyInput => ({
  environment: 'production',
  names: listOrderNames(parseCsr('www.bank.example', 'www.bank.example')),
  key: { other: 'P-256' },
  duration: '1 year',
  productId: '101',
  customerId: undefined,
  isUnusual: false,
  ...overrides,
})

const policy = (overrides: Partial<OrderPolicy> = {}): OrderPolicy => ({ ...DEFAULT_POLICY, ...overrides })

describe('an order policy', () => {
  it('allows an ordinary order with the required approvals', () => {
    expect(judge(order(), policy({ approvals: 2 }))).toEqual({ decision: 'allow', approvals: 2, reasons: [] })
  })

  it('uses the parsed common name, and ignores one embedded in another attribute', () => {
    const result = readCsr(
      buildRequest({
        subject: buildSubject(['2.5.4.10', 'Bank, CN=www.bank.example'], ['2.5.4.3', 'login.evil.example']),
      }).toString('base64'),
    )
    if ('problem' in result) throw new Error(result.problem)
    expect(
      judge(order({ names: listOrderNames(result.csr) }), policy({ domains: ['bank.example'] })),
    ).toEqual({
      decision: 'deny',
      reasons: ['login.evil.example isn’t under an allowed domain (bank.example).'],
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
  ])('with the allowed domain bank.example, allows $name: $isAllowed', ({ name, isAllowed }) => {
    const judged = judge(
      order({ names: listOrderNames(parseCsr(name, name)) }),
      policy({ domains: ['bank.example'] }),
    )
    expect(judged.decision).toBe(isAllowed ? 'allow' : 'deny')
  })

  it.each([
    { length: 100, shown: 100 },
    { length: 101, shown: 100 },
  ])('shows at most 100 characters of a name: of $length, $shown', ({ length, shown }) => {
    const name = `${'a'.repeat(50)}.${'b'.repeat(length - 59)}.example`
    const judged = judge(
      order({ names: listOrderNames(parseCsr(name, name)) }),
      policy({ domains: ['bank.example'] }),
    )
    const start = name.slice(0, shown)
    expect(judged.reasons).toEqual([
      `${start}${length > shown ? '…' : ''} isn’t under an allowed domain (bank.example).`,
    ])
  })

  it('lists every reason for denying an order or requiring more approvals', () => {
    const names = listOrderNames(parseCsr('*.evil.example', '*.evil.example'))
    const strict = policy({
      domains: ['bank.example'],
      wildcards: 'no',
      products: ['301'],
      customers: [7],
      maxDays: 90,
      keys: { rsaFrom: 3072, others: [] },
    })
    expect(judge(order({ names, key: { rsaBits: 2048 } }), strict)).toEqual({
      decision: 'deny',
      reasons: [
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
      decision: 'allow',
      approvals: 5,
      reasons: [
        '5 approvals instead of 1, because it has a wildcard (*.evil.example); and because it’s valid for more than 90 days (1 year); and because no earlier order for *.evil.example was received; and because the request needs a look.',
      ],
    })
    expect(judge(order({ names }), { ...extra, approvals: 5 }, [])).toMatchObject({
      approvals: 5,
      reasons: [expect.stringMatching(/^5 approvals \(the maximum\), because it has a wildcard/)],
    })
  })

  it('can require only one approval in OTE, but still denies what it denies in production', () => {
    const ote = policy({ approvals: 3, wildcards: 'no', ote: 'one-approval' })
    expect(judge(order({ environment: 'ote' }), ote)).toMatchObject({ approvals: 1 })
    const names = listOrderNames(parseCsr('*.a.example', '*.a.example'))
    expect(judge(order({ environment: 'ote', names }), ote).decision).toBe('deny')
  })

  it('doesn’t assume that the last two labels of a name are its domain', () => {
    const names = listOrderNames(parseCsr('evil.co.uk', 'evil.co.uk'))
    expect(findDomains(names, { domains: [] })).toEqual(new Set(['evil.co.uk']))
    const under = listOrderNames(parseCsr('a.shop.example', 'b.shop.example'))
    expect(findDomains(under, { domains: ['shop.example'] })).toEqual(new Set(['shop.example']))
    expect(findDomains(listOrderNames(parseCsr('*.a.example')), { domains: [] })).toEqual(
      new Set(['*.a.example']),
    )
  })

  it('denies every order if the policy can’t be parsed', () => {
    for (const broken of [
      {},
      { ...DEFAULT_POLICY, domains: ['prod', 7] },
      { ...DEFAULT_POLICY, wildcards: 'maybe' },
      7,
    ])
      expect(judge(order(), ORDER_POLICY.read(broken))).toEqual({
        decision: 'deny',
        reasons: ['P-256 keys aren’t allowed. The policy allows no keys.'],
      })
    expect(ORDER_POLICY.read(undefined)).toEqual(DEFAULT_POLICY)
    expect(ORDER_POLICY.read(JSON.parse(JSON.stringify(DEFAULT_POLICY)))).toEqual(DEFAULT_POLICY)
  })

  it('requires at most five approvals', () => {
    const all = { newDomain: true, unusual: true, overDays: 1 }
    expect(computeMaxApprovals(policy())).toBe(1)
    expect(computeMaxApprovals(policy({ wildcards: 'extra', extra: all }))).toBe(5)
    expect(computeMaxApprovals(policy({ approvals: 4, extra: all }))).toBe(5)
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
  ])('is parsed from %j as %s days', (typed, days) => {
    expect(parseDays(typed)).toBe(days)
  })
})

it.each([
  ['Bank.Example', 'bank.example'],
  ['.bank.example', 'bank.example'],
  ['*.bank.example', 'bank.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['example', undefined],
  ['bank example', undefined],
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2', undefined],
  ['w*.bank.example', undefined],
])('parses the domain %j as %s', (typed, domain) => {
  expect(parseDomain(typed)).toBe(domain)
})

const MANY = 4000

it(`checks ${MANY} names against 500 domains without comparing each name with each domain`, () => {
  const names = Array.from({ length: MANY }, (_, index): OrderName => {
    const text = `h${index}.d${index % 500}.bank.example`
    return { kind: 'host', text, host: text, isWildcard: false }
  })
  const lookups: string[] = []
  const domains = Array.from({ length: 500 }, (_, index) => `d${index}.bank.example`)
  // Counts lookups instead of measuring time, which depends on the machine.
  const countingDomains = new Proxy(domains, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) lookups.push(key)
      return Reflect.get(target, key)
    },
  })
  expect(judge(order({ names }), policy({ domains: countingDomains })).decision).toBe('allow')
  expect(lookups.length).toBeLessThan(5 * domains.length)
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
  const pickSome = <T>(all: readonly T[]): T[] => (random() < 0.7 ? [] : all.filter(() => random() < 0.6))
  const anyPolicy = (): OrderPolicy =>
    policy({
      approvals: pick([1, 1, 2, 3, 5]),
      domains: pickSome(BASES),
      wildcards: pick(['no', 'extra', 'yes']),
      otherNames: pick(['no', 'extra', 'yes']),
      products: pickSome(['101', '102', '103']),
      customers: pickSome([1, 2, 3]),
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
    // Most orders are ordinary, so that many are allowed.
    const isPlain = random() < 0.6
    const texts = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      isPlain ? `www.${pick(BASES)}` : `${pick(NAMES)}${pick(ENDS)}`,
    )
    const others = ['IP 192.0.2.1', 'email a@bank.example'].filter(() => !isPlain && random() < 0.2)
    return order({
      environment: pick(['production', 'production', 'ote']),
      names: [
        ...listOrderNames(parseCsr(texts[0] ?? '', ...texts.slice(1))),
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

/** Implements the documentation of the policy sentence by sentence, to compare `judge` with it. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: checks the rules in the documented order
function judgeByDocumentation(
  input: PolicyInput,
  rules: OrderPolicy,
  newDomains: readonly string[],
): Judgment {
  const joinThree = (all: readonly string[]) =>
    all.slice(0, 3).join(', ') + (all.length > 3 ? `, and ${all.length - 3} more` : '')
  const isHost = (text: string): boolean => {
    const bare = text.startsWith('*.') ? text.slice(2) : text
    const labels = bare.split('.')
    return labels.every((label) => /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label)) && /[^\d.]/.test(bare)
  }
  const readable = input.names
    .filter(({ kind, text }) => kind === 'host' && isHost(text))
    .map(({ text }) => text)
  const unrecognized = input.names.filter(({ kind }) => kind === 'unrecognized').map(({ text }) => text)
  const others = input.names.filter(({ kind }) => kind === 'other').map(({ text }) => text)
  const wildcards = readable.filter((text) => text.startsWith('*.'))
  const isUnder = (text: string): boolean =>
    rules.domains.some((domain) => text.replace('*.', '') === domain || text.endsWith(`.${domain}`))
  const outside = input.names
    .filter(({ kind, text }) => kind === 'other' || (kind === 'host' && isHost(text) && !isUnder(text)))
    .map(({ text }) => text)
  const days = parseDays(input.duration)
  const refusals: string[] = []
  if (input.names.length === 0) refusals.push('The request has no names.')
  if (rules.domains.length > 0 && outside.length > 0)
    refusals.push(
      `${joinThree(outside)} ${outside.length > 1 ? 'aren’t' : 'isn’t'} under an allowed domain (${joinThree(rules.domains)}).`,
    )
  const limitsNames =
    rules.domains.length > 0 ||
    rules.wildcards !== 'yes' ||
    rules.otherNames !== 'yes' ||
    rules.extra.newDomain
  if (limitsNames && unrecognized.length === 1)
    refusals.push(`${unrecognized[0]} can’t be read as a host name, so the policy can’t allow it.`)
  if (limitsNames && unrecognized.length > 1)
    refusals.push(`${joinThree(unrecognized)} can’t be read as host names, so the policy can’t allow them.`)
  if (rules.otherNames === 'no' && others.length > 0)
    refusals.push(`Only host names are allowed, and it asks for ${joinThree(others)}.`)
  if (rules.wildcards === 'no' && wildcards.length > 0)
    refusals.push(`Wildcards aren’t allowed: ${joinThree(wildcards)}.`)
  if (rules.products.length > 0 && input.productId === undefined)
    refusals.push(
      'Signalman doesn’t know the certificate’s product, and the policy allows only some products. Enter the product in the request.',
    )
  if (rules.products.length > 0 && input.productId !== undefined && !rules.products.includes(input.productId))
    refusals.push(`Product ${input.productId} isn’t allowed.`)
  if (rules.customers.length > 0 && input.customerId === undefined)
    refusals.push(
      `Give a customer ID: only ${joinThree(rules.customers.map(String))} ${rules.customers.length > 1 ? 'are' : 'is'} allowed.`,
    )
  if (
    rules.customers.length > 0 &&
    input.customerId !== undefined &&
    !rules.customers.includes(input.customerId)
  )
    refusals.push(`Customer ${input.customerId} isn’t allowed.`)
  if ((rules.maxDays !== undefined || rules.extra.overDays !== undefined) && days === undefined)
    refusals.push(
      `“${input.duration}” can’t be read as a duration. Write a number and a unit, such as 1 year.`,
    )
  if (rules.maxDays !== undefined && days !== undefined && days > rules.maxDays)
    refusals.push(`${input.duration} is longer than the ${rules.maxDays} days allowed.`)
  const kinds = [
    ...(rules.keys.rsaFrom ? [`RSA with at least ${rules.keys.rsaFrom} bits`] : []),
    ...rules.keys.others,
  ]
  const use = kinds.length > 0 ? `Use ${kinds.join(', ')}.` : 'The policy allows no keys.'
  if (
    'other' in input.key &&
    !rules.keys.others.some((one) => 'other' in input.key && one === input.key.other)
  )
    refusals.push(`${input.key.other} keys aren’t allowed. ${use}`)
  if ('rsaBits' in input.key && !rules.keys.rsaFrom) refusals.push(`RSA keys aren’t allowed. ${use}`)
  if ('rsaBits' in input.key && rules.keys.rsaFrom && input.key.rsaBits < rules.keys.rsaFrom)
    refusals.push(`An RSA key with ${input.key.rsaBits} bits is too short. ${use}`)
  if (refusals.length > 0) return { decision: 'deny', reasons: refusals }
  if (input.environment === 'ote' && rules.ote === 'one-approval')
    return { decision: 'allow', approvals: 1, reasons: [] }
  const reasons: string[] = []
  if (rules.otherNames === 'extra' && others.length > 0)
    reasons.push(
      `it asks for ${joinThree(others)}, which ${others.length > 1 ? 'aren’t host names' : 'isn’t a host name'}`,
    )
  if (rules.wildcards === 'extra' && wildcards.length > 0)
    reasons.push(`it has a wildcard (${joinThree(wildcards)})`)
  if (rules.extra.overDays !== undefined && days !== undefined && days > rules.extra.overDays)
    reasons.push(`it’s valid for more than ${rules.extra.overDays} days (${input.duration})`)
  if (rules.extra.newDomain && newDomains.length > 0)
    reasons.push(`no earlier order for ${joinThree(newDomains)} was received`)
  if (rules.extra.unusual && input.isUnusual) reasons.push('the request needs a look')
  if (reasons.length === 0) return { decision: 'allow', approvals: rules.approvals, reasons: [] }
  const needed = rules.approvals + reasons.length
  const isCapped = needed > 5
  return {
    decision: 'allow',
    approvals: isCapped ? 5 : needed,
    reasons: [
      `${isCapped ? '5 approvals (the maximum)' : `${needed} approvals instead of ${rules.approvals}`}, because ${reasons.join('; and because ')}.`,
    ],
  }
}

it(`decides 120 requests under each of 120 policies as documented, seed ${SEED}`, () => {
  const { anyPolicy, anyOrder } = generators(createRandom(SEED).next)
  const orders = Array.from({ length: 120 }, anyOrder)
  const policies = Array.from({ length: 120 }, anyPolicy)
  const counts = { allow: 0, deny: 0, extraApprovals: 0 }
  for (const rules of policies)
    for (const [index, input] of orders.entries()) {
      const newDomains = index % 3 === 0 ? [...findDomains(input.names, rules)] : []
      const judged = judge(input, rules, newDomains)
      expect(judged).toEqual(judgeByDocumentation(input, rules, newDomains))
      counts[judged.decision] += 1
      if (judged.decision === 'allow' && judged.approvals > rules.approvals) counts.extraApprovals += 1
      if (judged.decision === 'allow' && rules.ote === 'same')
        expect(judged.approvals).toBeGreaterThanOrEqual(rules.approvals)
    }
  // Each kind of decision occurs.
  expect(Math.min(counts.allow, counts.deny, counts.extraApprovals)).toBeGreaterThan(100)
})

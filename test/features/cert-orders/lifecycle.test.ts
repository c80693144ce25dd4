import { describe, expect, it } from 'vitest'
import { buildNewOrder } from '../../../src/features/cert-orders/new-order.ts'
import { type OrderStep, type Rules, transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { Order, OrderOutcome, Received } from '../../../src/features/cert-orders/rules/order.ts'
import { type OrderState, orderTransitionRows } from '../../../src/features/cert-orders/rules/order-states.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const HOUR_MS = 3_600_000
const later = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS)

type RuleOverrides = Partial<Pick<Rules, 'direct' | 'now' | 'saw'>> & { approvals?: number; denied?: string }
const rules = ({
  approvals = 1,
  denied,
  direct = false,
  now = NOW,
  saw = 'seen',
}: RuleOverrides = {}): Rules => ({
  direct,
  now,
  saw,
  judgment:
    denied === undefined
      ? { decision: 'allow', approvals, reasons: [] }
      : { decision: 'deny', reasons: [denied] },
})

const REQUEST = { action: 'create', csr: 'pem', duration: '1 year' }
const CSR = {
  subject: 'CN=a',
  subjectParts: [{ label: 'CN', text: 'a' }],
  names: [],
  key: 'EC P-256',
  keyKind: { other: 'P-256' as const },
  keyHash: 'k',
  signature: 'ECDSA',
  warnings: [],
  extensions: [],
  attributes: [],
  look: { total: 0, first: [] },
}

function awaitingOrder(): Order {
  const newOrder = buildNewOrder({
    where: { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' },
    by: 'U1',
    request: REQUEST,
    csr: CSR,
    names: {},
    bodyHash: 'h',
    policy: DEFAULT_POLICY,
    now: NOW,
  })
  return { ...newOrder, id: 'i', number: 1, version: 1, updatedAt: NOW, cards: [] }
}

const APPROVERS = new Set(['U1', 'U2', 'U3'])
const approve = (by = 'U2', hash = 'h', eligibleApprovers = APPROVERS): OrderStep => ({
  kind: 'approve',
  by,
  hash,
  saw: 'seen',
  eligibleApprovers,
})
const PLACED = { kind: 'received' as const, answered: { id: '900', answer: '{"data":{"id":"900"}}' } }
/** As a person records it. */
const FOUND = { kind: 'received' as const, answered: { answer: '' } }
const FAILED = { kind: 'failed' as const, why: 'No.', said: [] }
const UNKNOWN = { kind: 'unknown' as const, why: 'Lost.', said: [], sender: 'ended' as const }
const SILENT = { ...UNKNOWN, sender: 'silent' as const }

/** A step, and how the rules differ when it is taken. */
type StepToApply = OrderStep | [OrderStep, RuleOverrides]
const withOverrides = (entry: StepToApply): [OrderStep, RuleOverrides] =>
  Array.isArray(entry) ? entry : [entry, {}]

function applySteps(...steps: StepToApply[]): Order {
  return steps.map(withOverrides).reduce((order, [step, overrides]) => {
    const result = transition(order, step, rules(overrides))
    if ('refusal' in result) throw new Error(result.refusal)
    return result.next
  }, awaitingOrder())
}

const answer = (outcome: OrderOutcome): OrderStep => ({
  kind: 'answer',
  outcome,
})
const resolve = (outcome: Received | (typeof FAILED & { how?: string }), by = 'U2'): OrderStep => ({
  kind: 'resolve',
  by,
  outcome: { ...outcome, by },
})

/** The steps in words, for a test's title. */
const describeSteps = (steps: readonly StepToApply[]): string =>
  steps
    .map(withOverrides)
    .map(([step, overrides]) => {
      const kind = 'outcome' in step ? `${step.kind} ${step.outcome.kind}` : step.kind
      const details = Object.entries(overrides).filter(([name]) => name !== 'now')
      return [kind, ...details.map(([name, value]) => `(${name}: ${value})`)].join(' ')
    })
    .join(', ')

describe('the lifecycle of an order', () => {
  const PATHS: { steps: StepToApply[]; to: string }[] = [
    { steps: [approve()], to: 'submitting' },
    { steps: [approve(), [{ kind: 'hold' }, { approvals: 2 }]], to: 'awaiting' },
    { steps: [{ kind: 'reject', by: 'U2', reason: 'No.' }], to: 'rejected' },
    { steps: [{ kind: 'withdraw', by: 'U1' }], to: 'withdrawn' },
    { steps: [[{ kind: 'expire' }, { now: later(72) }]], to: 'expired' },
    { steps: [[{ kind: 'remind' }, { now: later(24) }]], to: 'awaiting' },
    { steps: [[approve(), { approvals: 2 }]], to: 'awaiting' },
    {
      steps: [
        [approve(), { approvals: 2 }],
        [approve('U3'), { approvals: 2 }],
      ],
      to: 'submitting',
    },
    { steps: [approve(), answer(PLACED)], to: 'received' },
    { steps: [approve(), answer(FAILED)], to: 'failed' },
    { steps: [approve(), answer(UNKNOWN)], to: 'unknown' },
    { steps: [approve(), answer(UNKNOWN), answer(PLACED)], to: 'received' },
    { steps: [approve(), answer(UNKNOWN), resolve(FAILED)], to: 'failed' },
    { steps: [approve(), answer(UNKNOWN), resolve(FOUND)], to: 'received' },
    { steps: [approve(), answer(UNKNOWN), resolve(FAILED), answer(PLACED)], to: 'received' },
    { steps: [approve(), answer(UNKNOWN), resolve(FAILED), answer(FAILED)], to: 'failed' },
    { steps: [approve(), answer(UNKNOWN), resolve(FOUND), answer(PLACED)], to: 'received' },
    { steps: [approve(), answer(UNKNOWN), resolve(FOUND), answer(FAILED)], to: 'failed' },
    { steps: [approve(), answer(UNKNOWN), [{ kind: 'remind' }, { now: later(25) }]], to: 'unknown' },
  ]
  it.each(PATHS.map((path) => ({ ...path, description: describeSteps(path.steps) })))(
    'reaches the state $to by: $description',
    ({ steps, to }) => {
      expect(applySteps(...steps).state).toBe(to)
    },
  )

  it('can be recorded as failed after the service gave it an ID, and stays so if the answer is stored again', () => {
    const received = applySteps(approve(), answer(PLACED))
    const failed = applySteps(approve(), answer(PLACED), resolve(FAILED))
    expect(failed.content.outcome).toMatchObject({ kind: 'failed', by: 'U2', answered: PLACED.answered })
    expect(transition(failed, answer(PLACED), rules())).toEqual({ refusal: 'settled' })
    expect(transition(received, resolve(FAILED, 'U1'), rules())).toEqual({ refusal: 'own-order' })
    expect(transition(received, resolve(FOUND), rules())).toEqual({ refusal: 'not-unknown' })
  })

  it('keeps an answer without an ID, whatever a person records about it', () => {
    const unclear = { ...UNKNOWN, answered: { answer: '{"result":"FAILED"}' } }
    for (const [outcome, state] of [
      [FAILED, 'failed'],
      [FOUND, 'received'],
    ] as const) {
      const resolved = applySteps(approve(), answer(unclear), resolve(outcome))
      expect(resolved).toMatchObject({ state, content: { outcome: { answered: unclear.answered } } })
      expect(transition(resolved, answer(unclear), rules())).toEqual({ refusal: 'settled' })
    }
  })
})

const ORDERS_BY_STATE: Readonly<Record<OrderState, Order>> = {
  awaiting: awaitingOrder(),
  submitting: applySteps(approve()),
  received: applySteps(approve(), answer(SILENT), resolve(FOUND)),
  failed: applySteps(approve(), answer(SILENT), resolve({ ...FAILED, how: 'I asked.' })),
  unknown: applySteps(approve(), answer(SILENT)),
  rejected: applySteps({ kind: 'reject', by: 'U2', reason: '' }),
  withdrawn: applySteps({ kind: 'withdraw', by: 'U1' }),
  expired: applySteps([{ kind: 'expire' }, { now: later(72) }]),
}
/** An order in each state, and one with an open question. */
const ORDERS: readonly Order[] = [
  ...Object.values(ORDERS_BY_STATE),
  applySteps({ kind: 'ask', by: 'U2', text: 'Why?' }),
]
const EVERY_STEP: readonly OrderStep[] = [
  { kind: 'hold' },
  approve(),
  { kind: 'reject', by: 'U2', reason: '' },
  { kind: 'ask', by: 'U3', text: 'Which shop?' },
  { kind: 'reply', by: 'U1', question: 1, text: 'The new one.' },
  { kind: 'withdraw', by: 'U1' },
  { kind: 'hand-over', by: 'U1', from: 'U1', to: 'U3' },
  { kind: 'expire' },
  { kind: 'remind' },
  ...[PLACED, FAILED, UNKNOWN].map(answer),
  resolve({ ...FAILED, how: 'I asked.' }),
  resolve(FOUND),
]

describe('the steps of an order', () => {
  it('match the table of order states exactly', () => {
    const ruleSets = [0, 25, 100].flatMap((hours) => [
      rules({ now: later(hours), denied: 'No.' }),
      ...[1, 2].map((approvals) => rules({ now: later(hours), approvals })),
    ])
    const seen = new Set(
      ORDERS.flatMap((order) =>
        EVERY_STEP.flatMap((step) =>
          ruleSets
            .map((ruleSet) => transition(order, step, ruleSet))
            .flatMap((result) =>
              'next' in result ? [`${order.state} ${step.kind} ${result.next.state}`] : [],
            ),
        ),
      ),
    )
    const rows = orderTransitionRows.filter(({ step }) => step !== 'forget')
    expect([...seen].toSorted()).toEqual(rows.map(({ from, step, to }) => `${from} ${step} ${to}`).toSorted())
  })
})

describe('an outcome that a person recorded', () => {
  const resolveUnknown = (outcome: Parameters<typeof resolve>[0]): Order =>
    applySteps(approve(), answer(UNKNOWN), resolve(outcome))

  it('is corrected by the service’s own response', () => {
    const found = resolveUnknown({ kind: 'received', answered: { id: '1', answer: '' } })
    const real = { kind: 'received' as const, answered: { id: 'O-1', answer: '{}' } }
    const result = transition(found, answer(real), rules({ now: later(9) }))
    expect(result).toMatchObject({
      next: {
        content: {
          outcome: {
            answered: { id: 'O-1', answer: '{}' },
            corrects: { by: 'U2', said: 'received' },
          },
        },
      },
    })
    // The service has had the order since the person recorded it.
    if ('next' in result) expect(result.next.content.outcome).not.toHaveProperty('by')
    if ('next' in result) expect(result.next.receivedAt).toEqual(NOW)
    const afterFailure = transition(found, answer(FAILED), rules())
    expect(afterFailure).toMatchObject({
      next: { state: 'failed', content: { outcome: { corrects: { said: 'received' } } } },
    })
  })

  it('isn’t changed by another unknown outcome, or again after the service corrected it', () => {
    expect(transition(resolveUnknown(FOUND), answer(UNKNOWN), rules())).toEqual({ refusal: 'settled' })
    const corrected = applySteps(approve(), answer(UNKNOWN), resolve(FAILED), answer(PLACED))
    expect(transition(corrected, answer(FAILED), rules())).toEqual({ refusal: 'settled' })
  })
})

describe('a policy that became stricter', () => {
  it('blocks an order, which waits, and holds back one that was approved', () => {
    const denied = { denied: 'No wildcards.' }
    expect(transition(awaitingOrder(), approve(), rules(denied))).toEqual({ refusal: 'blocked' })
    expect(transition(applySteps(approve()), { kind: 'hold' }, rules(denied))).toMatchObject({
      next: { state: 'awaiting', content: { approvals: [{ by: 'U2' }], heldBecause: 'No wildcards.' } },
    })
  })

  it('returns an approved order to waiting for approval, and keeps its approvals', () => {
    const returned = applySteps(approve(), [{ kind: 'hold' }, { approvals: 2 }])
    expect(returned).toMatchObject({ state: 'awaiting', content: { approvals: [{ by: 'U2' }] } })
    expect(returned.content.submission).toBeUndefined()
    expect(returned.wakeAt?.toISOString()).toBe(returned.content.expiresAt)
    expect(transition(returned, approve('U3'), rules({ approvals: 2 }))).toMatchObject({
      next: { state: 'submitting', content: { approvals: [{ by: 'U2' }, { by: 'U3' }] } },
    })
  })

  it('doesn’t hold back an order that has enough approvals', () => {
    expect(transition(applySteps(approve()), { kind: 'hold' }, rules())).toEqual({ refusal: 'settled' })
  })
})

describe('a related order that was sent after an approver looked', () => {
  const OTHER = { saw: 'another order' }

  it('refuses an approval that was given without it', () => {
    expect(transition(awaitingOrder(), approve(), rules(OTHER))).toEqual({ refusal: 'related' })
  })

  it('doesn’t count earlier approvals', () => {
    const once = applySteps([approve(), { approvals: 2 }])
    const second = { ...approve('U3'), saw: OTHER.saw } as OrderStep
    expect(transition(once, second, rules({ ...OTHER, approvals: 2 }))).toMatchObject({
      next: { state: 'awaiting', content: { approvals: [{ by: 'U3' }] } },
    })
  })

  it('holds back an order that was approved, without the approvals', () => {
    const held = transition(applySteps(approve()), { kind: 'hold' }, rules(OTHER))
    expect(held).toMatchObject({
      next: {
        state: 'awaiting',
        content: { approvals: [], heldBecause: expect.stringContaining('don’t count') },
      },
    })
  })
})

describe('an order whose sending process doesn’t respond', () => {
  const silent = applySteps(approve(), answer(SILENT))

  it('can be marked as failed only with an explanation of how you know that no request is in progress', () => {
    expect(transition(silent, resolve(FAILED), rules())).toEqual({ refusal: 'under-way' })
    expect(transition(silent, resolve({ ...FAILED, how: 'The machine is off.' }), rules())).toMatchObject({
      next: { state: 'failed', content: { outcome: { how: 'The machine is off.' } } },
    })
  })

  it('can be marked as failed without an explanation once that process has ended', () => {
    const ended = applySteps(approve(), answer(SILENT), answer(UNKNOWN))
    expect(ended).toMatchObject({ state: 'unknown', content: { outcome: { sender: 'ended' } } })
    expect(transition(ended, resolve(FAILED), rules())).toHaveProperty('next')
    expect(transition(ended, answer(SILENT), rules())).toEqual({ refusal: 'settled' })
  })
})

describe('a step of an order', () => {
  const finalOrders = [
    applySteps({ kind: 'withdraw', by: 'U1' }),
    applySteps({ kind: 'reject', by: 'U2', reason: '' }),
    applySteps([{ kind: 'expire' }, { now: later(72) }]),
    applySteps(approve(), answer(PLACED)),
    applySteps(approve(), answer(FAILED)),
  ]

  it.each<OrderStep>([
    approve(),
    { kind: 'reject', by: 'U2', reason: '' },
    { kind: 'withdraw', by: 'U1' },
    { kind: 'expire' },
    { kind: 'remind' },
    resolve(FOUND),
    answer(UNKNOWN),
  ])('is refused in every final state: $kind', (step) => {
    for (const order of finalOrders)
      expect(transition(order, step, rules({ now: later(1000) }))).toHaveProperty('refusal')
  })

  it.each<{ step: OrderStep; refusal: string }>([
    { step: approve('U1'), refusal: 'own-order' },
    { step: { kind: 'reject', by: 'U1', reason: '' }, refusal: 'own-order' },
    { step: { kind: 'withdraw', by: 'U2' }, refusal: 'not-yours' },
    { step: approve('U2', 'former'), refusal: 'changed' },
    { step: { kind: 'expire' }, refusal: 'not-due' },
    { step: { kind: 'remind' }, refusal: 'not-due' },
    { step: resolve(FAILED), refusal: 'not-unknown' },
    { step: answer(PLACED), refusal: 'settled' },
  ])('is refused while the order is waiting for approval: $step.kind ($refusal)', ({ step, refusal }) => {
    expect(transition(awaitingOrder(), step, rules())).toEqual({ refusal })
  })

  it.each<OrderStep>([
    approve(),
    { kind: 'reject', by: 'U2', reason: 'No.' },
    { kind: 'withdraw', by: 'U1' },
  ])('is refused once the order has expired, even before the timer has run: $kind', (step) => {
    expect(transition(awaitingOrder(), step, rules({ now: later(72) }))).toEqual({ refusal: 'expired' })
  })

  it('doesn’t count approvals by people who lost the role, or by the requester if the policy forbids it', () => {
    const two = { approvals: 2 }
    const once = applySteps([approve('U3'), two])
    expect(transition(once, approve('U2', 'h', new Set(['U2'])), rules(two))).toMatchObject({
      next: { state: 'awaiting', content: { approvals: [{ by: 'U2' }] } },
    })
    const own = applySteps([approve('U1'), { approvals: 2, direct: true }])
    expect(transition(own, approve(), rules(two))).toMatchObject({ next: { state: 'awaiting' } })
    expect(transition(own, approve(), rules({ ...two, direct: true }))).toMatchObject({
      next: { state: 'submitting' },
    })
  })

  it('is refused if it would expire an order that is being placed', () => {
    const order = applySteps(approve())
    expect(order.wakeAt).toBeUndefined()
    expect(transition(order, { kind: 'expire' }, rules({ now: later(1000) }))).toEqual({
      refusal: 'not-waiting',
    })
  })
})

describe('a policy that now requires fewer approvals', () => {
  it('lets someone who already approved an order approve it again to send it', () => {
    const order = applySteps([approve('U2'), { approvals: 2 }])
    expect(order.state).toBe('awaiting')
    expect(transition(order, approve('U2'), rules({ approvals: 2 }))).toEqual({ refusal: 'approved-already' })
    const sent = transition(order, approve('U2'), rules({ approvals: 1 }))
    expect('next' in sent && sent.next.state).toBe('submitting')
  })
})

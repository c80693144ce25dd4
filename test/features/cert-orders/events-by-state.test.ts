import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { buildNewOrder } from '../../../src/features/cert-orders/new-order.ts'
import {
  type OrderStep,
  type Rules,
  type Transition,
  transition,
} from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { DEFAULT_POLICY } from '../../../src/features/cert-orders/rules/policy.ts'
import { NOTHING_SEEN } from '../../../src/features/cert-orders/rules/related.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { WORKSPACE } from '../../world.ts'
import { makeCsr } from './csr/make-csr.ts'
import {
  addOrder,
  createFormAnswers,
  findOrderState,
  listPlacedOrders,
  modalShows,
  ORDERS_PATH,
  setPolicy,
  startOrders,
} from './order-helpers.ts'
import { exampleRequest } from './order-process.ts'

/*
 * Tests every event in every state of an order. The first table only needs the state machine. The tests after it need a running app:
 * another request for the same key or certificate, and a change of approvers or policy. Tested elsewhere, in every state:
 * - certificates, a stricter policy, a requester who leaves, and who is told: pairs.test.ts
 * - a restart, a second replica, a lost response: kills.test.ts, model.test.ts, replicas.test.ts, interrupted-submission.test.ts
 * - uninstalling the app: rows/forget-orders.test.ts
 * - erasing a person: test/durable/audit/erase-person.test.ts (orders store only the IDs of people)
 * Not tested, because it can't happen: `/cert-order renew` for an order that wasn't sent. It has no certificate ID yet.
 */

const NOW = new Date('2026-03-01T12:00:00.000Z')
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000)

const rules = (approvals = 1, now = NOW): Rules => ({
  direct: false,
  now,
  saw: NOTHING_SEEN,
  judgment: { decision: 'allow', approvals, reasons: [] },
})
const DENIED: Rules = { ...rules(), judgment: { decision: 'deny', reasons: ['No wildcards.'] } }

function createOrder(): Order {
  const { request, csr, names } = exampleRequest('PO 1')
  const where = { workspaceId: 'T1', enterpriseId: undefined, environment: 'production' as const }
  const order = buildNewOrder({
    where,
    by: 'U1',
    request,
    csr,
    names,
    bodyHash: 'h',
    policy: DEFAULT_POLICY,
    now: NOW,
  })
  return { ...order, id: 'i', number: 1, version: 1, updatedAt: NOW, cards: [] }
}

const approve = (by: string, eligibleApprovers: readonly string[], hash = 'h'): OrderStep => ({
  kind: 'approve',
  by,
  hash,
  saw: NOTHING_SEEN,
  eligibleApprovers: new Set(eligibleApprovers),
})
const UNKNOWN = { kind: 'unknown' as const, why: 'Lost.', said: [], sender: 'ended' as const }
const PLACED = { kind: 'received' as const, answered: { id: '1', answer: '{}' } }
const FAILING = {
  kind: 'received' as const,
  answered: { id: '1', answer: '{"data":{"id":"1","status":"REJECTED"}}' },
}

function applyStep(order: Order, step: OrderStep, ruleSet: Rules = rules()): Order {
  const result: Transition = transition(order, step, ruleSet)
  if ('refusal' in result) throw new Error(result.refusal)
  return result.next
}

const approved = applyStep(createOrder(), approve('U2', ['U2']), rules(2))
const submitting = applyStep(createOrder(), approve('U2', ['U2']))
/** U5 has asked before, so that every state has a question. */
const withQuestion = <State extends Order>(order: State): State => ({
  ...order,
  content: { ...order.content, questions: [{ by: 'U5', at: NOW.toISOString(), text: 'For whom?' }] },
})
const STATES = {
  requested: createOrder(),
  // One of two approvals.
  approved,
  sending: submitting,
  unknown: applyStep(submitting, { kind: 'answer', outcome: UNKNOWN }),
  received: applyStep(submitting, { kind: 'answer', outcome: PLACED }),
  'received with a failing word': applyStep(submitting, { kind: 'answer', outcome: FAILING }),
}

const EVENTS: Readonly<Record<string, { step: OrderStep; rules?: Rules }>> = {
  expiry: { step: { kind: 'expire' }, rules: rules(1, later(100)) },
  withdraw: { step: { kind: 'withdraw', by: 'U1' } },
  reject: { step: { kind: 'reject', by: 'U3', reason: 'No.' } },
  'the last approval': { step: approve('U3', ['U2', 'U3']), rules: rules(2) },
  'an approval after the first approver lost the role': { step: approve('U3', ['U3']), rules: rules(2) },
  'an approval under a policy that refuses it': { step: approve('U3', ['U2', 'U3']), rules: DENIED },
  'a policy that requires one more approval, before sending': { step: { kind: 'hold' }, rules: rules(3) },
  'a question': { step: { kind: 'ask', by: 'U3', text: 'Why?' } },
  'a question by the requester': { step: { kind: 'ask', by: 'U1', text: 'Why?' } },
  'a second question before the answer': { step: { kind: 'ask', by: 'U5', text: 'And why now?' } },
  'an answer': { step: { kind: 'reply', by: 'U1', question: 1, text: 'Because.' } },
  'an answer by somebody else': { step: { kind: 'reply', by: 'U3', question: 1, text: 'Because.' } },
  'an answer to no question': { step: { kind: 'reply', by: 'U1', question: 2, text: 'Because.' } },
  'an answer after it expired': {
    step: { kind: 'reply', by: 'U1', question: 1, text: 'Because.' },
    rules: rules(1, later(100)),
  },
  'a handover': { step: { kind: 'hand-over', by: 'U1', from: 'U1', to: 'U4' } },
  'a handover from someone who isn’t the requester': {
    step: { kind: 'hand-over', by: 'U1', from: 'U3', to: 'U4' },
  },
  'an unknown outcome': { step: { kind: 'answer', outcome: UNKNOWN } },
  'a late answer': { step: { kind: 'answer', outcome: PLACED } },
  'a late answer with a failing word': { step: { kind: 'answer', outcome: FAILING } },
}

/** The state after each event, or the kind of refusal, for each of `STATES`. */
const EXPECTED_RESULTS: Readonly<Record<string, readonly string[]>> = {
  expiry: ['expired', 'expired', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  withdraw: ['withdrawn', 'withdrawn', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  reject: ['rejected', 'rejected', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  'the last approval': ['awaiting', 'submitting', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  'an approval after the first approver lost the role': [
    'awaiting',
    'awaiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'an approval under a policy that refuses it': [
    'blocked',
    'blocked',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'a policy that requires one more approval, before sending': [
    'not-waiting',
    'not-waiting',
    'awaiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'a question': ['awaiting', 'awaiting', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  'a question by the requester': [
    'own-question',
    'own-question',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'a second question before the answer': [
    'asked-already',
    'asked-already',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'an answer': ['awaiting', 'awaiting', 'not-waiting', 'not-waiting', 'not-waiting', 'not-waiting'],
  'an answer by somebody else': [
    'not-asked',
    'not-asked',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'an answer to no question': [
    'not-asked',
    'not-asked',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'an answer after it expired': [
    'expired',
    'expired',
    'not-waiting',
    'not-waiting',
    'not-waiting',
    'not-waiting',
  ],
  'a handover': ['awaiting', 'awaiting', 'not-waiting', 'unknown', 'not-waiting', 'not-waiting'],
  'a handover from someone who isn’t the requester': [
    'not-theirs',
    'not-theirs',
    'not-waiting',
    'not-theirs',
    'not-waiting',
    'not-waiting',
  ],
  'an unknown outcome': ['settled', 'settled', 'unknown', 'settled', 'settled', 'settled'],
  'a late answer': ['settled', 'settled', 'received', 'received', 'settled', 'settled'],
  'a late answer with a failing word': ['settled', 'settled', 'received', 'received', 'settled', 'settled'],
}

describe('an order in each state', () => {
  const pairs = Object.entries(EXPECTED_RESULTS).flatMap(([event, row]) =>
    row.map((expected, index) => ({ event, state: Object.keys(STATES)[index] ?? '', expected })),
  )
  it.each(pairs)('$state: $event leads to $expected', ({ event, state, expected }) => {
    const { step, rules: ruleSet = rules() } = EVENTS[event] ?? { step: { kind: 'expire' } }
    const result = transition(withQuestion(STATES[state as keyof typeof STATES]), step, ruleSet)
    expect('next' in result ? result.next.state : result.refusal).toBe(expected)
  })

  it('is tested with every event', () => {
    expect(Object.keys(EXPECTED_RESULTS)).toEqual(Object.keys(EVENTS))
    for (const row of Object.values(EXPECTED_RESULTS)) expect(row).toHaveLength(Object.keys(STATES).length)
  })
})

describe('an order that was handed over', () => {
  const handOver = (order: Order, from: string, to: string): Order =>
    applyStep(order, { kind: 'hand-over', by: 'U9', from, to })
  const findRefusal = (order: Order, step: OrderStep, ruleSet = rules()): string | undefined => {
    const result = transition(order, step, ruleSet)
    return 'refusal' in result ? result.refusal : undefined
  }

  it('can’t be approved, rejected, or resolved by its requester or a former requester', () => {
    const twice = handOver(handOver(createOrder(), 'U1', 'U2'), 'U2', 'U3')
    const back = handOver(twice, 'U3', 'U1')
    for (const order of [twice, back])
      for (const by of ['U1', 'U2', 'U3']) {
        expect(findRefusal(order, approve(by, [by]))).toBe('own-order')
        expect(findRefusal(order, { kind: 'reject', by, reason: 'No.' })).toBe('own-order')
        expect(findRefusal(order, approve(by, [by]), { ...rules(), direct: true })).toBeUndefined()
      }
    expect(findRefusal(twice, approve('U4', ['U4']))).toBeUndefined()
    const unknown = handOver(STATES.unknown, 'U1', 'U2')
    for (const by of ['U1', 'U2'])
      expect(findRefusal(unknown, { kind: 'resolve', by, outcome: PLACED })).toBe('own-order')
  })

  it('loses the earlier approval by its new requester', () => {
    const order = handOver(approved, 'U1', 'U2')
    expect(order.content.approvals).toEqual([])
    expect(applyStep(order, approve('U3', ['U2', 'U3']), rules(2)).state).toBe('awaiting')
  })

  it('doesn’t count an approval by a former requester', () => {
    const order = handOver(handOver(approved, 'U1', 'U2'), 'U2', 'U5')
    const approvals = [{ by: 'U2', at: NOW.toISOString(), hash: 'h', saw: NOTHING_SEEN }]
    const forged = { ...order, content: { ...order.content, approvals } } as Order
    expect(applyStep(forged, approve('U3', ['U2', 'U3']), rules(2)).state).toBe('awaiting')
  })

  it('lets only the new requester answer, and nobody if they asked themselves', () => {
    const asked = applyStep(createOrder(), { kind: 'ask', by: 'U5', text: 'Why?' })
    const order = handOver(asked, 'U1', 'U2')
    const answer = (by: string): OrderStep => ({ kind: 'reply', by, question: 1, text: 'Because.' })
    expect(findRefusal(order, answer('U1'))).toBe('not-asked')
    const answered = applyStep(order, answer('U2'))
    expect(answered.content.questions?.[0]?.answer).toEqual({
      by: 'U2',
      at: NOW.toISOString(),
      text: 'Because.',
    })
    expect(findRefusal(answered, answer('U2'))).toBe('not-asked')
    expect(findRefusal(handOver(asked, 'U1', 'U5'), answer('U5'))).toBe('not-asked')
  })

  it('has five questions at most, each asked by someone who has an answer to the one before', () => {
    let order: Order = createOrder()
    for (let number = 1; number <= 5; number += 1) {
      order = applyStep(order, { kind: 'ask', by: 'U5', text: 'Why?' })
      order = applyStep(order, { kind: 'reply', by: 'U1', question: number, text: 'Because.' })
    }
    expect(findRefusal(order, { kind: 'ask', by: 'U5', text: 'Why?' })).toBe('asked-enough')
    expect(order.content.questions?.every(({ answer }) => answer)).toBe(true)
  })

  it('can be withdrawn only by the current requester', () => {
    const order = handOver(createOrder(), 'U1', 'U2')
    expect(findRefusal(order, { kind: 'withdraw', by: 'U1' })).toBe('not-yours')
    expect(applyStep(order, { kind: 'withdraw', by: 'U2' }).state).toBe('withdrawn')
  })
})

describe('two requests for the same certificate', () => {
  // With an order of unknown outcome: one-open-order.test.ts.
  it('don’t order it twice if the same key is requested while the first order waits', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const csr = await makeCsr()
    await addOrder(world, member, csr)
    await admin.command('/cert-order', 'again 1', { until: /for the same key/ })
    await admin.command('/cert-order', '', UNTIL_FORM)
    await admin.submit(createFormAnswers(csr), { until: /for the same key/ })
    expect(await listPlacedOrders(world)).toEqual([])
  })

  it('don’t order it twice if both are renewals with new keys', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    const createRenewalAnswers = async () => {
      const { Product: _, ...answers } = createFormAnswers(await makeCsr())
      return answers
    }
    await member.command('/cert-order', 'renew C-9', UNTIL_FORM)
    await member.submit(await createRenewalAnswers(), { until: modalShows('is waiting for approval') })
    await member.close({ all: true })
    for (const verb of ['renew', 'reissue']) {
      await admin.command('/cert-order', `${verb} C-9`, UNTIL_FORM)
      await admin.submit(await createRenewalAnswers(), { until: /for the same certificate/ })
      await admin.close({ all: true })
    }
    await admin.command('/cert-order', 'approve 1', UNTIL_FORM)
    await admin.submit({}, { until: modalShows('was received') })
    expect(await listPlacedOrders(world)).toHaveLength(1)
  })

  it('show approvers the earlier order if only the key differs, even if its outcome is unknown', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    await world.service.faults({ method: 'POST', path: ORDERS_PATH, kind: 'drop-reply', times: 1 })
    await admin.command('/cert-order', 'approve 1', UNTIL_FORM)
    await admin.submit({}, { until: modalShows('It’s unknown whether') })
    await admin.close({ all: true })
    await addOrder(world, member)
    const modal = await admin.command('/cert-order', 'approve 2', UNTIL_FORM)
    expect(modal.text).toMatch(/⚠️ Order 1 \(.*outcome unknown.*has the same names/s)
  })
})

describe('an order whose approvers or policy change', () => {
  it('returns to waiting for approval instead of being sent if the policy now requires more approvals', async () => {
    await using world = await startOrders()
    const { member, admin } = world.slack
    await addOrder(world, member)
    const { orders } = world.app.store
    // Cast, because the store doesn't know which content an order has.
    const waiting = (await orders.find(WORKSPACE, 1)) as Order
    const now = await orders.readTime()
    await setPolicy(world, { approvals: 2 })
    // Approved under the old policy by another process, which died before it sent anything.
    const step = approve(admin.id, [admin.id], waiting.bodyHash)
    const approvedOrder = applyStep(waiting, step, { ...rules(), now })
    await orders.approve(approvedOrder, { kind: 'approve', at: now, userId: admin.id, reference: 'r' })
    await expect.poll(() => findOrderState(world)).toBe('awaiting')
    expect(await listPlacedOrders(world)).toEqual([])
    const shown = await admin.command('/cert-order', 'show 1')
    expect(readText(shown.message ?? shown.view)).toContain('1 of 2')
  })
})

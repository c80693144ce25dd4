import { describe, expect, it } from 'vitest'
import { orderTransitionRows } from '../../../docs/order-states-page.ts'
import { findDue, type OrderStep, transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { Order, OrderOutcome } from '../../../src/features/cert-orders/rules/order.ts'
import {
  ORDER_STATES,
  ORDER_TRANSITIONS,
  type OrderState,
} from '../../../src/features/cert-orders/rules/order-states.ts'
import { createOrder, NOW } from './details.ts'

const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000)

const ANSWER = '{"data":{"id":"900"}}'
const PLACED: OrderOutcome = { kind: 'received', answered: { id: '900', answer: ANSWER } }
const FAILED = { kind: 'failed' as const, why: 'No.', said: [] }
const UNKNOWN: OrderOutcome = { kind: 'unknown', why: 'Lost.', said: [], sender: 'ended' }
const SILENT: OrderOutcome = { ...UNKNOWN, sender: 'silent' }
/** As a person records it. */
const FOUND = { kind: 'received' as const, answered: { answer: '' } }

const approve = (by = 'U2', hash = 'h', domains: string[] = []): OrderStep => ({
  ...{ kind: 'approve', by, hash, domains },
})
const reject = (by = 'U2'): OrderStep => ({ kind: 'reject', by, reason: 'No.' })
const withdraw = (by = 'U1'): OrderStep => ({ kind: 'withdraw', by })
const answer = (outcome: OrderOutcome): OrderStep => ({ kind: 'answer', outcome })
const resolve = (outcome: typeof FOUND | (typeof FAILED & { how?: string }), by = 'U2'): OrderStep => ({
  ...{ kind: 'resolve', by, outcome: { ...outcome, by } },
})

/** Takes the steps, each at its time. Returns the refusal of the last one, if it's refused. */
function run(...steps: (OrderStep | [OrderStep, Date])[]): Order | string {
  let order = createOrder()
  for (const [index, entry] of steps.entries()) {
    const [step, now] = Array.isArray(entry) ? entry : [entry, NOW]
    const result = transition(order, step, now)
    if ('next' in result) order = result.next
    else if (index === steps.length - 1) return result.refusal
    else throw new Error(result.refusal)
  }
  return order
}

const runTo = (...steps: Parameters<typeof run>): Order => {
  const order = run(...steps)
  if (typeof order === 'string') throw new Error(order)
  return order
}

const PATHS: Readonly<Record<OrderState, Parameters<typeof run>>> = {
  awaiting: [],
  submitting: [approve()],
  received: [approve(), answer(PLACED)],
  failed: [approve(), answer(FAILED)],
  unknown: [approve(), answer(UNKNOWN)],
  rejected: [reject()],
  withdrawn: [withdraw()],
  expired: [[{ kind: 'expire' }, later(72)]],
}

/** Every step, at a time at which it's possible. */
const STEPS: readonly [OrderStep, Date][] = [
  [approve(), NOW],
  [reject(), NOW],
  [withdraw(), NOW],
  [{ kind: 'expire' }, later(72)],
  [{ kind: 'remind' }, later(48)],
  [{ kind: 'remind' }, later(400 * 24)],
  ...[PLACED, FAILED, UNKNOWN].map((outcome): [OrderStep, Date] => [answer(outcome), NOW]),
  [resolve(FOUND), NOW],
  [resolve(FAILED), NOW],
]

/** Orders in a state: also one whose sender is silent, and those with an outcome that a person recorded. */
const listStarts = (state: OrderState): Order[] => [
  runTo(...PATHS[state]),
  ...(state === 'unknown' ? [runTo(approve(), answer(SILENT))] : []),
  ...(state === 'received' ? [runTo(...PATHS.unknown, resolve(FOUND))] : []),
  ...(state === 'failed' ? [runTo(...PATHS.unknown, resolve(FAILED))] : []),
]

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  ...{ remind: 'not-due', answer: 'settled', resolve: 'not-unknown' },
}

describe('the steps of an order', () => {
  it('lead only to states that the table lists, reach each of them, and say why another isn’t possible', () => {
    const reached = ORDER_STATES.flatMap(listStarts).flatMap((order) =>
      STEPS.flatMap(([step, now]) => {
        const result = transition(order, step, now)
        if (!ORDER_TRANSITIONS[order.state][step.kind])
          expect(result).toEqual({ refusal: IMPOSSIBLE[step.kind] ?? 'not-waiting' })
        return 'next' in result ? [`${order.state} ${step.kind} ${result.next.state}`] : []
      }),
    )
    const listed = orderTransitionRows.map(({ from, step, to }) => `${from} ${step} ${to}`)
    expect([...new Set(reached)].sort()).toEqual(listed.sort())
  })

  it('need somebody else than the requester', () => {
    expect(run(approve('U1'))).toBe('own-order')
    expect(run(reject('U1'))).toBe('own-order')
    expect(run(...PATHS.unknown, resolve(FOUND, 'U1'))).toBe('own-order')
    expect(run(withdraw('U2'))).toBe('not-yours')
  })

  it('can be decided by the requester if an admin allows it', () => {
    const own = { ...approve('U1'), allowsOwn: true } as OrderStep
    expect(run(own)).toMatchObject({ state: 'submitting', content: { approval: { by: 'U1' } } })
    expect(run({ ...reject('U1'), allowsOwn: true } as OrderStep)).toMatchObject({
      ...{ state: 'rejected', content: { rejection: { by: 'U1', reason: 'No.' } } },
    })
    expect(run({ ...own, hash: 'other' } as OrderStep)).toBe('changed')
  })

  it('need exactly the body that was shown, with names under an allowed domain', () => {
    expect(run(approve('U2', 'other'))).toBe('changed')
    expect(run(approve('U2', 'h', ['example.org']))).toBe('foreign')
    expect(run(approve('U2', 'other', ['example.org']))).toBe('changed')
    expect(runTo(approve('U2', 'h', ['example.com'])).content.approval).toEqual({
      ...{ by: 'U2', at: NOW.toISOString(), hash: 'h' },
    })
  })

  it('aren’t possible once the order is overdue', () => {
    for (const step of [approve(), reject(), withdraw()]) expect(run([step, later(72)])).toBe('expired')
    expect(run([{ kind: 'expire' }, later(71)])).toBe('not-due')
    expect(run([{ kind: 'remind' }, later(23)])).toBe('not-due')
  })

  it('remind once while it waits, and every day while its outcome is unknown', () => {
    const reminded = runTo([{ kind: 'remind' }, later(24)])
    expect(transition(reminded, { kind: 'remind' }, later(60))).toEqual({ refusal: 'not-due' })
    expect(findDue(reminded)).toEqual(later(72))
    const unknown = runTo(...PATHS.unknown, [{ kind: 'remind' }, later(24)])
    expect(findDue(unknown)).toEqual(later(48))
  })

  it('remind once before a certificate may end: of a year, authorities issue 398 days, and 200 since March 15', () => {
    const received = runTo(...PATHS.received)
    expect(findDue(received)).toEqual(later((366 - 30) * 24))
    const lateAnswer: [OrderStep, Date] = [answer(PLACED), new Date('2026-03-16T00:00:00.000Z')]
    expect(findDue(runTo(approve(), lateAnswer))).toEqual(new Date('2026-09-02T00:00:00.000Z'))
    expect(transition(received, { kind: 'remind' }, later(300 * 24))).toEqual({ refusal: 'not-due' })
    const reminded = runTo(...PATHS.received, [{ kind: 'remind' }, later(336 * 24)])
    expect(findDue(reminded)).toBeUndefined()
    expect(transition(reminded, { kind: 'remind' }, later(400 * 24))).toEqual({ refusal: 'not-due' })
  })
})

it('has something due only while it waits, its outcome is unknown, or a certificate may end', () => {
  const due = ORDER_STATES.filter((state) => listStarts(state).every((order) => findDue(order) !== undefined))
  const idle = ORDER_STATES.filter((state) =>
    listStarts(state).every((order) => findDue(order) === undefined),
  )
  expect(due).toEqual(['awaiting', 'received', 'unknown'])
  expect(idle).toEqual(['submitting', 'failed', 'rejected', 'withdrawn', 'expired'])
})

function receive(duration: string): Order {
  const { content, ...order } = createOrder()
  let received: Order = { ...order, content: { ...content, request: { ...content.request, duration } } }
  for (const step of PATHS.received) {
    const result = transition(received, step as OrderStep, NOW)
    if ('next' in result) received = result.next
  }
  expect(received.state).toBe('received')
  return received
}

it('has no reminder left once it was received for a duration that can’t be read', () => {
  const received = receive('as long as possible')
  expect(findDue(received)).toBeUndefined()
  expect(transition(received, { kind: 'remind' }, later(9000))).toEqual({ refusal: 'not-due' })
})

it('reminds of a certificate that ends within a month on the day after it was received', () => {
  expect(findDue(receive('10 days'))).toEqual(later(24))
  expect(findDue(receive('32 days'))).toEqual(later(48))
})

it('becomes unknown once, and again only when the silent sender has ended', () => {
  expect(run(approve(), answer(UNKNOWN), answer(UNKNOWN))).toBe('settled')
  expect(run(approve(), answer(UNKNOWN), answer(SILENT))).toBe('settled')
  expect(run(approve(), answer(SILENT), answer(SILENT))).toBe('settled')
  expect(run(approve(), answer(SILENT), answer(UNKNOWN))).toMatchObject({ state: 'unknown' })
})

describe('an outcome that a person recorded', () => {
  it('is corrected by the service’s own answer, once', () => {
    for (const recorded of [FOUND, FAILED]) {
      const corrected = runTo(...PATHS.unknown, resolve(recorded), answer(PLACED))
      expect(corrected.state).toBe('received')
      expect(corrected.content.outcome).toMatchObject({ corrects: { by: 'U2', said: recorded.kind } })
      expect(transition(corrected, answer(FAILED), NOW)).toEqual({ refusal: 'settled' })
    }
    expect(run(...PATHS.unknown, resolve(FAILED), answer(UNKNOWN))).toBe('settled')
  })

  it('needs an explanation for a failure while the POST may be in flight', () => {
    const silent = [approve(), answer(SILENT)]
    expect(run(...silent, resolve(FAILED))).toBe('under-way')
    expect(runTo(...silent, resolve({ ...FAILED, how: 'Asked.' })).state).toBe('failed')
    expect(runTo(...silent, answer(UNKNOWN), resolve(FAILED)).state).toBe('failed')
  })

  it('doesn’t replace the service’s own', () => {
    expect(run(approve(), answer(FAILED), answer(PLACED))).toBe('settled')
  })

  it('keeps an unclear answer, and the time at which the service was first known to have it', () => {
    const unclear: OrderOutcome = { ...UNKNOWN, answered: { id: '7', answer: '{"data":{}}' } }
    const found = runTo(approve(), answer(unclear), resolve(FOUND))
    expect(found.content.outcome?.answered).toEqual({ id: '7', answer: '{"data":{}}' })
    const named = { ...FOUND, answered: { id: '7', answer: '' } }
    for (const steps of [[answer(unclear)], [answer(UNKNOWN), resolve(named)]])
      expect(runTo(approve(), ...steps, answer(PLACED)).content.outcome).toMatchObject(PLACED)
    const late = runTo(approve(), answer(UNKNOWN), resolve(FOUND), [answer(PLACED), later(5)])
    expect(late.receivedAt).toEqual(NOW)
  })
})

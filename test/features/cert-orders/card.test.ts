import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approveForm } from '../../../src/features/cert-orders/forms/approve.ts'
import { rejectForm, resolveForm } from '../../../src/features/cert-orders/forms/decisions.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { STATE_TEXTS } from '../../../src/features/cert-orders/rules/order-states.ts'
import { buildApproval } from '../../../src/features/cert-orders/views/approval.ts'
import { listView } from '../../../src/features/cert-orders/views/list.ts'
import {
  cardView,
  noticeView,
  orderView,
  outcomeView,
  sharedView,
} from '../../../src/features/cert-orders/views/messages.ts'
import { ANY_CHARACTER } from '../../any-character.ts'
import { quickOrLong } from '../../long.ts'
import { findMarkup, type MarkupNode } from '../threats/markup.ts'
import { toSentMessage, toSentModal } from '../threats/sent-views.ts'
import { createDetails, createOrder, NOW } from './details.ts'

const HOSTILE_TEXTS = [
  '<!channel>',
  '<@U0MEMBER01>',
  '<https://evil.example|bank>',
  ':boom:',
  '*bold*',
  '`code`',
  '&lt;!here&gt;',
  'https://evil.example',
  '\u202egnp.exe',
  '\u0000',
  '\ud83d',
  ' @here ',
  'x'.repeat(400),
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: ANY_CHARACTER })), { maxLength: 6 })
  .map((parts) => parts.join(''))
const hostileList = fc.array(hostile, { maxLength: 260 })
const placed = fc.record({
  id: fc.option(hostile, { nil: undefined }),
  answer: fc.oneof(
    hostile,
    hostile.map((status) => JSON.stringify({ data: { id: status, status } })),
  ),
})

// Cast, because `Object.keys` returns strings.
const states = fc.constantFrom(...(Object.keys(STATE_TEXTS) as Order['state'][]))

const orders: fc.Arbitrary<Order> = fc
  .record({
    state: states,
    text: hostile,
    other: hostile,
    names: hostileList,
    said: hostileList,
    placed,
    isPlaced: fc.boolean(),
  })
  .map(({ state, text, other, names, said, placed, isPlaced }) => {
    const { content, ...order } = createOrder()
    const request = {
      ...{ action: 'create', csr: 'pem', duration: text, productId: other, organizationId: text },
      orderReference: other,
      contacts: names.slice(0, 50).map((id) => ({ id, type: 'admin' as const })),
    }
    const csr = {
      ...content.csr,
      subject: text,
      subjectParts: [{ label: 'CN', text }],
      names: names.map((name) => ({ kind: 'DNS', text: name })),
      warnings: ['Look.'],
      extensions: [{ oid: '1.2.3', name: text, value: other, why: text }],
      attributes: [{ oid: '1.2.4', name: other, values: said.slice(0, 20) }],
    }
    const outcome = isPlaced
      ? { kind: 'received', answered: placed }
      : { kind: 'unknown', why: 'Lost.', said: said.slice(0, 10), sender: 'silent' as const }
    const decisions = {
      approval: { by: 'U2', at: NOW.toISOString(), hash: 'h' },
      rejection: { by: 'U2', reason: text },
    }
    return {
      ...order,
      ...{ number: 7, environment: 'ote', state, version: 3 },
      content: { ...content, request, csr, names: { product: text }, outcome, ...decisions },
      // Cast: combines any state with any content. No view may fail on it.
    } as Order
  })

/** Allows dates, which the app formats on purpose, and bare host names, which Slack may turn into links. */
const isUnexpected = ({ kind, source }: MarkupNode): boolean =>
  kind !== 'date' && !(kind === 'link' && /^[\p{L}\p{N}.-]+$/u.test(source))

describe('messages about an order', () => {
  it('never turn hostile text into markup, and stay within Slack’s limits', () => {
    const people = new Map([['U1', '<!channel> *ann*']])
    const details = createDetails({ people, similar: [{ number: 3, state: 'unknown' }] })
    const viewer = { canApprove: true, isRequester: true }
    const filters = { environment: 'ote' as const, page: 1 }
    fc.assert(
      fc.property(orders, (order) => {
        const messages = [
          cardView(order, details),
          noticeView(order, details, { canApprove: true }),
          outcomeView(order, details, { isRequester: true }),
          noticeView(order, details, { isRequester: true }),
          orderView(order, details, viewer),
          sharedView(order),
          listView(Array(10).fill(order), { page: 1, pages: 1, total: 10 }, filters, {
            ...{ reader: { userId: 'U1', seesPeople: false }, now: NOW, ofAll: 10 },
            canApprove: ({ state }) => state === 'awaiting',
          }),
        ]
        for (const message of messages)
          expect(findMarkup(toSentMessage(message)).filter(isUnexpected)).toEqual([])
        expect(messages.map(({ text }) => text).join()).not.toContain('(ote)')
        const windows = [
          approveForm.open('ote', order, buildApproval(order, details) ?? []),
          rejectForm.open('ote', order, order.content.request.duration),
          resolveForm.open('ote', order, { finding: 'failed', again: '/cert-order again 1' }),
        ]
        for (const window of windows) expect(findMarkup(toSentModal(window)).filter(isUnexpected)).toEqual([])
      }),
      { numRuns: quickOrLong('CARDS', { quick: 18, long: 1500 }) },
    )
  })

  it.each([
    { duration: '200 days', now: '2027-03-14T23:59:59.999Z', days: undefined },
    { duration: '201 days', now: '2027-03-14T23:59:59.999Z', days: 200 },
    { duration: '200 days', now: '2027-03-15T00:00:00.000Z', days: 100 },
    { duration: '100 days', now: '2027-03-15T00:00:00.000Z', days: undefined },
    { duration: '3 months', now: '2029-03-15T00:00:00.000Z', days: 47 },
    { duration: '47 days', now: '2029-03-15T00:00:00.000Z', days: undefined },
  ])('say that $duration is long by the day on which they are read, $now', ({ duration, now, days }) => {
    const [sample] = fc.sample(orders, { numRuns: 1, seed: 7 })
    if (!sample) throw new Error('fast-check returned no sample.')
    const { content } = sample
    const csr = { ...content.csr, warnings: [], extensions: [], attributes: [] }
    const request = { ...content.request, duration }
    const createdAt = new Date(Date.parse(now) - 86_400_000)
    const order = { ...sample, state: 'awaiting', createdAt, content: { ...content, csr, request } } as Order
    const details = createDetails({ now: new Date(now) })
    const window = JSON.stringify(buildApproval(order, details))
    for (const text of [cardView(order, details).text, window])
      expect(/Public authorities issue certificates for at most (\d+) days/.exec(text)?.[1]).toBe(
        days?.toString(),
      )
  })

  it.each([
    [['CN=shop.example.com'], undefined],
    [['CN=shop.example.com', 'O=Example', 'C=CH'], 'Subject: O=Example, C=CH'],
  ])('show what the subject %s has beside the name', (parts, expected) => {
    const { content, ...order } = createOrder()
    const subjectParts = parts.map((part) => {
      const [label = '', text = ''] = part.split('=')
      return { label, text }
    })
    const shown = { ...order, content: { ...content, csr: { ...content.csr, subjectParts } } }
    const { text } = orderView(shown, createDetails(), {})
    expect(text.split('\n').find((line) => line.startsWith('Subject'))).toBe(expected)
  })

  it('are green only where they are edited at each step', () => {
    const [sample] = fc.sample(orders, { numRuns: 1, seed: 7 })
    const order = { ...sample, state: 'awaiting' } as Order
    const details = createDetails({})
    const reader = { canApprove: true }
    const [card, ...others] = [
      cardView(order, details),
      noticeView(order, details, { canApprove: true }),
      orderView(order, details, reader),
      outcomeView(order, details, reader),
    ].map((message) => JSON.stringify(message))
    expect(card).toContain('"primary"')
    for (const other of others) {
      expect(other).toContain('Review and approve')
      expect(other).not.toContain('"primary"')
    }
  })
})

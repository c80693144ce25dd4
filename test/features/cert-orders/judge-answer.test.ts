import { LIMITS } from '@signalman/slack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import type { CertOrderDeps } from '../../../src/features/cert-orders/create-cert-orders.ts'
import { approveForm } from '../../../src/features/cert-orders/forms/approve.ts'
import { judgeAnswer } from '../../../src/features/cert-orders/rules/answer.ts'
import { transition } from '../../../src/features/cert-orders/rules/lifecycle.ts'
import type { Order, OrderOutcome } from '../../../src/features/cert-orders/rules/order.ts'
import { listView } from '../../../src/features/cert-orders/views/list.ts'
import {
  cardView,
  noticeView,
  orderView,
  outcomeView,
} from '../../../src/features/cert-orders/views/messages.ts'
import { quickOrLong } from '../../long.ts'
import { RECEIVED_ANSWERS, UNCLEAR_ANSWERS } from './answers.ts'
import { createDetails, createOrder, NOW } from './details.ts'

const DETAILS = createDetails()

const SUBMITTING: Order = (() => {
  const approve = { kind: 'approve', by: 'U2', hash: 'h', domains: [] } as const
  const result = transition(createOrder(), approve, NOW)
  if ('refusal' in result) throw new Error(result.refusal)
  return result.next
})()

function applyAnswer(answer: string): Order {
  const verdict = judgeAnswer(answer)
  const outcome: OrderOutcome =
    verdict.is === 'received'
      ? { kind: 'received', answered: { id: verdict.id, answer } }
      : { kind: 'unknown', why: verdict.why, said: [], sender: 'ended', answered: { answer } }
  const result = transition(SUBMITTING, { kind: 'answer', outcome }, NOW)
  if ('refusal' in result) throw new Error(result.refusal)
  return result.next
}

/** Everything that Signalman says about the order in its own words: without what it quotes from the answer. */
function readOwnWords(answer: string): string {
  const order = applyAnswer(answer)
  const reader = { isRequester: true, canApprove: true }
  const messages = [
    cardView(order, DETAILS),
    orderView(order, DETAILS, reader),
    outcomeView(order, DETAILS, { isRequester: true }),
    noticeView(order, DETAILS, { isRequester: true }),
    noticeView(order, DETAILS, { canApprove: true }),
    listView(
      ...([[order], { page: 1, pages: 1, total: 1 }, { environment: 'production' as const }] as const),
      ...[{ reader: { userId: 'U1', seesPeople: true }, canApprove: () => false, now: NOW, ofAll: 1 }],
    ),
  ]
  const isQuote = (block: { type: string }): boolean => block.type === 'rich_text'
  const text = messages
    .map(
      ({ text: summary, blocks = [] }) => summary + JSON.stringify(blocks.filter((block) => !isQuote(block))),
    )
    .join('\n')
    // Slack's link protection.
    .replaceAll('\u2060', '')
  return readGivenId(answer)
    .toSorted((left, right) => right.length - left.length)
    .reduce((rest, quote) => rest.replaceAll(quote, ''), text)
}

const readGivenId = (answer: string): string[] => {
  const verdict = judgeAnswer(answer)
  return verdict.is === 'received'
    ? [`ID ${verdict.id}`, `ID\\n${verdict.id}`, `ID: ${verdict.id}`, `ID*\\n${verdict.id}`]
    : []
}

const CLAIMS = /🟢|✅|\b(?:placed|accepted|done|issued|delivered|successful)\b/i

describe('an answer with a success status', () => {
  it.each(Object.entries(RECEIVED_ANSWERS))(
    'means that the service has the order, but isn’t called placed, accepted, or done: %s',
    (_, answer) => {
      expect(judgeAnswer(answer)).toMatchObject({ is: 'received' })
      expect(applyAnswer(answer).state).toBe('received')
      expect(readOwnWords(answer)).not.toMatch(CLAIMS)
    },
  )

  it.each(Object.entries(UNCLEAR_ANSWERS))(
    'leaves the outcome unknown, and isn’t called so either: %s',
    (_, answer) => {
      expect(judgeAnswer(answer)).toMatchObject({ is: 'unclear' })
      expect(applyAnswer(answer).state).toBe('unknown')
      expect(readOwnWords(answer)).not.toMatch(CLAIMS)
    },
  )

  it.each(['"123456789012345678901"', '9007199254740991'])('keeps every digit of an ID: %s', (id) => {
    expect(judgeAnswer(`{"data":{"id":${id}}}`)).toEqual({ is: 'received', id: id.replaceAll('"', '') })
  })

  it('is never called placed, accepted, or done: random answers', () => {
    const words = fc.constantFrom(...'REJECTED failed ISSUED accepted done abgelehnt OK success'.split(' '))
    const keys = fc.constantFrom(...'status result orderState message errors success id data'.split(' '))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.oneof(words, fc.constantFrom(0, 42, 1.5, true, null, '')),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 3 }),
      ),
    }))
    const id = fc.constantFrom('7', 7, '', null)
    const answers = fc.oneof(
      fc
        .record({ data: fc.record({ id, attributes: value }), more: value })
        .map((body) => JSON.stringify(body)),
      value.map((body) => JSON.stringify(body)),
      value.map((body) => JSON.stringify(body).slice(0, -1)),
    )
    fc.assert(
      fc.property(answers, (answer) => {
        expect(readOwnWords(answer)).not.toMatch(CLAIMS)
        if (applyAnswer(answer).state === 'received') expect(String(JSON.parse(answer).data.id)).toMatch(/\d/)
        // No word but those of a field for errors decides about an answer that has an ID.
        else if (!answer.includes('"errors":') && answer.startsWith('{"data":{"id":7,')) expect.fail(answer)
      }),
      { numRuns: quickOrLong('RANDOM_ANSWERS', { quick: 200, long: 40_000 }) },
    )
  })
})

it('is one press away from the requester’s message, and not on it', () => {
  const order = applyAnswer('{"data":{"id":"4711","cname":"_x.example"}}')
  const { text, blocks } = outcomeView(order, DETAILS, { isRequester: true })
  expect(text).toMatch(/^📨 Your order 1 was received by the service · service order 4711 · /)
  expect(JSON.stringify(blocks)).not.toContain('_x.example')
  expect(JSON.stringify(blocks)).toContain('/cert-order file 1')
  expect(text).toContain('Signalman doesn’t follow the order from here')
})

it.each<[title: string, outcome: OrderOutcome | undefined]>([
  ['Received', { kind: 'received', answered: { id: '7', answer: '{}' } }],
  ['Failed', { kind: 'failed', why: 'No.', said: [] }],
  ['Failed', { kind: 'failed', why: 'Not there.', said: [], by: 'U3' }],
  ['Outcome unknown', { kind: 'unknown', why: 'Lost.', said: [], sender: 'silent' }],
  ['Being sent', undefined],
])(
  'is titled, for the person who approved it, with its state, above what happened: %s',
  async (title, outcome) => {
    const result = outcome ? transition(SUBMITTING, { kind: 'answer', outcome }, NOW) : { next: SUBMITTING }
    if ('refusal' in result) throw new Error(result.refusal)
    const message = orderView(result.next, DETAILS, {})
    if (outcome && 'why' in outcome) expect(message.text).toContain(outcome.why)
    const deps = { service: { approve: async () => result.next }, renderOutcome: async () => message }
    // Cast: only these parts are used.
    const [context, given] = [{}, deps] as unknown as [CommandContext, CertOrderDeps]
    expect(await approveForm.submit(context, undefined, { number: 1, hash: 'h' }, given)).toEqual({
      ...{ title, blocks: message.blocks, fallbackMessage: message },
    })
    expect(title.length).toBeLessThanOrEqual(LIMITS.modalTitle)
  },
)

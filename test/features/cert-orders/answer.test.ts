import { describe, expect, it } from 'vitest'
import { formatAnswer, listLeaves } from '../../../src/features/cert-orders/rules/answer.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { answerView } from '../../../src/features/cert-orders/views/answer.ts'

const BIG = '12345678901234567890'
const DCV =
  '{"data":{"id":"500","attributes":{"dcv":{"type":"CNAME","name":"_x.bank.com","value":"y.ca.example"}}}}'

/** Responses of the service, including ones that it isn't known to give. */
const RESPONSES: Readonly<Record<string, string>> = {
  'JSON:API': '{"data":{"type":"order","id":"500","attributes":{"status":"pending"}}}',
  'a number as an ID': '{"data":{"id":500}}',
  'a long number as an ID': `{"data":{"id":${BIG},"attributes":{"status":"pending"}}}`,
  'a long number elsewhere': `{"data":{"id":"1"},"meta":{"trace":${BIG}}}`,
  'validation records': DCV,
  'a list of records':
    '{"data":{"id":"1","validations":[{"host":"_a","content":"b","record_type":"txt"},{"host":"_c","content":"d","record_type":"cname"}]}}',
  'a token without a record name': '{"id":"1","dns":{"token":"abc","expires":"2026-04-01"}}',
  'an envelope': '{"message":"OK","data":{"id":"7"}}',
  'a bare object': '{"id":7,"state":"new"}',
  'a list': '[{"id":1},{"id":2}]',
  'a string': '"accepted"',
  'a number': '42',
  'an empty response': '',
  null: 'null',
  'invalid JSON': 'Thank you.\nWe will call you.',
  'broken JSON': '{"data":{"id":"5',
  'unusual fields': '{"data":{"id":"1","__proto__":{"x":1},"":"e","a.b":[[],{},[1.50,-0,1e400,true,null]]}}',
  'hostile text': '{"data":{"id":"<!channel>","note":"*b* <@U1> `x` \\u202e \\u0000"}}',
  'a lot of text': JSON.stringify({
    data: { id: '1', list: Array.from({ length: 900 }, (_, at) => ({ at, text: 'x'.repeat(60) })) },
  }),
  'deep nesting': `${'['.repeat(2000)}1${']'.repeat(2000)}`,
  'a long line': `{"data":{"id":"1","blob":"${'z'.repeat(9000)}"}}`,
}

function createPlacedOrder(answer: string): Order {
  const placed = { kind: 'received' as const, answered: { answer } }
  const order = {
    number: 7,
    state: 'received',
    environment: 'production',
    bodyHash: 'h',
    content: { request: { action: 'create' }, csr: { subject: 'CN=a', names: [] }, outcome: placed },
  }
  // Cast: only has the fields that the view uses.
  return order as unknown as Order
}

function collectTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === 'text' && typeof child === 'string' ? child.split('\n') : collectTexts(child),
  )
}

/** Returns the lines of the response on this page and all later ones. */
function readShownLines(order: Order, from = 1): string[] {
  const { blocks = [] } = answerView(order, from)
  const text = JSON.stringify(blocks)
  const lines = blocks
    .slice(1)
    .filter(({ type }) => type === 'rich_text')
    .flatMap(collectTexts)
  const next = [...text.matchAll(/answer 7 --from (\d+)/g)]
    .map(([, line]) => Number(line))
    .find((line) => line > from)
  return [...lines, ...(next === undefined ? [] : readShownLines(order, next))]
}

const withoutSpaces = (text: string): string => text.replace(/\s+/g, '')

describe('the response of the service', () => {
  it.each(Object.entries(RESPONSES))('is shown in full: %s', (name, answer) => {
    const lines = formatAnswer(answer)
    // Only whitespace may differ.
    expect(withoutSpaces(lines.join(''))).toBe(withoutSpaces(answer))
    const shown = readShownLines(createPlacedOrder(answer)).join('')
    if (name !== 'hostile text') expect(withoutSpaces(shown)).toContain(withoutSpaces(answer))
    for (const { value } of listLeaves(answer)?.slice(0, 50) ?? [])
      if (/^[\w-]+$/.test(value)) expect(shown).toContain(value)
  })

  it('is split into pages of whole lines', () => {
    const order = createPlacedOrder('{\n"a":1\n}')
    expect(answerView(order, 1).text).toMatch(/\blines 1–(\d) of \1\b/)
    expect(answerView(order, 99).text).toMatch(/\bline (\d) of \1\b/)
  })

  it('keeps every digit of a long number', () => {
    expect(listLeaves(RESPONSES['a long number as an ID'] ?? '')?.[0]).toEqual({
      path: 'data.id',
      value: BIG,
    })
    expect(
      readShownLines(createPlacedOrder(RESPONSES['a long number elsewhere'] ?? '')).join('\n'),
    ).toContain(BIG)
  })

  it('is shown without any mention that Slack would parse', () => {
    const { text = '', blocks } = answerView(createPlacedOrder(RESPONSES['hostile text'] ?? ''), 1)
    expect(text).not.toContain('<!channel>')
    expect(JSON.stringify(blocks)).not.toContain('"type":"user"')
  })

  it('is replaced by a note if no response is stored', () => {
    const { text } = answerView(createPlacedOrder(''), 1)
    expect(text).toContain('No answer from the service is stored.')
    expect(text).not.toContain('This is the service’s first answer')
    const waiting = answerView({ ...createPlacedOrder(''), state: 'awaiting' } as Order, 1)
    expect(waiting.text).toContain('Order 7 hasn’t been sent to the service yet.')
    expect(answerView(createPlacedOrder(DCV), 1).text).toContain('This is the service’s first answer')
  })
})

import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import type { Delivery } from '../../src/protocol/protocol.ts'
import { formatPayload } from '../../src/web/inspector/format-payload.ts'
import { summarize } from '../../src/web/inspector/summary.ts'
import { toTextBlock } from '../../src/web/text/rich.ts'

describe('rich text', () => {
  it('never parses its text as markup', () => {
    expect(
      toTextBlock({ type: 'rich_text_section', elements: [{ type: 'text', text: '*x* <@U1> &lt;' }] }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'text', text: '*x* <@U1> &lt;' }],
    })
  })

  it('applies styles to text and mentions', () => {
    expect(
      toTextBlock({
        type: 'rich_text_section',
        elements: [{ type: 'user', user_id: 'U1', style: { bold: true, code: true } }],
      }),
    ).toEqual({
      kind: 'paragraph',
      children: [{ kind: 'bold', children: [{ kind: 'code', children: [{ kind: 'user', id: 'U1' }] }] }],
    })
  })
})

describe('the inspector', () => {
  it.each([
    [null, '(empty)'],
    ['', '(empty)'],
    ['plain', 'plain'],
    ['{"a":1}', '{\n  "a": 1\n}'],
    [{ payload: '{"a":[1]}' }, '{\n  "payload": {\n    "a": [\n      1\n    ]\n  }\n}'],
    ['[broken', '[broken'],
  ])('formats the payload %j', (body, text) => {
    expect(formatPayload(body)).toBe(text)
  })
})

describe('the summary of a delivery', () => {
  const delivery = (kind: string, body: Json): Delivery => ({
    id: 'D1',
    direction: kind === 'chat.postMessage' ? 'from-app' : 'to-app',
    kind,
    at: '2026-11-20T12:00:00.000Z',
    durationMs: 1,
    user: null,
    request: { method: 'POST', url: '', headers: {}, body },
    response: null,
    verdict: 'ok',
    notes: [],
    retry: null,
  })

  it.each<[kind: string, body: Json, summary: string]>([
    ['command', { command: '/hc', text: 'list' }, '/hc list'],
    ['command', { command: '/hc', text: '' }, '/hc'],
    ['block_actions', { actions: [{ action_id: 'show' }] }, 'show'],
    ['block_suggestion', { action_id: 'find', value: 'ab' }, 'find ab'],
    ['view_submission', { view: { callback_id: 'form' } }, 'form'],
    ['message_action', { callback_id: 'look' }, 'look'],
    ['chat.postMessage', { channel: 'C1', text: 'x' }, 'C1'],
    ['block_actions', null, ''],
    ['block_actions', { actions: 'odd' }, ''],
  ])('for %s with %j is %j', (kind, body, summary) => {
    expect(summarize(delivery(kind, body))).toBe(summary)
  })
})

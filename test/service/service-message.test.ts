import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readServiceMessage } from '../../src/service/response-errors.ts'

const toJson = (body: unknown) => JSON.stringify(body)

describe('an error message of the service', () => {
  it.each([
    {
      form: 'an array',
      body: toJson({
        errors: [
          { code: 'A', message: 'One.' },
          { code: 'B', message: 'Two.' },
        ],
      }),
      messages: ['One.', 'Two.'],
      codes: ['A', 'B'],
    },
    {
      form: 'one object',
      body: toJson({ errors: { code: 'A', message: 'One.' } }),
      messages: ['One.'],
      codes: ['A'],
    },
    { form: 'a sentence', body: toJson({ errors: 'No.' }), messages: ['No.'], codes: [] },
    {
      form: 'sentences',
      body: toJson({ errors: ['No.', 'Never.'] }),
      messages: ['No.', 'Never.'],
      codes: [],
    },
    {
      form: 'JSON:API',
      body: toJson({ errors: [{ title: 'Bad CSR', detail: 'no key', status: '422' }] }),
      messages: ['no key'],
      codes: [],
    },
    {
      form: 'JSON:API without detail',
      body: toJson({ errors: [{ title: 'Bad CSR' }] }),
      messages: ['Bad CSR'],
      codes: [],
    },
    {
      form: 'only a code',
      body: toJson({ errors: [{ code: 'NOT_FOUND' }] }),
      messages: [],
      codes: ['NOT_FOUND'],
    },
    { form: 'a lone message', body: toJson({ message: 'Slow down' }), messages: ['Slow down'], codes: [] },
    {
      form: 'an error code',
      body: toJson({ error: 'invalid_token', error_description: 'Expired' }),
      messages: ['invalid_token'],
      codes: [],
    },
    { form: 'a bare array', body: toJson([{ message: 'One.' }]), messages: ['One.'], codes: [] },
    { form: 'a JSON text', body: toJson('No.'), messages: ['No.'], codes: [] },
    { form: 'plain text', body: ' upstream\n went  away ', messages: ['upstream went away'], codes: [] },
    { form: 'an HTML page', body: '<html><title>502</title><p>x', messages: [], codes: [] },
    {
      form: 'repeated messages',
      body: toJson({ errors: [{ message: 'One.' }, { message: 'One.' }] }),
      messages: ['One.'],
      codes: [],
    },
  ])('is read from $form', ({ body, messages, codes }) => {
    expect(readServiceMessage(body)).toEqual({ messages, codes })
  })

  it('replaces control and direction characters with spaces', () => {
    expect(readServiceMessage(toJson({ errors: ['a\u0000b\u202ec\u200bd\ne'] })).messages).toEqual([
      'a b c d e',
    ])
  })

  it('is shortened to 10 sentences of 300 characters, without splitting a surrogate pair', () => {
    const errors = Array.from({ length: 50 }, (_, index) => ({ message: `${index}${'x'.repeat(297)}😀😀` }))
    const { messages } = readServiceMessage(toJson({ errors }))
    expect(messages).toHaveLength(10)
    for (const sentence of messages) {
      expect(sentence.length).toBeLessThanOrEqual(300)
      expect(sentence.isWellFormed()).toBe(true)
      expect(sentence).toMatch(/…$/)
    }
  })

  it.each([
    ['unclosed tags', '<'.repeat(200_000)],
    ['unclosed scripts', '<script>'.repeat(50_000)],
    ['a title that never ends', `<title ${'x'.repeat(200_000)}`],
    ['nesting', '['.repeat(300_000)],
    ['spaces', `<p>${' '.repeat(200_000)}x`],
  ])('is limited to 300 characters even if the body contains %s', (_, body) => {
    for (const sentence of readServiceMessage(body).messages) expect(sentence.length).toBeLessThanOrEqual(300)
  })

  it('is read from any JSON without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const wrapped of [body, { errors: body }, { error: body }, { errors: [body] }]) {
          const { messages, codes } = readServiceMessage(JSON.stringify(wrapped))
          expect([...messages, ...codes].every((text) => text.length <= 300)).toBe(true)
        }
      }),
    )
  })
})

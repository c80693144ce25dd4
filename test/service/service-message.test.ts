import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readServiceMessage } from '../../src/service/response-errors.ts'

describe('an error message of the service', () => {
  const [one, two] = ['One.', 'Two.'].map((message, nth) => ({ code: 'AB'.charAt(nth), message }))

  it.each<[form: string, body: unknown, messages: string[], codes?: string[]]>([
    ['an array', { errors: [one, two] }, ['One.', 'Two.'], ['A', 'B']],
    ['one object', { errors: one }, ['One.'], ['A']],
    ['a sentence', { errors: 'No.' }, ['No.']],
    ['JSON:API', { errors: [{ title: 'Bad CSR', detail: 'no key', status: '422' }] }, ['no key']],
    ['JSON:API without detail', { errors: [{ title: 'Bad CSR' }] }, ['Bad CSR']],
    ['only a code', { errors: [{ code: 'NOT_FOUND' }] }, [], ['NOT_FOUND']],
    ['a lone message', { message: 'Slow down' }, ['Slow down']],
    ['an error code', { error: 'invalid_token', error_description: 'Expired' }, ['invalid_token']],
    ['a bare array', [{ message: 'One.' }], ['One.']],
    ['repeated messages', { errors: [{ message: 'One.' }, { message: 'One.' }] }, ['One.']],
    ['a JSON text', 'No.', ['No.']],
  ])('is read from %s', (_, body, messages, codes = []) => {
    expect(readServiceMessage(JSON.stringify(body))).toEqual({ messages, codes })
  })

  it.each([
    ['plain text', ' upstream\n went  away ', []],
    ['nothing', '', []],
    ['an HTML page', '<html><title>502</title><p>x', []],
  ])('is read from a body that isn’t JSON: %s', (_, body, messages) => {
    expect(readServiceMessage(body)).toEqual({ messages, codes: [] })
  })

  it('replaces control and direction characters with spaces', () => {
    expect(readServiceMessage(JSON.stringify({ errors: ['a\u0000b\u202ec\u200bd\ne'] })).messages).toEqual([
      'a b c d e',
    ])
  })

  it('is shortened to 10 sentences of 300 characters, without splitting a surrogate pair', () => {
    const errors = Array.from({ length: 50 }, (_, index) => ({ message: `${index}${'x'.repeat(297)}😀😀` }))
    const { messages } = readServiceMessage(JSON.stringify({ errors }))
    expect(messages).toHaveLength(10)
    for (const sentence of messages) {
      expect(sentence.length).toBeLessThanOrEqual(300)
      expect(sentence.isWellFormed()).toBe(true)
      expect(sentence).toMatch(/…$/)
    }
  })

  it.each([
    ['unclosed tags', '<'.repeat(200_000)],
    ['a title that never ends', `<title ${'x'.repeat(200_000)}`],
    ['nesting', '['.repeat(300_000)],
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

import { describe, expect, it } from 'vitest'
import { isExpensiveToParse } from '../../src/service/parse-queue.ts'

const repeat = (count: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => item(index))

describe('JSON that is too expensive to parse', () => {
  it.each([
    {
      content: 'a short body of any shape',
      body: repeat(5000, (index) => ({ [`k${index}`]: [index] })),
      heavy: false,
    },
    {
      content: '50,000 comments',
      body: { comments: repeat(50_000, () => ({ content: 'seen' })) },
      heavy: false,
    },
    { content: '3 MB of text', body: { text: 'x"y: '.repeat(600_000) }, heavy: false },
    { content: '900 KB of numbers', body: repeat(450_000, () => 1), heavy: false },
    {
      content: '60,000 different keys',
      body: Object.fromEntries(repeat(60_000, (index) => [`key ${index}`, 1]) as [string, number][]),
      heavy: true,
    },
    {
      content: '60,000 objects of one key each',
      body: repeat(60_000, (index) => ({ [`key ${index}`]: 1 })),
      heavy: true,
    },
    { content: '1.2 MB of numbers', body: repeat(600_000, () => 1), heavy: true },
    { content: '1.2 MB of objects', body: repeat(150_000, () => ({ a: 1 })), heavy: true },
  ])('is detected: $content ($heavy)', ({ body, heavy }) => {
    expect(isExpensiveToParse(Buffer.from(JSON.stringify(body)))).toBe(heavy)
  })
})

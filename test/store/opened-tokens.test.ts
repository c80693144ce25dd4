import { describe, expect, it } from 'vitest'
import { createOpenedTokens } from '../../src/store/opened-tokens.ts'

/** Tokens over a clock that the test moves, and a count of openings. */
function watched() {
  let at = 0
  let openings = 0
  const tokens = createOpenedTokens(() => new Date(at))
  return {
    tokens,
    pass: (ms: number) => {
      at += ms
    },
    get: (sealed: string) =>
      tokens.get(sealed, () => {
        openings++
        return `opened ${sealed}`
      }),
    openings: () => openings,
  }
}

describe('opened tokens', () => {
  it('are opened once in a minute', () => {
    const { get, pass, openings } = watched()
    expect([get('a'), get('a')]).toEqual(['opened a', 'opened a'])
    pass(59_999)
    get('a')
    expect(openings()).toBe(1)
    pass(1)
    expect(get('a')).toBe('opened a')
    expect(openings()).toBe(2)
  })

  it('are dropped when asked', () => {
    const { tokens, get, openings } = watched()
    get('a')
    tokens.clear()
    get('a')
    expect(openings()).toBe(2)
  })

  it('are at most 200, the oldest going first', () => {
    const { get, openings } = watched()
    for (let i = 0; i <= 200; i++) get(String(i))
    expect(openings()).toBe(201)
    get('1')
    expect(openings()).toBe(201)
    get('0')
    expect(openings()).toBe(202)
  })

  it('are not kept when they do not open', () => {
    const { tokens, get } = watched()
    const fail = () => {
      throw new Error('on purpose')
    }
    expect(() => tokens.get('a', fail)).toThrow('on purpose')
    expect(get('a')).toBe('opened a')
  })
})

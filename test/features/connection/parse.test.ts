import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldErrors } from '../../../packages/runtime/src/errors.ts'
import { cleanToken } from '../../../src/features/connection/forms.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

describe('a pasted token', () => {
  it.each([
    { pasted: 'abc.DEF-123_=', why: 'as is' },
    { pasted: '  abc.DEF-123_=\n', why: 'with spaces around it' },
    { pasted: '"abc.DEF-123_="', why: 'in quotes' },
    { pasted: '`abc.DEF-123_=`', why: 'in back-ticks' },
    { pasted: '“abc.DEF-123_=”', why: 'in smart quotes' },
    { pasted: 'Bearer abc.DEF-123_=', why: 'with its scheme' },
    { pasted: 'bearer   "abc.DEF-123_="', why: 'with its scheme outside the quotes' },
    { pasted: "'Authorization: Bearer abc.DEF-123_='", why: 'as a header in quotes' },
  ])('is accepted $why', ({ pasted }) => {
    expect(cleanToken(pasted)).toBe('abc.DEF-123_=')
  })

  it.each([
    { pasted: undefined, says: 'Paste the whole token' },
    { pasted: ' `` ', says: 'Paste the whole token' },
    { pasted: 'Bearer', says: 'Paste the whole token' },
    { pasted: 'abc def', says: 'spaces or line breaks' },
    { pasted: 'abc\ndef', says: 'spaces or line breaks' },
    { pasted: 'abc\u00a0def', says: 'spaces or line breaks' },
    { pasted: 'abc\u0000def', says: 'Copy the token again' },
    { pasted: 'abc\u200bdef', says: 'Copy the token again' },
    { pasted: '••••••', says: 'Copy the token again' },
  ])('is rejected at its field: $says', ({ pasted, says }) => {
    expect(findTokenError(() => cleanToken(pasted))).toContain(says)
  })

  it('is either valid in a header or rejected at its field, for any pasted text', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 60 }), (pasted) => {
        try {
          expect(cleanToken(pasted)).toMatch(/^[\x21-\x7e]+$/)
        } catch (error) {
          if (!(error instanceof FieldErrors)) throw error
          expect(Object.keys(error.fields)).toEqual(['token'])
        }
      }),
    )
  })
})

function findTokenError(clean: () => unknown): string {
  try {
    clean()
  } catch (error) {
    if (error instanceof FieldErrors) return error.fields.token ?? ''
  }
  throw new Error('The token was accepted.')
}

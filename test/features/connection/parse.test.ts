import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FieldErrors } from '../../../packages/runtime/src/errors.ts'
import { cleanToken, connectForm } from '../../../src/features/connection/forms.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

describe('a pasted token', () => {
  it.each([
    { pasted: 'abc.DEF-123_=', how: 'as is' },
    { pasted: '"abc.DEF-123_="', how: 'in quotes' },
    { pasted: '“abc.DEF-123_=”', how: 'in smart quotes' },
    { pasted: 'bearer   "abc.DEF-123_="', how: 'with its scheme outside the quotes' },
    { pasted: "'Authorization: Bearer abc.DEF-123_='", how: 'as a header in quotes' },
  ])('is accepted $how', ({ pasted }) => {
    expect(cleanToken(pasted)).toBe('abc.DEF-123_=')
  })

  it.each([
    { description: 'nothing', pasted: undefined, expectedText: 'Paste the whole token' },
    { description: 'only the scheme', pasted: 'Bearer', expectedText: 'Paste the whole token' },
    { description: 'a space', pasted: 'abc def', expectedText: 'spaces or line breaks' },
    { description: 'a zero-width space', pasted: 'abc\u200bdef', expectedText: 'Copy the token again' },
    { description: 'the dots of a hidden token', pasted: '••••••', expectedText: 'Copy the token again' },
  ])('is rejected at its field if it contains $description: $expectedText', ({ pasted, expectedText }) => {
    expect(findTokenError(() => cleanToken(pasted))).toContain(expectedText)
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

it.each([
  ['production', '--env ote'],
  ['ote', '--env production'],
] as const)('the window for a token of %s says how to open the other one', (environment, flag) => {
  const state = { stored: [], configured: {}, hasOte: true }
  expect(JSON.stringify(connectForm.open(environment, state))).toContain(flag)
  const withoutOte = connectForm.open(environment, { ...state, hasOte: false })
  expect(JSON.stringify(withoutOte)).not.toContain('--env')
})

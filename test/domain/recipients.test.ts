import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRecipients, recipientKey } from '../../src/domain/recipients.ts'
import { describeBadAddresses } from '../../src/features/alerts/rules/recipient-list.ts'
import { ANY_CHARACTER } from '../any-character.ts'
import { quickOrLong } from '../long.ts'

describe('pasted recipients', () => {
  it.each([
    { text: 'a@example.com', format: 'one' },
    { text: 'a@example.com\u00a0\u200bb@example.com', format: 'invisible spaces' },
    { text: 'Ann Lee <a@example.com>, Bo <b@example.com>', format: 'names' },
    { text: '"Lee, Ann" <a@example.com>; "B; o" <b@example.com>', format: 'quoted names' },
    { text: 'Lee, Ann <a@example.com>; Oe, Bo <b@example.com>', format: 'last names first' },
    { text: '<mailto:a@example.com|a@example.com> <mailto:b@example.com|B>', format: "Slack's wrapping" },
    { text: 'Ann <mailto:a@example.com|a@example.com>\nb@example.com', format: 'wrapping after a name' },
    { text: 'mailto:a@example.com?subject=Hi, (b@example.com).', format: 'links and punctuation' },
    { text: 'To: <a@example.com>, `b@example.com`', format: 'a copied header' },
    { text: 'a@example.com <a@example.com> b@example.com', format: 'an address as the name' },
  ])('are parsed: $format', ({ text }) => {
    const { addresses, bad } = parseRecipients(text)
    expect(bad).toEqual([])
    expect(addresses).toEqual(['a@example.com', 'b@example.com'].slice(0, addresses.length))
    expect(addresses.length).toBe(text === 'a@example.com' ? 1 : 2)
  })

  it('are deduplicated case-insensitively', () => {
    expect(parseRecipients('a@example.com A@example.com a@EXAMPLE.com')).toEqual({
      addresses: ['a@example.com'],
      bad: [],
    })
  })

  it.each([
    { text: 'john.example.com, jane@example.com, Bob <bob@example.com>', bad: ['john.example.com'] },
    { text: 'john.example.com Bob <bob@example.com> jane@example.com', bad: ['john.example.com'] },
    { text: 'x, y, Bob <bob@example.com>, jane@example.com', bad: ['x'] },
    { text: 'J. R. Smith <bob@example.com>, jane@example.com', bad: [] },
  ])('are reported if invalid in "$text"', ({ text, bad }) => {
    const parsed = parseRecipients(text)
    expect(parsed.addresses.toSorted()).toEqual(['bob@example.com', 'jane@example.com'])
    expect(parsed.bad.map(({ typed }) => typed)).toEqual(bad)
  })

  it('have international domains converted to Punycode', () => {
    expect(parseRecipients('ann@bücher.example, ann@xn--bcher-kva.example')).toMatchObject({
      addresses: ['ann@xn--bcher-kva.example'],
    })
  })

  it.each([
    { typed: 'bob', reason: 'has no @' },
    { typed: '@example.com', reason: 'has nothing before the @' },
    { typed: 'bob@', reason: 'has nothing after the @' },
    { typed: 'a@b@example.com', reason: 'has more than one @' },
    { typed: 'a..b@example.com', reason: 'has an invalid part before the @' },
    { typed: `${'a'.repeat(65)}@example.com`, reason: 'has an invalid part before the @' },
    { typed: 'bob@localhost', reason: 'has no dot in its domain' },
    { typed: 'bob@exa_mple.com', reason: 'has an invalid domain after the @' },
    { typed: 'bob@-example.com', reason: 'has an invalid domain after the @' },
    { typed: 'bob@192.0.2.1', reason: 'has an invalid domain after the @' },
    { typed: `a@${'example.'.repeat(40)}com`, reason: 'is too long for an email address' },
  ])('are rejected with a reason: $typed $reason', ({ typed, reason }) => {
    const { addresses, bad } = parseRecipients(`a@example.com, ${typed}`)
    expect(addresses).toEqual(['a@example.com'])
    expect(bad).toEqual([{ typed, reason }])
  })

  it('are found with any mix of separators', () => {
    const separator = fc.constantFrom(' ', ',', ';', '\n', ', ', ' ;\t', '，')
    const address = fc.emailAddress().filter((typed) => parseRecipients(typed).addresses[0] === typed)
    fc.assert(
      fc.property(fc.array(fc.tuple(address, separator), { minLength: 1, maxLength: 20 }), (parts) => {
        const { addresses, bad } = parseRecipients(parts.flat().join(''))
        expect(bad).toEqual([])
        expect(new Set(addresses.map(recipientKey))).toEqual(
          new Set(parts.map(([typed]) => recipientKey(typed))),
        )
      }),
    )
  })

  it('are parsed from arbitrary text, and parsing the result again changes nothing', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'ab@.,;<>"|: \n\u202eé%-?', 'mailto:'),
      maxLength: 300,
    })
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: ANY_CHARACTER })), (text) => {
        const { addresses, bad } = parseRecipients(text)
        expect(parseRecipients(addresses.join('\n')).addresses).toEqual(addresses)
        if (bad.length > 0) expect(describeBadAddresses(bad).length).toBeLessThan(1200)
      }),
      { numRuns: quickOrLong('RECIPIENTS', { quick: 200, long: 5000 }) },
    )
  })
})

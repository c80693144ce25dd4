import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEscaped } from '../../src/validation/escaped.ts'

describe('mrkdwn text', () => {
  it.each([
    'plain',
    'R&amp;D, a &lt; b &gt; c',
    '<https://example.com/?a=1&amp;b=2|site>',
    '<mailto:ann@example.com|Ann>',
    '<@U0ADMIN001> <@U0ADMIN001|admin> <#C0GENERAL1> <#C0GENERAL1|general>',
    '<!here> <!channel> <!everyone> <!subteam^S0ONCALL01> <!subteam^S0ONCALL01|@on-call>',
    '<!date^1795000000^{date_short_pretty}|20 Nov>',
    '> said\nand not said',
  ])('is accepted: %j', (text) => {
    expect(isEscaped(text)).toBe(true)
  })

  it.each(['R&D', 'a < b', '<b>', '&nbsp;', '<@nobody>', '<https://example.com', '<!>'])(
    'is rejected: %j',
    (text) => {
      expect(isEscaped(text)).toBe(false)
    },
  )

  it('is always accepted if it is escaped', () => {
    const escapeText = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const markupText = fc.string({ unit: fc.constantFrom(...'&<>@#!|;amplt: \n') })
    fc.assert(fc.property(markupText, (text) => isEscaped(escapeText(text))))
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanTyped } from '../../../src/domain/typed-text/clean.ts'
import { foldName } from '../../../src/domain/typed-text/fold-name.ts'

describe('a cleaned line', () => {
  it.each([
    ['mute “Shop checkout” 2h', 'mute "Shop checkout" 2h'],
    ['«Shop» „Web“ Ann’s', '"Shop" "Web" Ann\'s'],
    ['––env ote', '--env ote'],
    ['—env ote', '--env ote'],
    ['-—env ote', '--env ote'],
    ['web\u20111 2026–12–25', 'web-1 2026-12-25'],
    ['22:00 – 24:00', '22:00 - 24:00'],
    // Punctuation between words stays as it is typed.
    ['Shop — API', 'Shop — API'],
    ['list\u00a0shop \u3000down\n', 'list shop down'],
    ['Sh\u200bop \u200eweb\u200f \u00adapi\ufeff', 'Shop web api'],
    ['<https://shop.example.com|shop.example.com>', 'shop.example.com'],
    ['<https://shop.example.com/a?b=1&amp;c=2>', 'https://shop.example.com/a?b=1&c=2'],
    ['<https://shop.example.com|>', 'https://shop.example.com'],
    ['<mailto:ann@example.com|ann@example.com>', 'ann@example.com'],
    ['<mailto:ann@example.com>', 'ann@example.com'],
    ['<#C0123|ops> <#C0123|> <#C0123>', '#C0123 #C0123 #C0123'],
    ['<@U0123|ann> <@U0123> <@W0123|>', '@U0123 @U0123 @W0123'],
    ['<!subteam^S0123|@on-call> <!subteam^S0123> <!here> <!channel|channel>', '@S0123 @S0123 @here @channel'],
    ['<!date^1700000000^{date}|Nov 14>', 'Nov 14'],
    ['a &amp;&amp; b &lt;c&gt;', 'a && b <c>'],
    ['&amp;lt;', '&lt;'],
    [
      '<https://example.com/threats/3f2504e0-4f89-41d3-9a0c-0305e82c3301|this report>',
      'https://example.com/threats/3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    ],
    [':fire: Shop :+1::skin-tone-3:', '🔥 Shop 👍🏼'],
    [':fire::fire: x', '🔥🔥 x'],
    // Neither an address nor a time has emoji in it, and nobody else knows a workspace’s own.
    ['2001:db8:a:b:1:2:x:y 10:100:30 :acme-logo:', '2001:db8:a:b:1:2:x:y 10:100:30 :acme-logo:'],
    ['https://example.com/a:key:b', 'https://example.com/a:key:b'],
    ['e\u0301cole', '\u00e9cole'],
    ['don\u1ffdt', "don't"],
    ['e\u0301\u200d', '\u00e9'],
    // Joiners are part of these.
    ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
    ['a\u200db', 'ab'],
  ])('%j is %j', (typed, expected) => {
    expect(cleanTyped(typed)).toBe(expected)
  })

  it('stays as it is when it is cleaned again, unless it had escaped markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (typed) => {
        fc.pre(!/[<&:]/.test(typed))
        const once = cleanTyped(typed)
        expect(cleanTyped(once)).toBe(once)
      }),
    )
  })

  // Without an answer within its time, a test fails.
  it('doesn’t hang, whatever is typed', () => {
    const parts = ['<', ':', ':a', '&', '\u2014', '\u200d', ':fire:', ' ', '<@', "'"]
    const texts = [
      ...parts.map((part) => part.repeat(20_000)),
      `:${'a'.repeat(60_000)}`,
      `${'1'.repeat(60_000)}:`,
    ]
    for (const text of texts) expect(cleanTyped(foldName(text)).length).toBeLessThanOrEqual(text.length)
  })
})

describe('the folded form of a name', () => {
  it.each([
    ['Ann’s Shop', "ann's shop"],
    ['Shop – API', 'shop - api'],
    ['🔥 Shop', ':fire: shop'],
    ['école', 'E\u0301COLE'],
    ['\u212bngstr\u00f6m', '\u00e5ngstro\u0308m'],
    ['❤️ web', ':heart: web'],
    ['👍🏼', ':+1::skin-tone-3:'],
    ['🇩🇪 web', ':flag-de: web'],
    ['Wait…', 'wait...'],
    ['a\u00a0b', 'a  b'],
    ['می‌خواهم', 'میخواهم'],
  ])('is the same for %j and %j, which look the same', (left, right) => {
    expect(foldName(left)).toBe(foldName(right))
  })

  it.each([
    ['web²', 'web2'],
    ['école', 'ecole'],
    ['🔥', '🚒'],
    ['web.', 'web'],
    // A Cyrillic а.
    ['\u0430pi', 'api'],
  ])('isn’t the same for %j and %j', (left, right) => {
    expect(foldName(left)).not.toBe(foldName(right))
  })
})

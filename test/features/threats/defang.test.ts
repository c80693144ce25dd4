import { isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { visible } from '../../../packages/slack/src/blocks/text.ts'
import {
  defang,
  normalizeServiceUrl,
  safeDomain,
  safeEmail,
  safeLine,
  safeText,
  safeUrl,
} from '../../../src/features/threats/rules/defang.ts'
import { quickOrLong } from '../../long.ts'
import { HOSTILE } from './hostile.ts'

describe('defanging', () => {
  it.each([
    ['https://exa.mple', 'hxxps://exa[.]mple'],
    ['HTTP://EXA.MPLE/a.php?b=c.d', 'HXXP://EXA[.]MPLE/a[.]php?b=c[.]d'],
    ['ftp://files.example', 'ftp[:]//files[.]example'],
    ['javascript:alert(1)', 'javascript[:]alert(1)'],
    ['data:text/html,x', 'data[:]text/html,x'],
    ['mailto:a@exa.mple', 'mailto[:]a[@]exa[.]mple'],
    ['http:evil', 'hxxp:evil'],
    ['a@exa.mple', 'a[@]exa[.]mple'],
    ['a＠exa．mple', 'a[＠]exa[．]mple'],
    ['exa。mple', 'exa[。]mple'],
    ['192.0.2.1', '192[.]0[.]2[.]1'],
    ['2001:db8::1', '2001[:]db8[:][:]1'],
    ['[2001:DB8::1]:443', '[2001[:]DB8[:][:]1]:443'],
    ['::ffff:192.0.2.1', '[:][:]ffff[:]192[.]0[.]2[.]1'],
    ['1:2:3:4:5:6:7:8', '1[:]2[:]3[:]4[:]5[:]6[:]7[:]8'],
    ['(IP:2001:db8::1).', '(IP:2001[:]db8[:][:]1).'],
    ['exa\u200b.mple', 'exa[U+200B][.]mple'],
    ['see exa.mple.', 'see exa[.]mple.'],
    ['exa.mple./x', 'exa[.]mple[.]/x'],
    ['"exa.mple", (exa.mple)', '"exa[.]mple", (exa[.]mple)'],
  ])('turns %j into %j', (text, safe) => {
    expect(defang(text)).toBe(safe)
  })

  it.each([
    'Wait... what?',
    'At 12:30:45, twice.',
    '00:1a:2b:3c:4d:5e',
    'std::vector',
    'a: b',
    '@ 5',
    'data: none',
  ])('leaves prose unchanged: %j', (text) => {
    expect(defang(text)).toBe(text)
  })

  it('leaves nothing clickable in arbitrary text', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const safe = defang(text)
        expect(safe).not.toMatch(/https?:|(?<!hxxps?):\/\//i)
        expect(safe).not.toMatch(/[\p{L}\p{N}_-][.。．｡․][\p{L}\p{N}_-]/u)
        expect(safe).not.toMatch(/[^\s[]@[^\s\]]/)
        const tokens = safe.split(/[^\p{L}\p{N}_:.]+/u)
        expect(tokens.filter((token) => token !== '::' && isIPv6(token))).toEqual([])
      }),
      { numRuns: quickOrLong('DEFANGED', { quick: 500, long: 20_000 }) },
    )
  })

  it('is idempotent, and keeps all of the text', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const safe = defang(text)
        expect(defang(safe)).toBe(safe)
        const refang = (shown: string) => shown.replace(/[[\]]/g, '').replace(/hxxp/gi, 'http')
        expect(refang(safe).toLowerCase()).toBe(refang(visible(text)).toLowerCase())
      }),
      { numRuns: quickOrLong('DEFANGED', { quick: 500, long: 20_000 }) },
    )
  })

  it('handles megabytes of repeated characters', () => {
    for (const text of ['a.', ':', 'a:', '@', 'h', 'http:', '1:', 'xn--', '\u202e', '. '])
      expect(safeLine(text.repeat(1_000_000), 100).length).toBeLessThanOrEqual(100)
    expect(defang(`${'f'.repeat(500_000)}${':f'.repeat(500_000)}`)).toContain('[:]')
  })

  it('joins or keeps the lines of a text, within a length limit', () => {
    expect(safeLine('a\r\n\tb', 10)).toBe('a b')
    expect(safeText(' a\r\nb ', 10)).toBe('a\nb')
    expect(safeLine('abc.def', 7)).toBe('abc[.]…')
  })
})

describe('names with two spellings', () => {
  it.each([
    ['пример.example', 'xn--e1afmkfd[.]example (пример[.]example)'],
    ['xn--e1afmkfd.example', 'xn--e1afmkfd[.]example (пример[.]example)'],
    ['ｅｘａ.mple', 'exa[.]mple (ｅｘａ[.]mple)'],
    ['exa.mple', 'exa[.]mple'],
    ['xn--', 'xn--'],
    ['exa\u200dmp\u3164le.test', 'exa[U+200D]mp[U+3164]le[.]test'],
    ['not a domain ü', 'not a domain ü'],
  ])('show %j as %j', (domain, expected) => {
    expect(safeDomain(domain)).toBe(expected)
  })

  it('include the real host of a URL that disguises it', () => {
    expect(safeUrl('https://bank.example@evil.test/login')).toBe(
      'hxxps://bank[.]example[@]evil[.]test/login (host: evil[.]test)',
    )
    expect(safeUrl('http://3221225985/')).toBe('hxxp://3221225985/ (host: 192[.]0[.]2[.]1)')
    expect(safeUrl('https://exаmple.test/')).toContain('(host: xn--exmple-4nf[.]test')
    expect(safeUrl('https://evil.test/a')).toBe('hxxps://evil[.]test/a')
    expect(safeUrl('no address')).toBe('no address')
  })

  it('include the domain of an email address in both spellings', () => {
    expect(safeEmail('a@пример.example')).toBe('a[@]пример[.]example (xn--e1afmkfd[.]example)')
    expect(safeEmail('nobody')).toBe('nobody')
  })
})

describe('a URL of the service itself', () => {
  const origin = 'https://api.example.com'

  it('is recognized by its origin', () => {
    expect(normalizeServiceUrl('https://API.example.com/a b', origin)).toBe('https://api.example.com/a%20b')
  })

  it.each([
    'https://api.example.com.evil.test/',
    'https://api.example.com@evil.test/',
    'https://user@api.example.com/',
    'https://user:secret@api.example.com/',
    'http://api.example.com/',
    'https://api.example.com:444/',
    '//api.example.com/',
    'javascript:https://api.example.com/',
    'blob:https://api.example.com/x',
    `https://api.example.com/${'a'.repeat(3000)}`,
    '',
  ])('isn’t recognized in %s', (address) => {
    expect(normalizeServiceUrl(address, origin)).toBeUndefined()
  })
})

import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type IndicatorKind,
  parseAsNumber,
  parseHost,
  parseIp,
  parseUrl,
} from '../../../../src/features/threats/rules/values.ts'
import { ANY_CHARACTER, WEB_URL } from '../../../any-character.ts'
import { quickOrLong } from '../../../long.ts'
import { HOSTILE } from '../hostile.ts'

describe('a normalized value', () => {
  it.each([
    ['EXA.mple.', 'exa.mple'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['exa\u3002mple', 'exa.mple'],
    ['_dmarc.exa.mple', '_dmarc.exa.mple'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['exa', undefined],
    ['exa mple.test', undefined],
    ['*.exa.mple', undefined],
    ['https://exa.mple', undefined],
    [`${'a'.repeat(64)}.mple`, undefined],
    [`${'a.'.repeat(200)}mple`, undefined],
    ['1.2.3', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is the canonical form of a host, or undefined for other text: %j → %j', (text, value) => {
    expect(parseHost(text)?.value).toBe(value)
  })

  it.each([
    ['HTTP://Exa.Mple:80/a b?q=[x]#f|', 'http://exa.mple/a%20b?q=%5Bx%5D#f%7C'],
    ['https://пример.рф/ü', 'https://xn--e1afmkfd.xn--p1ai/%C3%BC'],
    ["https://exa.mple/it's{100%}", "https://exa.mple/it's%7B100%25%7D"],
    ['http://[2001:DB8::1]/x', 'http://[2001:db8::1]/x'],
    ['https://exa.mple#', 'https://exa.mple/#'],
    ['ftp://exa.mple/x', 'ftp://exa.mple/x'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['exa.mple/path', undefined],
    ['https://', undefined],
    [`https://exa.mple/${'a'.repeat(5000)}`, undefined],
  ])('is the canonical form of a URL, or undefined for other text: %j → %j', (text, value) => {
    expect(parseUrl(text)?.value).toBe(value)
  })

  it.each([
    ['64500', '64500'],
    ['AS064500', '64500'],
    ['asn 4294967295', '4294967295'],
    ['4294967296', undefined],
    ['AS', undefined],
    ['-1', undefined],
  ])('is the canonical form of an AS number, or undefined for other text: %j → %j', (text, value) => {
    expect(parseAsNumber(text)?.value).toBe(value)
  })

  const anyText = fc.oneof(HOSTILE, WEB_URL, fc.domain(), fc.ipV6(), fc.string({ unit: ANY_CHARACTER }))

  /** Checks the format of each kind of value. URLs have only the characters of RFC 3986, appendix A. */
  const VALID_FORMS: Readonly<Record<IndicatorKind, (value: string) => boolean>> = {
    domain: (value) => /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(value),
    ipv4: isIPv4,
    ipv6: isIPv6,
    url: (value) =>
      /^(?:https?|ftp):\/\/(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/.test(value),
    as: (value) => /^\d{1,10}$/.test(value),
  }

  it('is valid, and doesn’t change when normalized again', () => {
    const parsers = [parseHost, parseIp, parseUrl, parseAsNumber]
    fc.assert(
      fc.property(anyText, (text) => {
        const values = parsers.flatMap((parse) => parse(text) ?? [])
        expect(values.filter(({ kind, value }) => !VALID_FORMS[kind](value))).toEqual([])
        const valuesAgain = parsers.flatMap((parse) => {
          const first = parse(text)
          return first ? [parse(first.value)] : []
        })
        expect(valuesAgain).toEqual(values)
      }),
      { numRuns: quickOrLong('VALUES', { quick: 500, long: 20_000 }) },
    )
  })
})

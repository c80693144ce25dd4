import { describe, expect, it } from 'vitest'
import {
  HIDDEN,
  redactText,
  redactUrl,
  removePersonalParts,
} from '../../../../src/features/threats/rules/redact-url.ts'
import { createNamePattern } from '../../../../src/features/threats/rules/shown-event.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'

const URLS = quickOrLong('REDACTED_URLS', { quick: 1000, long: 50_000 })
const VICTIM = 'ceo@bank.example'
const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')

const same = Symbol('unchanged')
const ADDRESSES: readonly (readonly [address: string, shown: string | typeof same])[] = [
  [`https://compromised.com/wp/login?u=${VICTIM}`, `https://compromised.com/wp/login?u=${HIDDEN}`],
  ['https://www.bank.example@evil.test/login', same],
  [`https://${VICTIM}@evil.test/login`, `https://${HIDDEN}@evil.test/login`],
  ['https://user:secret@evil.test/', `https://${HIDDEN}@evil.test/`],
  ['https://ann@evil.test/', same],
  ['https://evil.test/login', same],
  ['https://evil.test/', same],
  ['https://evil.test', same],
  ['http://192.0.2.1:8080/a?b=c#d', same],
  ['http://[2001:db8::1]/a', same],
  ['https://evil.test/a;b=c', same],
  ['https://EVIL.test/A?B=C', same],
  ['ftp://evil.test/x', same],
  ['https://xn--bnk-5cd.com/', same],
  ['https://bücher.example/ä?ö=ü', same],
  [`https://evil.test/?email=${encodeURIComponent(VICTIM)}`, `https://evil.test/?email=${HIDDEN}`],
  [`https://evil.test/?e=ceo%2540bank.example`, `https://evil.test/?e=${HIDDEN}`],
  [`https://evil.test/?e=ceo%252540bank.example&x=1`, `https://evil.test/?e=${HIDDEN}&x=1`],
  [`https://evil.test/?a=1&e=${VICTIM}&b=2`, `https://evil.test/?a=1&e=${HIDDEN}&b=2`],
  [`https://evil.test/?a=1;e=${VICTIM};b=2`, `https://evil.test/?a=1;e=${HIDDEN};b=2`],
  [`https://evil.test/#${VICTIM}`, `https://evil.test/#${HIDDEN}`],
  [`https://evil.test/#${base64(VICTIM)}`, `https://evil.test/#${HIDDEN}`],
  [`https://evil.test/?q=${base64(VICTIM)}`, `https://evil.test/?q=${HIDDEN}`],
  ['https://evil.test/?q=SGVsbG8gd29ybGQ', same],
  ['https://evil.test/?session=a8f5f167f44f4964e6c998dee827110c', same],
  ['https://evil.test/?id=0123456789', same],
  [`https://evil.test/u/${VICTIM}/login`, `https://evil.test/u/${HIDDEN}/login`],
  [`https://evil.test/u/${base64(VICTIM)}`, `https://evil.test/u/${HIDDEN}`],
  [`https://evil.test/u/ceo%40bank.example.html`, `https://evil.test/u/${HIDDEN}`],
  [`https://evil.test/${VICTIM}`, `https://evil.test/${HIDDEN}`],
  [
    `https://evil.test/?next=https://other.test/?u=${VICTIM}`,
    `https://evil.test/?next=https://other.test/?u=${HIDDEN}`,
  ],
  [
    `https://evil.test/?next=${encodeURIComponent(`https://other.test/p?u=${VICTIM}&k=1`)}`,
    `https://evil.test/?next=https://other.test/p?u=${HIDDEN}&k=1`,
  ],
  [
    `https://evil.test/?next=${encodeURIComponent(`https://${VICTIM}@other.test/`)}`,
    `https://evil.test/?next=https://${HIDDEN}@other.test/`,
  ],
  ['https://evil.test/?next=https%3A%2F%2Fbank.example%2Flogin', same],
  [`https://evil.test?${VICTIM}`, `https://evil.test?${HIDDEN}`],
  [`https://evil.test/?${VICTIM}`, `https://evil.test/?${HIDDEN}`],
  [`https://evil.test/?${VICTIM}=1`, `https://evil.test/?${HIDDEN}=1`],
  [`https://evil.test/?u=a.b+c@mail.bank.example`, `https://evil.test/?u=${HIDDEN}`],
  ['https://evil.test/?price=5@10', `https://evil.test/?price=${HIDDEN}`],
  ['https://evil.test/@ann', same],
  ['https://medium.test/@ann/post', same],
  ['https://evil.test/%E2%82%AC', same],
  ['https://evil.test/%', same],
  ['https://evil.test/%zz?%=%', same],
  ['https://evil.test\\a\\b', same],
  [`https:\\\\evil.test\\?u=${VICTIM}`, `https:\\\\evil.test\\?u=${HIDDEN}`],
  ['https://a@b@evil.test/', `https://${HIDDEN}@evil.test/`],
  ['https://bank.example:443@evil.test:8443/x', `https://${HIDDEN}@evil.test:8443/x`],
  [
    'https://login.bank.example.evil.test/secure@bank.example',
    `https://login.bank.example.evil.test/${HIDDEN}`,
  ],
  [`mailto:${VICTIM}`, HIDDEN],
  ['not an address', same],
  [VICTIM, HIDDEN],
  ['', same],
  ['https://docs.google.com/forms/d/e/1FAIpQL/viewform', same],
  ['https://evil.test/?user=ceo&domain=bank.example', same],
  [`https://evil.test/?to=CEO@BANK.EXAMPLE`, `https://evil.test/?to=${HIDDEN}`],
  [`https://evil.test/?u=ceo＠bank.example`, `https://evil.test/?u=${HIDDEN}`],
  [`https://evil.test/?u=%22ceo%22%40bank.example`, `https://evil.test/?u=${HIDDEN}`],
  [`https://evil.test/a?u=${VICTIM}#${base64(VICTIM)}`, `https://evil.test/a?u=${HIDDEN}#${HIDDEN}`],
  ['https://ceo%40bank.example@evil.test/', `https://${HIDDEN}@evil.test/`],
  ['https://evil.test/?a[]=1&a[]=2', same],
  ['javascript:alert(1)', same],
  [`HTTPS://EVIL.TEST/?U=${VICTIM}`, `HTTPS://EVIL.TEST/?U=${HIDDEN}`],
  ['https://evil.test/?w=100%25', same],
  [
    `https://evil.test/?j=${encodeURIComponent(JSON.stringify({ e: VICTIM }))}`,
    `https://evil.test/?j=${HIDDEN}`,
  ],
]

describe('a URL', () => {
  it.each(ADDRESSES)('%s is shown without personal data', (address, shown) => {
    expect(redactUrl(address)).toBe(shown === same ? address : shown)
  })

  it('is shown without the owner’s name', () => {
    expect(redactUrl('https://evil.test/?n=Jo+M%C3%BCller&x=1', createNamePattern('Jo Müller'))).toBe(
      `https://evil.test/?n=${HIDDEN}&x=1`,
    )
  })

  it(`never loses its scheme, host, or port, and keeps no email address, in ${URLS} random URLs`, {
    timeout: 60_000,
  }, () => {
    const seed = readSeed()
    const { below, oneOf } = createRandom(seed)
    const HOSTS = [
      'evil.test',
      'a.b.evil.test',
      '192.0.2.7',
      '[2001:db8::7]',
      'xn--bnk-5cd.com',
      'bank.example',
      'evil.test:8443',
    ]
    const USERS = ['', '', '', 'www.bank.example@', `${VICTIM}@`, 'u:p@', 'ceo%40bank.example@']
    const PARTS = [
      'login',
      'a.html',
      VICTIM,
      'ceo%40bank.example',
      base64(VICTIM),
      '@ann',
      'x=1',
      '%E2%82%AC',
      '1@2',
      'id',
      `https://other.test/?u=${VICTIM}`,
      encodeURIComponent(`https://other.test/?u=${VICTIM}`),
    ]
    const list = (count: number, create: (index: number) => string, separator: string) =>
      Array.from({ length: count }, (_, index) => create(index)).join(separator)
    const PERSONAL = new RegExp(`ceo(?:@|%40)bank|${base64(VICTIM)}`)
    for (let index = 0; index < URLS; index += 1) {
      const scheme = oneOf(['https', 'http'])
      const host = oneOf(HOSTS)
      const path = list(below(3), () => oneOf(PARTS).replaceAll('/', '%2F'), '/')
      const query = list(1 + below(3), (key) => (below(2) ? `k${key}=` : '') + oneOf(PARTS), '&')
      const address = `${scheme}://${oneOf(USERS)}${host}/${path}${below(2) ? `?${query}` : ''}${below(3) ? '' : `#${oneOf(PARTS)}`}`
      const label = `${address} of seed ${seed}`
      const shown = redactUrl(address)
      expect(shown.startsWith(`${scheme}://`) && shown.includes(`${host}/`), label).toBe(true)
      expect(shown, label).not.toMatch(PERSONAL)
      expect(redactUrl(shown).replaceAll(HIDDEN, ''), label).toBe(shown.replaceAll(HIDDEN, ''))
      const trimmed = removePersonalParts(address)
      const [before, after] = [new URL(address), new URL(trimmed)]
      expect([after.protocol, after.host], label).toEqual([before.protocol, before.host])
      expect(trimmed, label).not.toMatch(PERSONAL)
    }
  })

  it.each([
    [
      `Write to ${VICTIM} or see https://evil.test/?u=${VICTIM}`,
      `Write to ${HIDDEN} or see https://evil.test/?u=${HIDDEN}`,
    ],
    ['See https://www.bank.example@evil.test/login now', 'See https://www.bank.example@evil.test/login now'],
    [`hxxps://evil.test/?u=${VICTIM}`, `hxxps://evil.test/?u=${HIDDEN}`],
  ])('in the text “%s” keeps its host', (text, shown) => {
    expect(redactText(text)).toBe(shown)
  })
})

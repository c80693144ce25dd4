import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAddress } from '../../../src/domain/typed-text/typed-address.ts'
import { defang } from '../../../src/features/threats/rules/defang.ts'

const HOST = 'login.evil-shop.com'

describe('a typed address', () => {
  it.each([
    HOST,
    'login[.]evil-shop[.]com',
    'hxxps[:]//login[.]evil-shop[.]com',
    'hxxps[://]login[.]evil-shop[.]com/a',
    `${HOST}:8443`,
    'login[.]evil-shop.com[/]a',
    'login(.)evil-shop(.)com',
    'login\\.evil-shop\\.com',
    'login [.] evil-shop [.] com',
    'login dot evil-shop dot com',
    `hXXp://${HOST}`,
    `http[s]://${HOST}`,
    `hxxps:\\/\\/${HOST}\\/a`,
    `\`${HOST}\``,
    `<https://${HOST}|${HOST}>`,
    `${HOST}.`,
    'login。evil-shop。com',
    `owner(at)${HOST}`,
    `<mailto:owner@${HOST}|owner@${HOST}>`,
    `${HOST}/a/b?c=d`,
  ])('has a host in every usual spelling: %s', (typed) => {
    expect(parseAddress(typed)).toMatchObject({ host: HOST })
  })

  it.each([
    ['192[.]0[.]2[.]1', { kind: 'ip', value: '192.0.2.1', host: '192.0.2.1' }],
    ['192.0.2.1:443', { kind: 'ip', value: '192.0.2.1', host: '192.0.2.1', port: 443 }],
    ['2001[:]db8[:][:]1', { kind: 'ip', value: '2001:db8::1', host: '2001:db8::1' }],
    ['[2001:db8::1]:8443', { kind: 'ip', value: '2001:db8::1', host: '2001:db8::1', port: 8443 }],
    ['bücher[.]example', { kind: 'host', value: 'xn--bcher-kva.example', host: 'xn--bcher-kva.example' }],
    ['bu\u0308cher.example', { kind: 'host', value: 'xn--bcher-kva.example', host: 'xn--bcher-kva.example' }],
    ['my_host.example.com', { kind: 'host', value: 'my_host.example.com', host: 'my_host.example.com' }],
    ['Owner[@]Evil[.]com', { kind: 'email', value: 'Owner@evil.com', host: 'evil.com' }],
    [
      'hxxps[://]evil[.]com:8443/A?b',
      { kind: 'url', value: 'https://evil.com:8443/A?b', host: 'evil.com', port: 8443 },
    ],
    ['https://user@evil.com', { kind: 'url', value: 'https://user@evil.com/', host: 'evil.com' }],
    ['evil[.]com/A', { kind: 'url', value: 'http://evil.com/A', host: 'evil.com' }],
  ])('%s is %j', (typed, expected) => {
    expect(parseAddress(typed)).toEqual(expected)
  })

  it.each([
    '',
    'Sign in to your account',
    '1.2.3',
    '0x7f',
    'Dot Com Ltd',
    'price 5.99',
    '256.1.1.1',
    '@',
    'http://',
  ])('isn’t “%s”', (typed) => {
    expect(parseAddress(typed).kind).toBe('text')
  })

  it('is the same when it is pasted back as Signalman shows it', () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/)
    const address = fc
      .tuple(
        fc.constantFrom('', 'http://', 'https://'),
        fc.array(label, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '/', '/a/b', '/a?x=1', ':8443/', ':8443'),
      )
      .map(([scheme, labels, rest]) => `${scheme}${labels.join('.')}.evil.com${rest}`)
    fc.assert(
      fc.property(address, (shown) => {
        fc.pre(parseAddress(shown).kind !== 'text')
        expect(parseAddress(defang(shown))).toEqual(parseAddress(shown))
      }),
    )
  })

  // Without an answer within its time, a test fails.
  it('doesn’t hang, whatever is pasted', () => {
    for (const part of ['[', '[.', ' dot ', 'hxxp', '\\', '(', '[.]', '.', 'a.', ']', ' [.] '])
      expect(parseAddress(part.repeat(20_000)).kind).toBe('text')
  })
})

import { describe, expect, it } from 'vitest'
import { listedKeys, parseKeyList } from '../../src/domain/listed-keys.ts'

describe('a list of weak keys', () => {
  it('is read with its comments and empty lines, whole fingerprints and halves alike', () => {
    const half = '0123456789abcdef0123'
    const text = `# made in 2008\r\n\n${half}\n  ${'f'.repeat(20)}${half.toUpperCase()}\n`
    expect(parseKeyList(text)).toEqual({ entries: [0x456789abcdef0123n, 0x456789abcdef0123n] })
  })

  it.each([
    { text: 'not a fingerprint', badLine: 1 },
    { text: '# fine\n0123456789abcdef012', badLine: 2 },
    { text: `\n\n${'0'.repeat(30)}`, badLine: 3 },
    { text: 'ssh-rsa AAAAB3NzaC1yc2E=', badLine: 1 },
  ])('is refused at its line $badLine: $text', ({ text, badLine }) => {
    expect(parseKeyList(text)).toEqual({ badLine })
  })

  it('finds a modulus by the fingerprint that sha1sum gives of what openssl prints of it', () => {
    // printf 'Modulus=C0FFEE0123456789ABCDEF\n' | sha1sum
    const read = parseKeyList(
      'e234a66cc036e558fd16e3c11cb6b110d7615916\n5ecb27d97c8abc815e8d6ddf91dbefee6207ba53',
    )
    const isListed = listedKeys('entries' in read ? read.entries : [])
    expect([0xc0ffee0123456789abcdefn, 3233n, 3234n].map(isListed)).toEqual([true, true, false])
    expect(listedKeys([])(3233n)).toBe(false)
  })

  it('of a hundred thousand finds each, and no other', () => {
    const entries = Array.from({ length: 100_000 }, (_, nth) => BigInt(nth) * 184_467_440_737_095n)
    const isListed = listedKeys([...entries, 0x1cb6b110d7615916n])
    expect(isListed(0xc0ffee0123456789abcdefn)).toBe(true)
    expect(isListed(0xc0ffee0123456789abcdedn)).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { MOST_CSR_BYTES, readCsrFile } from '../../../../src/features/cert-orders/csr/file.ts'
import { flaggedName } from '../../../../src/features/cert-orders/csr/flags.ts'
import { makeCsr } from './make-csr.ts'

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

describe('an uploaded request', () => {
  it('is read as PEM, on one line, in UTF-16, and as DER, to the same PEM', async () => {
    const { pem, der } = await makeCsr({ key: 'rsa2048' })
    const oneLine = pem.trim().replaceAll('\n', ' ')
    const forms = [Buffer.from(pem), Buffer.from(oneLine), utf16(pem), der, Buffer.from(`\ufeff${pem}`)]
    for (const bytes of forms) expect(readCsrFile(bytes)).toMatchObject({ csr: { pem: `${pem.trim()}\n` } })
  })

  it('may have 200 names, which no field holds', async () => {
    const names = Array.from({ length: 200 }, (_, index) => ({
      type: 'dns' as const,
      value: `h${index}.example.com`,
    }))
    const { pem } = await makeCsr({ names })
    expect(pem.length).toBeGreaterThan(3000)
    const read = readCsrFile(Buffer.from(pem))
    expect('csr' in read && read.csr.names).toHaveLength(200)
  })

  it('is refused when it is a private key in any form, too large, cut or no request', async () => {
    const { privateKey, der, pem } = await makeCsr({ key: 'rsa2048' })
    const [, ...body] = privateKey.trim().split('\n').slice(0, -1)
    const keyDer = Buffer.from(body.join(''), 'base64')
    for (const bytes of [Buffer.from(privateKey), keyDer, utf16(privateKey)])
      expect(readCsrFile(bytes)).toMatchObject({ problem: expect.stringContaining('treat it as leaked') })
    expect(readCsrFile(Buffer.alloc(MOST_CSR_BYTES + 1))).toMatchObject({
      problem: expect.stringContaining('at most 64 KB'),
    })
    for (const bytes of [
      der.subarray(0, -10),
      Buffer.from(pem.slice(0, -40)),
      Buffer.alloc(0),
      Buffer.alloc(50),
    ])
      expect(readCsrFile(bytes)).toHaveProperty('problem')
  })
})

describe('what is easily overlooked about a name', () => {
  it.each([
    { name: 'DNS shop.example.com', shown: 'DNS shop.example.com' },
    { name: 'DNS *.example.com', shown: 'DNS *.example.com (wildcard)' },
    { name: 'IP 192.0.2.1', shown: 'IP 192.0.2.1 (address)' },
    { name: 'DNS 192.0.2.1', shown: 'DNS 192.0.2.1 (an address, not a name)' },
    { name: 'DNS xn--mller-kva.example', shown: 'DNS xn--mller-kva.example (punycode for müller.example)' },
    {
      name: 'DNS *.xn--mller-kva.example',
      shown: 'DNS *.xn--mller-kva.example (wildcard, punycode for müller.example)',
    },
    { name: 'DNS xn--a.example', shown: 'DNS xn--a.example (punycode that cannot be read)' },
    { name: 'e-mail a@example.com', shown: 'e-mail a@example.com' },
    { name: '', shown: '' },
  ])('$name', ({ name, shown }) => {
    expect(flaggedName(name)).toBe(shown)
  })
})

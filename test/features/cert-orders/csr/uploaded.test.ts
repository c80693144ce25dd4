import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { makeCsr } from './make-csr.ts'

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

describe('an uploaded CSR', () => {
  it('is parsed to the same PEM from PEM, a single line, UTF-16, DER, and text with a byte order mark', async () => {
    const { pem, der } = await makeCsr({ key: 'rsa2048' })
    const oneLine = pem.trim().replaceAll('\n', ' ')
    const forms = [Buffer.from(pem), Buffer.from(oneLine), utf16(pem), der, Buffer.from(`\ufeff${pem}`)]
    for (const bytes of forms)
      expect(await readCsrFile(bytes)).toMatchObject({ csr: { pem: `${pem.trim()}\n` } })
  })

  it('can have 200 names, which wouldn’t fit in a form field', async () => {
    const names = Array.from({ length: 200 }, (_, index) => ({
      type: 'dns' as const,
      value: `h${index}.example.com`,
    }))
    const { pem } = await makeCsr({ names })
    expect(pem.length).toBeGreaterThan(3000)
    const result = await readCsrFile(Buffer.from(pem))
    expect('csr' in result && result.csr.names).toHaveLength(200)
  })

  it('is rejected if it is a private key in any form, too large, cut off, or not a CSR', async () => {
    const { privateKey, der, pem } = await makeCsr({ key: 'rsa2048' })
    const [, ...body] = privateKey.trim().split('\n').slice(0, -1)
    const keyDer = Buffer.from(body.join(''), 'base64')
    for (const bytes of [Buffer.from(privateKey), keyDer, utf16(privateKey)])
      expect(await readCsrFile(bytes)).toMatchObject({
        problem: expect.stringContaining('treat it as leaked'),
      })
    expect(await readCsrFile(Buffer.alloc(TEXT_LIMITS.csrBytes + 1))).toMatchObject({
      problem: expect.stringContaining('The limit is 64 KB'),
    })
    for (const bytes of [
      der.subarray(0, -10),
      Buffer.from(pem.slice(0, -40)),
      Buffer.alloc(0),
      Buffer.alloc(50),
    ])
      expect(await readCsrFile(bytes)).toHaveProperty('problem')
  })
})

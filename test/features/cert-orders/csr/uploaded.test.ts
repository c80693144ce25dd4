import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { makeCsr } from './make-csr.ts'

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

describe('an uploaded CSR', () => {
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

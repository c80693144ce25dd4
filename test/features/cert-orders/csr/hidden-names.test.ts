import { webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { x509 } from './x509.ts'

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const P256 = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' } as const

/** Creates a request with several lists of names. Some parsers read only the first list, others the last or all of them. */
async function requestWithLists(...lists: string[][]): Promise<string> {
  const {
    Attribute,
    ExtensionsAttribute,
    Pkcs10CertificateRequestGenerator,
    SubjectAlternativeNameExtension,
  } = x509()
  const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const values = lists.flatMap((names) => {
    const extension = new SubjectAlternativeNameExtension(
      names.map((value) => ({ type: 'dns' as const, value })),
    )
    return new ExtensionsAttribute([extension]).values
  })
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'CN=shop.example.com',
    keys,
    signingAlgorithm: P256,
    attributes: [new Attribute(EXTENSION_REQUEST, values)],
  })
  return request.toString('pem')
}

describe('names that only some parsers see', () => {
  it('cause the CSR to be rejected', async () => {
    const result = readCsr(await requestWithLists(['shop.example.com'], ['evil.example']))
    expect('problem' in result && result.problem).toContain('lists its names in several places')
  })

  it('aren’t reported for a CSR with a single extension request', async () => {
    const result = readCsr(await requestWithLists(['shop.example.com', 'www.shop.example.com']))
    expect('csr' in result && result.csr.names).toEqual([
      { kind: 'DNS', text: 'shop.example.com' },
      { kind: 'DNS', text: 'www.shop.example.com' },
    ])
  })
})

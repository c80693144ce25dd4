import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { hashKey } from '../../../../src/features/cert-orders/rules/csr/key.ts'
import { buildRequest, P256 } from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

describe('the key of a CSR', () => {
  it('has the same hash with a compressed point', () => {
    const usual = readCsr(buildRequest({}).toString('base64'))
    const other = readCsr(buildRequest({ publicKey: encodeP256Key(compressedPoint()) }).toString('base64'))
    const { x, y } = createPublicKey(P256).export({ format: 'jwk' })
    const json = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`
    expect(findKeyHash(usual)).toBe(createHash('sha256').update(json).digest('base64url'))
    expect(findKeyHash(other)).toBe(findKeyHash(usual))
  })

  it.each([0, 1, 2, 4])(
    'is refused if it’s an RSA key with the exponent %i, even if the signature is valid',
    (exponent) => {
      const { n = '' } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
        format: 'jwk',
      })
      const modulus = Buffer.concat([Buffer.alloc(1), Buffer.from(n, 'base64url')])
      const value = sequence(der(0x02, modulus), der(0x02, Buffer.from([exponent])))
      const publicKey = sequence(sequence(oid('1.2.840.113549.1.1.1'), der(0x05)), der(0x03, '\0', value))
      const request = buildRequest({
        publicKey,
        algorithm: sequence(oid('1.2.840.113549.1.1.11'), der(0x05)),
        // With the exponent 1, a signature is the padded digest itself (RFC 8017, 9.2).
        createSignature(bytes) {
          const digest = createHash('sha256').update(bytes).digest()
          const info = sequence(sequence(oid('2.16.840.1.101.3.4.2.1'), der(0x05)), der(0x04, digest))
          return Buffer.concat([
            Buffer.from([0, 1]),
            Buffer.alloc(253 - info.length, 0xff),
            Buffer.alloc(1),
            info,
          ])
        },
      })
      expect(readCsr(request.toString('base64'))).toEqual({
        problem: `Its RSA key has the public exponent ${exponent}, which isn’t secure. Use 65537.`,
      })
    },
  )

  it('has the hash of RFC 7638, section 3.1', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'
    const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
    expect(hashKey(key)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })
})

const findKeyHash = (result: ReturnType<typeof readCsr> | undefined): string | undefined =>
  result && 'csr' in result ? result.csr.keyHash : undefined

/** The coordinates of a P-256 public key, in hexadecimal. */
function readPoint(): [x: string, y: string] {
  const { x = '', y = '' } = createPublicKey(P256).export({ format: 'jwk' })
  return [toHex(x), toHex(y)]
}
const toHex = (base64url: string): string => Buffer.from(base64url, 'base64url').toString('hex')
const encodeP256Key = (point: string): Buffer =>
  sequence(
    sequence(oid('1.2.840.10045.2.1'), oid('1.2.840.10045.3.1.7')),
    der(0x03, Buffer.from(`00${point}`, 'hex')),
  )

/** The compressed form of a point: x, and whether y is odd (SEC 1, 2.3.3). */
function compressedPoint(): string {
  const [x, y] = readPoint()
  return `${Number.parseInt(y.slice(-1), 16) % 2 === 0 ? '02' : '03'}${x}`
}

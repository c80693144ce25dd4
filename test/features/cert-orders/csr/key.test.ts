import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { buildRequest, P256 } from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

describe('the key of a CSR', () => {
  it.each([
    {
      description: 'with a compressed point',
      publicKey: () => encodeP256Key(namedCurve(), compressedPoint()),
    },
    { description: 'with explicit curve parameters', publicKey: explicitCurveKey },
  ])('has the same hash in another encoding: $description', ({ publicKey }) => {
    const usual = readCsr(buildRequest({}).toString('base64'))
    const other = readCsr(buildRequest({ publicKey: publicKey() }).toString('base64'))
    expect(findKeyHash(usual)).toMatch(/^[\w-]{43}$/)
    expect(findKeyHash(other)).toBe(findKeyHash(usual))
  })

  it('has a different hash from another key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const [usual, other] = [{}, { key: privateKey }].map((parts) =>
      readCsr(buildRequest(parts).toString('base64')),
    )
    expect(findKeyHash(other)).not.toBe(findKeyHash(usual))
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
const namedCurve = (): Buffer => oid('1.2.840.10045.3.1.7')
const encodeP256Key = (curve: Buffer, point: string): Buffer =>
  sequence(sequence(oid('1.2.840.10045.2.1'), curve), der(0x03, Buffer.from(`00${point}`, 'hex')))

/** The compressed form of a point: x, and whether y is odd (SEC 1, 2.3.3). */
function compressedPoint(): string {
  const [x, y] = readPoint()
  return `${Number.parseInt(y.slice(-1), 16) % 2 === 0 ? '02' : '03'}${x}`
}

/** A P-256 public key with explicit curve parameters (SEC 2, 2.4.2) instead of the curve's name. */
function explicitCurveKey(): Buffer {
  const [x, y] = readPoint()
  const hex = (text: string): Buffer => Buffer.from(text, 'hex')
  const prime = 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff'
  const parameters = sequence(
    der(0x02, hex('01')),
    sequence(oid('1.2.840.10045.1.1'), der(0x02, hex(`00${prime}`))),
    sequence(
      der(0x04, hex('ffffffff00000001000000000000000000000000fffffffffffffffffffffffc')),
      der(0x04, hex('5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b')),
    ),
    der(
      0x04,
      hex(
        '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
      ),
    ),
    der(0x02, hex('00ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')),
    der(0x02, hex('01')),
  )
  return encodeP256Key(parameters, `04${x}${y}`)
}

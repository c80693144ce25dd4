import { createHash, type KeyObject } from 'node:crypto'
import { type Element, readFirstElement } from './der.ts'

const MIN_RSA_BITS = 2048
/** Verifying with a longer key would block the event loop, and no certificate authority accepts one. */
const MAX_RSA_BITS = 16_384

/** The supported kinds of keys besides RSA. A policy can allow each of them. */
export const OTHER_KEYS = ['P-256', 'P-384', 'P-521', 'Ed25519'] as const

export type KeyKind = { rsaBits: number } | { other: (typeof OTHER_KEYS)[number] }

interface DescribedKey {
  kind: KeyKind
  /** `RSA 2048 bits`, `EC P-256`. */
  name: string
  /** SHA-256 of the key's value, base64url: equal for the same key in any encoding. */
  hash: string
}

/** The supported curves, by their names in node:crypto. */
const CURVES: Readonly<Record<string, 'P-256' | 'P-384' | 'P-521'>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}

/** Describes the key, or says why it can't be used. */
export function describeKey(key: KeyObject): DescribedKey | { problem: string } {
  const { modulusLength = 0, namedCurve = 'unnamed' } = key.asymmetricKeyDetails ?? {}
  const type = key.asymmetricKeyType ?? 'unknown'
  switch (type) {
    case 'rsa':
      return describeRsaKey(key, 'RSA', modulusLength)
    case 'rsa-pss':
      return describeRsaKey(key, 'RSA-PSS', modulusLength)
    case 'ec': {
      const curve = CURVES[namedCurve]
      if (!curve)
        return { problem: `Its elliptic curve (${namedCurve}) isn’t supported. Use P-256, P-384, or P-521.` }
      const { x = '', y = '' } = key.export({ format: 'jwk' })
      return { kind: { other: curve }, name: `EC ${curve}`, hash: hashKeyValue('EC', curve, x, y) }
    }
    case 'ed25519': {
      const { x = '' } = key.export({ format: 'jwk' })
      return { kind: { other: 'Ed25519' }, name: 'Ed25519', hash: hashKeyValue('Ed25519', x) }
    }
    default:
      return { problem: `Its key type (${type}) isn’t supported. Use an RSA or EC key.` }
  }
}

function describeRsaKey(key: KeyObject, name: string, bits: number): DescribedKey | { problem: string } {
  if (bits < MIN_RSA_BITS)
    return { problem: `Its RSA key has ${bits} bits, which is too weak. Use at least ${MIN_RSA_BITS} bits.` }
  if (bits > MAX_RSA_BITS)
    return { problem: `Its RSA key has ${bits} bits. At most ${MAX_RSA_BITS} are supported.` }
  const [modulus, exponent] = readRsaNumbers(key)
  if (exponent < 3n || exponent % 2n === 0n)
    return { problem: `Its RSA key has the public exponent ${exponent}, which isn’t secure. Use 65537.` }
  return {
    kind: { rsaBits: bits },
    name: `${name} ${bits} bits`,
    // RSA and RSA-PSS with the same numbers are the same key.
    hash: hashKeyValue('RSA', modulus.toString(16), exponent.toString(16)),
  }
}

const hashKeyValue = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('base64url')

/** Reads the modulus and exponent from the DER, because node:crypto can't export an RSA-PSS key as JWK. */
function readRsaNumbers(key: KeyObject): [modulus: bigint, exponent: bigint] {
  const [, bitString] = readFirstElement(key.export({ type: 'spki', format: 'der' })).children()
  const [modulus, exponent] = readFirstElement(bitString?.content.subarray(1) ?? Buffer.alloc(0)).children()
  const toBigInt = (element: Element | undefined): bigint =>
    BigInt(`0x${element?.content.toString('hex') || '0'}`)
  return [toBigInt(modulus), toBigInt(exponent)]
}

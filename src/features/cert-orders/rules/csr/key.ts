import { createHash, type KeyObject } from 'node:crypto'

const MIN_RSA_BITS = 2048
/** Verifying with a longer key would block the event loop, and no certificate authority accepts one. */
const MAX_RSA_BITS = 16_384

interface DescribedKey {
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
      return describeRsaKey(key, modulusLength)
    case 'ec': {
      const curve = CURVES[namedCurve]
      if (!curve)
        return { problem: `Its elliptic curve (${namedCurve}) isn’t supported. Use P-256, P-384, or P-521.` }
      const { x = '', y = '' } = key.export({ format: 'jwk' })
      return { name: `EC ${curve}`, hash: hashKeyValue('EC', curve, x, y) }
    }
    case 'ed25519': {
      const { x = '' } = key.export({ format: 'jwk' })
      return { name: 'Ed25519', hash: hashKeyValue('Ed25519', x) }
    }
    default:
      return { problem: `Its key type (${type}) isn’t supported. Use an RSA or EC key.` }
  }
}

function describeRsaKey(key: KeyObject, bits: number): DescribedKey | { problem: string } {
  if (bits < MIN_RSA_BITS)
    return { problem: `Its RSA key has ${bits} bits, which is too weak. Use at least ${MIN_RSA_BITS} bits.` }
  if (bits > MAX_RSA_BITS)
    return { problem: `Its RSA key has ${bits} bits. At most ${MAX_RSA_BITS} are supported.` }
  const { publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (exponent < 3n || exponent % 2n === 0n)
    return { problem: `Its RSA key has the public exponent ${exponent}, which isn’t secure. Use 65537.` }
  const { n = '', e = '' } = key.export({ format: 'jwk' })
  return { name: `RSA ${bits} bits`, hash: hashKeyValue('RSA', n, e) }
}

const hashKeyValue = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('base64url')

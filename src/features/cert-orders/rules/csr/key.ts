import { createHash, type KeyObject } from 'node:crypto'

const MIN_RSA_BITS = 2048
/** Verifying with a longer key would block the event loop, and no certificate authority accepts one. */
const MAX_RSA_BITS = 16_384

/** The supported curves, by their names in node:crypto. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}

/** The keys that every public authority signs. Of other RSA keys and of P-521, some do; of Ed25519, none. */
const USUAL_KEYS: readonly string[] = [
  ...['RSA 2048 bits', 'RSA 3072 bits', 'RSA 4096 bits'],
  ...['EC P-256', 'EC P-384'],
]

/** Says that public authorities may not sign the key with this name; empty if each does. */
export const describeUnusualKey = (name: string): string[] =>
  USUAL_KEYS.includes(name)
    ? []
    : [
        `Public authorities may refuse its key (${name}). Each accepts RSA with 2048, 3072, or 4096 bits and the exponent 65537, EC P-256, and EC P-384.`,
      ]

/** `name`: `RSA 2048 bits`, with any unusual exponent; `EC P-256`. `problem`: why the key can't be used. */
export function nameKey({
  asymmetricKeyType: type,
  asymmetricKeyDetails = {},
}: KeyObject): { name: string } | { problem: string } {
  const {
    modulusLength: bits = 0,
    publicExponent: exponent = 0n,
    namedCurve = 'unnamed',
  } = asymmetricKeyDetails
  switch (type) {
    case 'rsa':
      if (bits < MIN_RSA_BITS)
        return {
          problem: `Its RSA key has ${bits} bits, which is too weak. Use at least ${MIN_RSA_BITS} bits.`,
        }
      if (bits > MAX_RSA_BITS)
        return { problem: `Its RSA key has ${bits} bits. At most ${MAX_RSA_BITS} are supported.` }
      // With the exponent 1, anyone can make a valid signature.
      if (exponent < 3n || exponent % 2n === 0n)
        return { problem: `Its RSA key has the public exponent ${exponent}, which isn’t secure. Use 65537.` }
      return { name: `RSA ${bits} bits${exponent === 65_537n ? '' : `, exponent ${exponent}`}` }
    case 'ec': {
      const curve = CURVES[namedCurve]
      return curve
        ? { name: `EC ${curve}` }
        : { problem: `Its elliptic curve (${namedCurve}) isn’t supported. Use P-256, P-384, or P-521.` }
    }
    case 'ed25519':
      return { name: 'Ed25519' }
    default:
      return { problem: `Its key type (${type}) isn’t supported. Use an RSA or EC key.` }
  }
}

/** The key's JWK thumbprint (RFC 7638), base64url: equal for the same key in any encoding. JSON leaves out what this type of key has not. */
export function hashKey(key: KeyObject): string {
  const { crv, e, kty, n, x, y } = key.export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}

import type { KeyObject } from 'node:crypto'

const MIN_RSA_BITS = 2048

/** node:crypto's name → the one that people use; the curves that certification authorities sign for the web. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}

const NEW_RSA =
  'openssl req -new -newkey rsa:2048 -nodes -keyout new.key -out new.csr -addext subjectAltName=DNS:www.example.com'
const NEW_EC =
  'openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout new.key -out new.csr -addext subjectAltName=DNS:www.example.com'

/** `RSA 2048 bits`, `EC P-256`, `Ed25519`; or why the key will not do. */
export function describeKey(key: KeyObject): { name: string } | { problem: string } {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss':
      return rsa(modulusLength, publicExponent)
    case 'ec':
      return ec(namedCurve)
    case 'ed25519':
      return { name: 'Ed25519' }
    case 'ed448':
      return { name: 'Ed448' }
    default:
      return {
        problem: `Its key is of the type ${key.asymmetricKeyType}, which is not certified. Make a new one: ${NEW_RSA}`,
      }
  }
}

function rsa(bits: number, exponent: bigint): { name: string } | { problem: string } {
  if (bits < MIN_RSA_BITS)
    return {
      problem: `Its RSA key has ${bits} bits, which is too weak: ${MIN_RSA_BITS} is the least. Make a new one: ${NEW_RSA}`,
    }
  if (exponent < 3n)
    return {
      problem: `Its RSA key has the exponent ${exponent}, which protects nothing. Make a new one: ${NEW_RSA}`,
    }
  return { name: `RSA ${bits} bits` }
}

function ec(curve: string): { name: string } | { problem: string } {
  const name = CURVES[curve]
  if (name) return { name: `EC ${name}` }
  return {
    problem: `Its elliptic curve (${curve || 'unnamed'}) is not certified for the web; P-256, P-384 and P-521 are. Make a new one: ${NEW_EC}`,
  }
}

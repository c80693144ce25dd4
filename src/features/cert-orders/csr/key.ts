import type { KeyObject } from 'node:crypto'
import type { IsListedKey } from '../../../domain/listed-keys.ts'
import { type Asked, newKey } from './advice.ts'
import { weaknessOf } from './weak-keys.ts'

const MIN_RSA_BITS = 2048
/** Verifying with a longer one holds everything else up, and no authority takes it. */
const MAX_RSA_BITS = 16_384

/** node:crypto's name → the one that people use; the curves that certification authorities sign for the web. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}

/** Curves that have a type of their own in node:crypto. */
const EDWARDS: Readonly<Record<string, string>> = { ed25519: 'Ed25519', ed448: 'Ed448' }

/** `RSA 2048 bits`, `EC P-256`; or why the key will not do. */
export function describeKey(
  key: KeyObject,
  asked: Asked,
  isListed: IsListedKey,
): { name: string } | { problem: string } {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  const type = key.asymmetricKeyType ?? 'unknown'
  if (type === 'rsa') return rsa(key, 'RSA', modulusLength, asked, isListed)
  if (type === 'rsa-pss') return rsa(key, 'RSA-PSS', modulusLength, asked, isListed)
  const curve = type === 'ec' ? (namedCurve ?? 'unnamed') : EDWARDS[type]
  if (curve === undefined)
    return { problem: `Its key is of the type ${type}, which is not certified. ${newKey(asked, 'rsa')}` }
  const name = CURVES[curve]
  if (name) return { name: `EC ${name}` }
  return {
    problem: `Its elliptic curve (${curve}) is not certified for the web; P-256, P-384 and P-521 are. ${newKey(asked, 'ec')}`,
  }
}

function rsa(
  key: KeyObject,
  kind: 'RSA' | 'RSA-PSS',
  bits: number,
  asked: Asked,
  isListed: IsListedKey,
): { name: string } | { problem: string } {
  const weakness =
    bits < MIN_RSA_BITS
      ? `has ${bits} bits, which is too weak: ${MIN_RSA_BITS} is the least`
      : bits > MAX_RSA_BITS
        ? `has ${bits} bits, more than any authority takes`
        : weaknessOf(key, isListed)
  if (weakness) return { problem: `Its RSA key ${weakness}. ${newKey(asked, 'rsa')}` }
  return { name: `${kind} ${bits} bits` }
}

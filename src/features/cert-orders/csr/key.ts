import type { KeyObject } from 'node:crypto'
import type { IsListedKey } from '../../../domain/listed-keys.ts'
import { type Asked, newKey } from './advice.ts'
import { type Element, firstElement } from './der.ts'

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

/** Below this, a message may be found from its ciphertext or a signature forged by known tricks. */
const LEAST_EXPONENT = 65_537n
/** How far the two primes are looked for on each side of the root; what is found takes a person with a laptop seconds. */
const FERMAT_ROUNDS = 100n
/** The CA/Browser Forum wants no factor below this (Baseline Requirements, 6.1.6, read November 2026). */
const SMALL_FACTORS = 752

const PRIMES = primesBelow(SMALL_FACTORS)

/** What is known to break this RSA key; undefined when nothing is. */
export function weaknessOf(key: KeyObject, isListed: IsListedKey): string | undefined {
  const [modulus, exponent] = numbersOf(key)
  if (exponent < LEAST_EXPONENT || exponent % 2n === 0n)
    return `has the public exponent ${exponent}; ${LEAST_EXPONENT} is the least that is safe`
  const factor = PRIMES.find((prime) => modulus % BigInt(prime) === 0n)
  if (factor !== undefined) return `can be divided by ${factor}, so that anybody can compute its private half`
  if (isListed(modulus))
    return 'is on a list of keys that anybody can make again (such as those of Debian’s OpenSSL, CVE-2008-0166), its private half with it'
  if (isOfRoca(modulus))
    return 'was made by a chip with the ROCA flaw (CVE-2017-15361), so that its private half can be computed'
  if (hasClosePrimes(modulus))
    return 'is the product of two primes close together (CVE-2022-26320), so that anybody can compute its private half'
  return undefined
}

/** Modulus and exponent, out of the key itself: node:crypto names them for plain RSA keys alone, and not for those of RSA-PSS. */
function numbersOf(key: KeyObject): [modulus: bigint, exponent: bigint] {
  const [, bits] = firstElement(key.export({ type: 'spki', format: 'der' })).parts()
  const [modulus, exponent] = firstElement(bits?.content.subarray(1) ?? Buffer.alloc(0)).parts()
  const numberIn = (element: Element | undefined): bigint =>
    BigInt(`0x${element?.content.toString('hex') || '0'}`)
  return [numberIn(modulus), numberIn(exponent)]
}

/**
 * The fingerprint of ROCA: modulo each small prime, such a modulus is a power of 65537. Of other keys fewer than one in
 * 2^27 look like it (Nemec and others, 2017, https://crocs.fi.muni.cz/public/papers/rsa_ccs17).
 */
const ROCA_PRIMES = PRIMES.filter((prime) => prime <= 167)

const isOfRoca = (modulus: bigint): boolean =>
  ROCA_PRIMES.every((prime) => isPowerModulo(prime, Number(modulus % BigInt(prime))))

function isPowerModulo(prime: number, rest: number): boolean {
  const seen = new Set<number>()
  for (let power = 1 % prime; !seen.has(power); power = (power * 65_537) % prime) seen.add(power)
  return seen.has(rest)
}

/** Fermat's way: a modulus whose factors lie close together is a square less a small square. */
function hasClosePrimes(modulus: bigint): boolean {
  let middle = rootOf(modulus)
  if (middle * middle < modulus) middle += 1n
  for (let round = 0n; round < FERMAT_ROUNDS; round += 1n) {
    if (isSquare((middle + round) ** 2n - modulus)) return true
  }
  return false
}

/** Of all numbers one in six can be a square modulo 64; the others need no root. */
const SQUARES_MODULO_64 = new Set(Array.from({ length: 64 }, (_, one) => (one * one) % 64))

const isSquare = (number: bigint): boolean =>
  SQUARES_MODULO_64.has(Number(number & 63n)) && rootOf(number) ** 2n === number

/** The whole part of the square root, by Newton's way. */
function rootOf(number: bigint): bigint {
  if (number < 2n) return number
  let root = 1n << BigInt((number.toString(16).length * 4) / 2 + 1)
  for (;;) {
    const next = (root + number / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

function primesBelow(end: number): number[] {
  const primes: number[] = []
  for (let number = 2; number < end; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  return primes
}

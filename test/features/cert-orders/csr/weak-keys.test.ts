import { checkPrimeSync, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NONE_LISTED } from '../../../../src/domain/listed-keys.ts'
import { weaknessOf } from '../../../../src/features/cert-orders/csr/key.ts'
import { seeded } from '../../../random.ts'

const { below } = seeded(20_171_015)

const numberOfBits = (bits: number): bigint =>
  Array.from({ length: bits / 16 }, () => BigInt(below(65_536))).reduce(
    (all, part) => (all << 16n) | part,
    0n,
  )

const base64Of = (number: bigint): string => {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url')
}

const keyOf = (modulus: bigint, exponent = 65_537n) =>
  createPublicKey({ key: { kty: 'RSA', n: base64Of(modulus), e: base64Of(exponent) }, format: 'jwk' })

function primeFrom(start: bigint, step: bigint): bigint {
  let candidate = start
  while (!checkPrimeSync(candidate)) candidate += step
  return candidate
}

function powerModulo(base: bigint, exponent: number, modulus: bigint): bigint {
  let power = 1n
  for (let round = 0; round < exponent; round += 1) power = (power * base) % modulus
  return power
}

/** As the flawed chips made them (Nemec and others, 2017): k times the product of the first primes, and a power of 65537. */
function rocaPrime(): bigint {
  const primes: number[] = []
  for (let number = 2; primes.length < 39; number += 1)
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n)
  const start =
    (numberOfBits(1024 - 224) | (1n << 799n)) * product + powerModulo(65_537n, below(500), product)
  return primeFrom(start, product)
}

const ordinary = (): bigint => primeFrom(numberOfBits(1024) | (3n << 1022n) | 1n, 2n)

describe('a weak key is known for what it is', () => {
  it('made by a chip with the ROCA flaw', () => {
    expect(weaknessOf(keyOf(rocaPrime() * rocaPrime()), NONE_LISTED)).toContain('ROCA')
  })

  it.each([2n, 1_000_000n])('of two primes close together, %s apart at least', (apart) => {
    const first = ordinary()
    expect(weaknessOf(keyOf(first * primeFrom(first + apart, 2n)), NONE_LISTED)).toContain('close together')
  })

  it.each([3n, 17n, 257n, 65_535n])('with the exponent %s', (exponent) => {
    const modulus = ordinary() * ordinary()
    expect(weaknessOf(keyOf(modulus, exponent), NONE_LISTED)).toContain(`the public exponent ${exponent}`)
  })

  it('that can be divided by a small number', () => {
    expect(weaknessOf(keyOf(ordinary() * 743n), NONE_LISTED)).toContain('can be divided by 743')
  })
})

it.each([2048, 3072, 4096])('a key of %i bits that a program of today made is not weak', (modulusLength) => {
  expect(weaknessOf(generateKeyPairSync('rsa', { modulusLength }).publicKey, NONE_LISTED)).toBeUndefined()
})

it('takes none of two hundred ordinary keys for a weak one', () => {
  const primes = Array.from({ length: 21 }, ordinary)
  const weak = primes.flatMap((first, at) =>
    primes.slice(at + 1).map((second) => weaknessOf(keyOf(first * second), NONE_LISTED)),
  )
  expect(weak).toHaveLength(210)
  expect(weak.filter((why) => why !== undefined)).toEqual([])
})

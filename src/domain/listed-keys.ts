import { createHash } from 'node:crypto'

/** Whether the private half of the RSA key with this modulus is on a list that anybody can have. */
export type IsListedKey = (modulus: bigint) => boolean

export const NONE_LISTED: IsListedKey = () => false

/**
 * The last 80 bits of a SHA-1, or all of it: how the lists of keys that Debian's OpenSSL made from 2006 to 2008
 * (CVE-2008-0166) name a key, and others after them (package openssl-blacklist, read November 2026).
 */
const LINE = /^(?:[0-9a-f]{20})?([0-9a-f]{20})$/i
/** 64 of them tell a million listed keys from all others but one in 10^13. */
const KEPT_DIGITS = 16

/** The entries of one list, each as a number; or the number of the first line that is none, a comment or empty. */
export function parseKeyList(text: string): { entries: bigint[] } | { badLine: number } {
  const entries: bigint[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const said = line.trim()
    if (said === '' || said.startsWith('#')) continue
    const [, last] = LINE.exec(said) ?? []
    if (last === undefined) return { badLine: index + 1 }
    entries.push(entryOf(last))
  }
  return { entries }
}

/** Eight bytes a key; a look takes twenty steps among a million. */
export function listedKeys(entries: readonly bigint[]): IsListedKey {
  const sorted = BigUint64Array.from(entries).sort()
  return (modulus) => has(sorted, entryOf(fingerprintOf(modulus)))
}

/** As `openssl rsa -noout -modulus | sha1sum` says it. */
const fingerprintOf = (modulus: bigint): string =>
  createHash('sha1')
    .update(`Modulus=${modulus.toString(16).toUpperCase()}\n`)
    .digest('hex')

const entryOf = (hex: string): bigint => BigInt(`0x${hex.slice(-KEPT_DIGITS)}`)

function has(sorted: BigUint64Array, wanted: bigint): boolean {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    const there = sorted[middle] ?? 0n
    if (there === wanted) return true
    if (there < wanted) from = middle + 1
    else to = middle
  }
  return false
}

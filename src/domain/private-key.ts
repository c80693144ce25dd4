import { BEGINS, HOLDS_HEX, holdsMiddle } from './private-key-bytes.ts'

/** What whoever sent a private key has to know; the text itself is never repeated. */
export const LEAKED =
  'This is a private key. It is not sent to the service and not kept here, but it has left your machine: whoever has read it on the way can pass for your server. So treat it as leaked: never use it, have every certificate of it revoked, and delete it in Slack too where it stands in a message or a file.'

/** Words that stand around a private key, in whatever tool's format; also at its end alone, where the beginning was cut off. */
const MARKERS = [
  /-\s?(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY/i,
  /\b(?:BEGIN|END)[ \w]{0,60}PRIVATE[ _]KEY(?: BLOCK)?\s?-/i,
  /PuTTY-User-Key-File|Private-Lines:/i,
  /openssh-key-v1/,
  /AGE-SECRET-KEY-1/i,
  /\bPrivateKey\s{0,9}=\s{0,9}[A-Za-z0-9+/]{43}=/,
  // What `openssl pkey -text` prints.
  /\b(?:privateExponent|prime1|coefficient):\s/,
  /\bpriv:\s{1,20}[0-9a-f]{2}:[0-9a-f]{2}:/i,
  /<(?:P|D|InverseQ)>[A-Za-z0-9+/=\s]{40}/,
]

/** A member of a JSON Web Key that only private ones have, and one that all have; quotation marks may be any or none. */
const JWK_PRIVATE = /(?<![A-Za-z0-9_])["'“”]?(?:d|dp|dq|qi|k)["'“”]?\s{0,9}:\s{0,9}["'“”]?[A-Za-z0-9_-]{20}/
const JWK = /(?<![A-Za-z0-9_])["'“”]?(?:kty|crv|n|e|x|y|p|q|dp|dq|alg)["'“”]?\s{0,9}:\s{0,9}["'“”]/

/** So much of a beginning tells what it is. */
const PREFIX = 48
/** Shorter runs of base64 hold no key. */
const SHORTEST_RUN = 40

/** True for a private key in any form that people paste: whole, cut at either end, without its lines, or wrapped once more. */
export function holdsPrivateKey(text: string): boolean {
  const plain = plainOf(text)
  return isMarked(plain) || holdsHex(plain) || holdsBase64(plain)
}

const isMarked = (text: string): boolean =>
  MARKERS.some((marker) => marker.test(text)) || (JWK_PRIVATE.test(text) && JWK.test(text))

/** Phones make long dashes of hyphens, mail puts `>` before lines, addresses and JSON escape signs, Windows writes two bytes each. */
const plainOf = (text: string): string =>
  text
    .replace(/\0/g, '')
    .replace(/%(2[BbFf]|3[Dd]|0[AaDd]|20|2[Dd])/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\\\//g, '/')
    .replace(/\\[rn]/g, '\n')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(/[\u00a0\u200b-\u200d\u2060\ufeff]/g, ' ')

function holdsHex(text: string): boolean {
  const packed = text.replace(/\\x|0x|[\s:,]+/g, '').toLowerCase()
  return (
    HOLDS_HEX.test(packed) ||
    (packed.match(/[0-9a-f]{160,}/g) ?? []).some((run) =>
      isMarked(Buffer.from(run, 'hex').toString('latin1')),
    )
  )
}

function holdsBase64(text: string): boolean {
  const packed = text
    .replace(/["'“”`,|]?\s+["'“”`|]?/g, '')
    .replace(/[-_]/g, (sign) => (sign === '-' ? '+' : '/'))
  // A SEQUENCE begins with an M, wherever it stands; a Java key store with these two.
  for (let at = nextStart(packed, 0); at !== -1; at = nextStart(packed, at + 1)) {
    const head = packed.slice(at, at + PREFIX)
    if (/^[A-Za-z0-9+/]{16}/.test(head) && BEGINS.test(Buffer.from(head, 'base64').toString('hex')))
      return true
  }
  return (packed.match(/[A-Za-z0-9+/]{40,}/g) ?? []).some(isInside)
}

function nextStart(text: string, from: number): number {
  const sequence = text.indexOf('M', from)
  const store = text.indexOf('/u', from)
  return sequence === -1 || store === -1 ? Math.max(sequence, store) : Math.min(sequence, store)
}

/** Base64 of text that holds a key, or the middle of a key whose beginning is gone; where it begins in the run is not known. */
function isInside(run: string): boolean {
  if (run.length < SHORTEST_RUN) return false
  return [0, 1, 2, 3].some((offset) => {
    const bytes = Buffer.from(run.slice(offset), 'base64')
    return isMarked(bytes.toString('latin1')) || holdsMiddle(bytes)
  })
}

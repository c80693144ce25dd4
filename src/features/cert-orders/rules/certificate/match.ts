import { HOUR_MS } from '@signalman/runtime'
import type { Certificate } from './certificate.ts'
import type { CertificateFacts } from './read-certificate.ts'

/** What matching needs to know about an order. `sentAt`: absent if it was never sent. */
export interface OrderToMatch {
  number: number
  state: string
  keyHash: string
  names: readonly string[]
  sentAt?: Date | undefined
}

/** A sent order that a certificate may belong to, and how their names differ. */
export interface Candidate {
  number: number
  isUnknown: boolean
  missing: string[]
  added: string[]
}

/**
 * Which sent order a certificate belongs to.
 * - `issued`: this one.
 * - `choice`: a person has to say, because there are several, the names differ, or the order's outcome is unknown.
 * - `older`: it was issued before the only orders with its key were sent.
 * - `none`: no sent order has its key. `waiting`: an order that wasn't sent and has it: somebody else got a certificate for the key.
 */
export type Match =
  | { is: 'issued'; candidate: Candidate }
  | { is: 'choice'; candidates: readonly Candidate[] }
  | { is: 'older'; number: number }
  | { is: 'none'; waiting?: number | undefined }

/** A recorded certificate, and what it was matched with. `isNew`: false if it was recorded before. */
export interface RecordResult {
  certificate: Certificate
  match: Match
  isNew: boolean
}

/** Authorities date certificates back, usually by hours. */
const BACKDATING_MS = 72 * HOUR_MS

/** Matches by the key, so that nobody has to type an order's number. */
export function matchCertificate(
  certificate: Pick<CertificateFacts, 'keyHash' | 'names' | 'notBefore'>,
  orders: readonly OrderToMatch[],
): Match {
  const sameKey = orders
    .filter(({ keyHash }) => keyHash === certificate.keyHash)
    .sort((left, right) => right.number - left.number)
  const sent = sameKey.filter(({ state }) => state === 'received' || state === 'unknown')
  const issuedAt = Date.parse(certificate.notBefore)
  const candidates = sent
    .filter(({ sentAt }) => sentAt !== undefined && issuedAt >= sentAt.getTime() - BACKDATING_MS)
    .map((order) => compareNames(certificate.names, order))
  const [candidate] = candidates
  if (!candidate) {
    const waiting = sameKey.find(({ state }) => state === 'awaiting' || state === 'submitting')
    return sent[0] ? { is: 'older', number: sent[0].number } : { is: 'none', waiting: waiting?.number }
  }
  const isCertain =
    candidates.length === 1 &&
    !candidate.isUnknown &&
    candidate.missing.length === 0 &&
    candidate.added.length === 0
  return isCertain ? { is: 'issued', candidate } : { is: 'choice', candidates }
}

const compareNames = (
  names: readonly string[],
  { number, state, names: ordered }: OrderToMatch,
): Candidate => ({
  number,
  isUnknown: state === 'unknown',
  missing: ordered.filter((name) => !names.includes(name)),
  added: names.filter((name) => !ordered.includes(name)),
})

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
 * - `failed`: an order with its key was sent before it was issued, but ended as failed, so nothing can be attached to it.
 * - `sending`: an order with its key is being sent, so the certificate may be for it.
 * - `older`: it was issued before the only orders with its key were sent.
 * - `none`: no sent order has its key. `waiting`: an order that wasn't sent and has it: somebody else got a certificate for the key.
 */
export type Match =
  | { is: 'issued'; candidate: Candidate }
  | { is: 'choice'; candidates: readonly Candidate[] }
  | { is: 'failed' | 'sending' | 'older'; number: number }
  | { is: 'none'; waiting?: number | undefined }

/** The orders that a certificate can be attached to. */
export function listCandidates(match: Match): readonly Candidate[] {
  if (match.is === 'issued') return [match.candidate]
  return match.is === 'choice' ? match.candidates : []
}

/** A recorded certificate, and what it was matched with. `isNew`: false if it was recorded before. `typedId`: its ID at the service. */
export interface RecordResult {
  certificate: Certificate
  match: Match
  isNew: boolean
  typedId?: string | undefined
}

/** Authorities date certificates back, usually by hours. */
const BACKDATING_MS = 72 * HOUR_MS

/** Whether a certificate that is valid from then may have been issued for an order that was sent at that time. */
export const mayBeIssuedFor = (notBefore: string, sentAt: Date): boolean =>
  Date.parse(notBefore) >= sentAt.getTime() - BACKDATING_MS

/** Matches by the key, so that nobody has to type an order's number. */
export function matchCertificate(
  certificate: Pick<CertificateFacts, 'keyHash' | 'names' | 'notBefore'>,
  orders: readonly OrderToMatch[],
): Match {
  const sameKey = orders
    .filter(({ keyHash }) => keyHash === certificate.keyHash)
    .sort((left, right) => right.number - left.number)
  const sent = sameKey.filter(({ state }) => SENT_STATES.includes(state))
  const sentBefore = sent.filter(
    ({ sentAt }) => sentAt !== undefined && mayBeIssuedFor(certificate.notBefore, sentAt),
  )
  const candidates = sentBefore
    .filter(({ state }) => state !== 'failed')
    .map((order) => compareNames(certificate.names, order))
  const [candidate] = candidates
  if (!candidate) return explainNoCandidate(sameKey, sent, sentBefore)
  const isCertain =
    candidates.length === 1 &&
    !candidate.isUnknown &&
    candidate.missing.length === 0 &&
    candidate.added.length === 0
  return isCertain ? { is: 'issued', candidate } : { is: 'choice', candidates }
}

/** The states of an order that was sent and isn't being sent anymore. */
const SENT_STATES: readonly string[] = ['received', 'unknown', 'failed']

/** Why a certificate belongs to none of the orders with its key. Without candidates, the orders in `sentBefore` have all failed. */
function explainNoCandidate(
  sameKey: readonly OrderToMatch[],
  sent: readonly OrderToMatch[],
  sentBefore: readonly OrderToMatch[],
): Match {
  const find = (wanted: string): OrderToMatch | undefined => sameKey.find(({ state }) => state === wanted)
  const sending = find('submitting')
  if (sentBefore[0]) return { is: 'failed', number: sentBefore[0].number }
  if (sending) return { is: 'sending', number: sending.number }
  if (sent[0]) return { is: 'older', number: sent[0].number }
  return { is: 'none', waiting: find('awaiting')?.number }
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

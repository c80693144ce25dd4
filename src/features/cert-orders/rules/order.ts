import { createHash } from 'node:crypto'
import type { SealError } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { Orders as OrderCalls, OrderRequest } from '../../../service/orders.ts'
import type { Csr } from './csr/csr.ts'
import { listCertificateNames } from './host-names.ts'
import type { OrderState } from './order-states.ts'

/** A parsed CSR without its PEM text. */
export type CsrFacts = Omit<Csr, 'pem'>

/** A person's approval of one exact body, next to the related orders that they saw. */
interface Approval {
  by: string
  at: string
  hash: string
  /** See `fingerprintRelated`. */
  saw: string
}

/** The service's answer to an order. */
export interface ServiceAnswer {
  /** The ID that the answer gives the order, or that a person found at the service. */
  id?: string | undefined
  /** The answer's text, unchanged; empty if there was none. */
  answer: string
}

/** The result of sending an order. `by`: the person who recorded it; absent if it's the service's own answer. */
export type OrderOutcome = Received | Failed | Unknown

/** The service gave the order an ID, or a person found it there. It doesn't mean that a certificate will be issued. */
export interface Received {
  kind: 'received'
  answered: ServiceAnswer
  by?: string
  note?: string
  corrects?: Corrected
}

/** The outcome that a person recorded before the service's own answer arrived. */
interface Corrected {
  by: string
  said: 'received' | 'failed'
}

export interface Failed {
  kind: 'failed'
  /** What happened, as a sentence. */
  why: string
  /** The service's own messages. */
  said: readonly string[]
  /** True if Signalman didn't send the order, so that this isn't the service's answer. */
  isUnsent?: true
  by?: string
  /** How the person who recorded the failure knows that no request is in progress, in their own words. */
  how?: string
  /** The service's earlier answer, if a person recorded the failure after it. */
  answered?: ServiceAnswer
  corrects?: Corrected
}

interface Unknown {
  kind: 'unknown'
  /** What happened, as a sentence. */
  why: string
  /** The service's own messages. */
  said: readonly string[]
  /**
   * `ended`: the process that sent the order reported that its call is over. `silent`: that process hasn't reported, so its request
   * might still be in flight.
   */
  sender: 'ended' | 'silent'
  /** The service's answer, if it had a success status but gave the order no ID. */
  answered?: ServiceAnswer
}

/** The product of a renewed or reissued certificate. `saidBy`: absent if an order that was sent for the certificate's ID shows it. */
export interface RenewedProduct {
  productId?: string | undefined
  product?: string | undefined
  saidBy?: 'requester' | undefined
}

/** The encrypted part of an order. Times are ISO text. */
export interface OrderContent {
  request: OrderRequest
  csr: CsrFacts
  /** The service's names for the product and the organization, if known. */
  names: { product?: string | undefined; organization?: string | undefined }
  /** The original order of the renewed or reissued certificate, if known here. */
  renewed?: RenewedProduct | undefined
  expiresAt: string
  remindAt?: string | undefined
  approvals: Approval[]
  /** Who gave the last approval, and when. Set before the POST is sent. */
  submission?: { by: string; at: string }
  outcome?: OrderOutcome
  /** Who rejected or withdrew the order, when, and why. Without `by`, the order policy rejected it. */
  ending?: { by?: string; at: string; reason?: string }
  /** Former requesters, oldest first. */
  requestedBefore?: readonly string[]
  /** Why an approved order went back to waiting for approval. */
  heldBecause?: string
}

/** The content that an order has in each state. */
interface ContentByState {
  awaiting: OrderContent
  submitting: OrderContent & { submission: object }
  received: OrderContent & { submission: object; outcome: Received }
  failed: OrderContent & { submission: object; outcome: Failed }
  unknown: OrderContent & { submission: object; outcome: Unknown }
  rejected: OrderContent & { ending: object }
  withdrawn: OrderContent & { ending: object }
  expired: OrderContent
}

/** The location of a message about an order in Slack. */
export interface OrderCard {
  readonly channelId: string
  readonly ts: string
  /** The person who got the message as a DM; absent for a message in a channel. */
  readonly to?: string | undefined
  /**
   * A key of the message among those about the order, so that nobody gets it twice. For a message about one step, it ends with the
   * order's version. Absent for the order's own card.
   */
  readonly about?: string | undefined
  /** The order's version when the card was posted. */
  readonly postedFor?: number | undefined
}

/** The locations of an order's cards in Slack, and the messages about its newest step. */
export type OrderCards = readonly OrderCard[]

/** The unencrypted part of an order. `version` counts the order's steps; an update must name the version that it's based on. */
interface OrderMetadata {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  /** Counts from 1 in each workspace. */
  readonly number: number
  readonly environment: Environment
  readonly state: OrderState
  readonly version: number
  readonly requesterId: string
  /** The certificate that the order renews or reissues. */
  readonly renewsId?: string | undefined
  /** SHA-256 of the exact request body, base64url. */
  readonly bodyHash: string
  /** SHA-256 of the key's value, base64url: equal for the same key in any encoding. */
  readonly keyHash?: string | undefined
  /** When Signalman first knew that the service has the order. */
  readonly receivedAt?: Date | undefined
  readonly cards: OrderCards
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When an expiry or a reminder is due. */
  readonly wakeAt?: Date | undefined
}

/** An order to store. Its content becomes encrypted JSON. */
export type OrderToStore = OrderMetadata & { readonly content: unknown }

/** The readable part of an order whose content can't be decrypted. */
export interface UndecryptableOrder extends OrderMetadata {
  readonly sealError: SealError
}

/** `names`: in one spelling, for finding the orders that touch them. Not stored with the order. */
export type NewOrder = Omit<OrderToStore, 'id' | 'number' | 'version' | 'cards' | 'updatedAt'> & {
  readonly names?: readonly string[]
}

/** A certificate order in one of these states. */
export type OrderInState<State extends OrderState> = {
  [Each in State]: OrderMetadata & {
    readonly content: ContentByState[Each]
    readonly state: Each
    readonly keyHash: string
  }
}[State]

export type Order = OrderInState<OrderState>

/** An order in a list. Its content may not be decryptable. */
export type ListedOrder = Order | UndecryptableOrder

/** Whether the person is or was the requester, and so isn't an independent approver. */
export const hasRequested = (
  { requesterId, content: { requestedBefore = [] } }: Pick<Order, 'requesterId' | 'content'>,
  userId: string,
): boolean => userId === requesterId || requestedBefore.includes(userId)

/** The person who requested the order, even if it was handed over since. */
export const getFirstRequester = ({
  requesterId,
  content: { requestedBefore = [] },
}: Pick<Order, 'requesterId' | 'content'>): string => requestedBefore[0] ?? requesterId

/** SHA-256 of the exact body that would be sent. An approval is only valid for this hash. */
export const hashRequest = (request: OrderRequest, { formatBody }: Pick<OrderCalls, 'formatBody'>): string =>
  createHash('sha256').update(formatBody(request)).digest('base64url')

/** The order's display name: its first common name or alternative name, in one spelling. */
export const getMainName = (csr: Pick<Csr, 'subjectParts' | 'names' | 'subject'>): string =>
  listCertificateNames(csr)[0]?.text || csr.subject

export const formatOrderTitle = ({
  content: { request, csr },
}: {
  content: Pick<OrderContent, 'request' | 'csr'>
}): string => `${request.action} ${getMainName(csr) || 'a certificate'}`

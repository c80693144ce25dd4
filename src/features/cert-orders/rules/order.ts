import { createHash } from 'node:crypto'
import type { SealError } from '@signalman/durable'
import type { ShownMessage } from '../../../bot/posts/outbox.ts'
import type { Environment } from '../../../domain/environment.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { formatOrder, type OrderRequest } from '../../../service/orders.ts'
import type { Csr } from './csr/csr.ts'
import { listCertificateNames } from './host-names.ts'
import type { OrderState } from './order-states.ts'

/** A parsed CSR without its PEM text. */
type CsrFacts = Omit<Csr, 'pem'>

interface ServiceAnswer {
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

/** What is requested: what the form reads, and the service gets. */
export interface RequestedContent {
  request: OrderRequest
  csr: CsrFacts
  /** The service's names for the product and the organization, if known. */
  names: { product?: string | undefined; organization?: string | undefined }
}

/** The encrypted part of an order. Times are ISO text. */
export interface OrderContent extends RequestedContent {
  /** The account at the service that it was requested under, to which alone it is sent. */
  account: string
  expiresAt: string
  remindAt?: string | undefined
  /** Who approved exactly the body with this hash. Stored before the POST is sent. */
  approval?: { by: string; at: string; hash: string }
  outcome?: OrderOutcome
  rejection?: { by: string; reason: string }
}

/** The messages about an order in Slack. */
export type OrderCards = readonly ShownMessage[]

/** The unencrypted part of an order. `version` counts the order's steps; an update must name the version that it's based on. */
interface OrderMetadata {
  readonly id: string
  readonly workspaceId: string
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
  /** The key's JWK thumbprint (RFC 7638), base64url: equal for the same key in any encoding. */
  readonly keyHash: string
  /** When Signalman first knew that the service has the order. */
  readonly receivedAt?: Date | undefined
  readonly cards: OrderCards
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type Order = OrderMetadata & { readonly content: OrderContent }

/** The readable part of an order whose content can't be decrypted. */
interface UndecryptableOrder extends OrderMetadata {
  readonly sealError: SealError
}

/** An order to store. */
export type NewOrder = Omit<Order, 'id' | 'number' | 'version' | 'cards' | 'updatedAt' | 'content'> & {
  readonly content: unknown
}

/** An order in a list. Its content may not be decryptable. */
export type ListedOrder = Order | UndecryptableOrder

/** SHA-256 of the exact body that would be sent. An approval is only valid for this hash. */
export const hashRequest = (request: OrderRequest): string =>
  createHash('sha256').update(formatOrder(request)).digest('base64url')

/** The order's display name: its first common name or alternative name, in one spelling. */
export const getMainName = (csr: Pick<Csr, 'subjectParts' | 'names' | 'subject'>): string =>
  listCertificateNames(csr)[0]?.text || csr.subject

/** The line of a verb about this order, in its environment. */
export const writeOrderCommand = (
  { number, environment }: Pick<Order, 'number' | 'environment'>,
  verb: string,
  ...words: readonly string[]
): string => writeCommand(`/cert-order ${verb}`, { words: [number, ...words], environment })

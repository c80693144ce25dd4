import { createHash } from 'node:crypto'
import type { SealError } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { Orders as OrderCalls, OrderRequest, PlacedOrder } from '../../../service/orders.ts'
import { type Csr, commonNames } from './csr/csr.ts'
import type { OrderState } from './order-states.ts'

/** The parsed facts of a CSR. */
export type CsrFacts = Omit<Csr, 'pem'>

/** A person's approval of one exact body. */
interface Approval {
  by: string
  at: string
  hash: string
}

/** The order's outcome at the service. `by`: the person who recorded it, if it wasn't the service. */
export type OrderOutcome = Placed | Failed | Unknown

export interface Placed {
  kind: 'placed'
  placed: PlacedOrder
  /** When the certificate expires, ISO text, where the service said so. */
  validUntil?: string
  by?: string
  note?: string
  corrects?: Corrected
}

/** The outcome that a person recorded before the service's own answer arrived. */
interface Corrected {
  by: string
  said: 'placed' | 'failed'
}

export interface Failed {
  kind: 'failed'
  why: string
  said: readonly string[]
  by?: string
  /** In their own words, how they know that no request is in progress. */
  how?: string
  /** What the service answered, where it took the order and says that it failed. */
  answered?: PlacedOrder
  corrects?: Corrected
}

interface Unknown {
  kind: 'unknown'
  why: string
  said: readonly string[]
  /**
   * Ended: the process that sent the order has said itself that its call is over. Silent: nothing was heard of it, so that
   * its request might still be under way.
   */
  sender: 'ended' | 'silent'
}

/** All of an order that is sealed at rest. Times are ISO text. */
export interface OrderContent {
  request: OrderRequest
  csr: CsrFacts
  /** What the service calls the product and the organization, where it said so. */
  names: { product?: string | undefined; organization?: string | undefined }
  /** As what the certificate that is renewed or reissued was ordered, where that is known here. */
  renewed?: { productId?: string | undefined; product?: string | undefined } | undefined
  expiresAt: string
  remindAt?: string | undefined
  approvals: Approval[]
  /** Set before the POST leaves: by whose decision, and when. */
  submission?: { by: string; at: string }
  outcome?: OrderOutcome
  /** Who rejected or withdrew it; without `by` it was the order policy. */
  ending?: { by?: string; at: string; reason?: string }
  /** Who had requested it before it was handed over, the first one first. */
  requestedBefore?: readonly string[]
  /** Why it waits again although it had been approved. */
  heldBecause?: string
}

/** What an order in each state certainly has. */
interface ContentIn {
  awaiting: OrderContent
  submitting: OrderContent & { submission: object }
  placed: OrderContent & { submission: object; outcome: Placed }
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
  /** Whose direct messages it is in; absent in a channel. */
  readonly to?: string | undefined
  /** For a message about one step: what it says and of which version of the order, so that nobody gets it twice. */
  readonly about?: string | undefined
  /** The version of the order that was told of when a card came there. */
  readonly postedFor?: number | undefined
}

/** Where an order's cards stand in Slack, and what was said about the step that is being told of. */
export type OrderCards = readonly OrderCard[]

/** An order beside its content. `version` counts its steps; a change must name the version that it read. */
interface OrderHead {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  /** Counts from 1 in each workspace. */
  readonly number: number
  readonly environment: Environment
  readonly state: OrderState
  readonly version: number
  readonly requesterId: string
  /** The certificate that it renews or reissues. */
  readonly renewsId?: string | undefined
  /** The certificate that came of it. */
  readonly certificateId?: string | undefined
  /** SHA-256 of the exact request body, base64url. */
  readonly bodyHash: string
  /** SHA-256 of the key's value, base64url: the same for the same key in any encoding. */
  readonly keyHash?: string | undefined
  /** SHA-256 of the names that it asks for, base64url, whatever their order. */
  readonly namesHash?: string | undefined
  /** When it was first known to be placed. */
  readonly placedAt?: Date | undefined
  /** When the certificate expires, where the service said so. */
  readonly validUntil?: Date | undefined
  readonly cards: OrderCards
  readonly createdAt: Date
  readonly updatedAt: Date
  /** When an expiry or a reminder is due. */
  readonly wakeAt?: Date | undefined
}

/** The current state of a certificate order; `content` is encrypted JSON. */
export type StoredOrder<Content = unknown> = OrderHead & { readonly content: Content }

/** What is readable of an order whose content can't be decrypted. */
export interface UnopenedOrder extends OrderHead {
  readonly unopened: SealError
}

export type NewOrder = Omit<StoredOrder, 'id' | 'number' | 'version' | 'cards' | 'updatedAt'>

/** A certificate order in one of these states. */
export type OrderIn<State extends OrderState> = {
  [One in State]: StoredOrder<ContentIn[One]> & {
    readonly state: One
    readonly keyHash: string
    readonly namesHash: string
  }
}[State]

/** A certificate order. */
export type Order = OrderIn<OrderState>

/** An order in a list, also one whose content can't be decrypted. */
export type ListedOrder = Order | UnopenedOrder

/** Whether a person has requested the order, or had until it was handed over: neither decides on it as somebody else. */
export const hasRequested = (
  { requesterId, content: { requestedBefore = [] } }: Pick<Order, 'requesterId' | 'content'>,
  userId: string,
): boolean => userId === requesterId || requestedBefore.includes(userId)

/** Who requested it first, whoever has it now. */
export const firstRequester = ({
  requesterId,
  content: { requestedBefore = [] },
}: Pick<Order, 'requesterId' | 'content'>): string => requestedBefore[0] ?? requesterId

/** SHA-256 of the exact text that would be sent: what an approval is bound to. */
export const hashRequest = (request: OrderRequest, { bodyOf }: Pick<OrderCalls, 'bodyOf'>): string =>
  createHash('sha256').update(bodyOf(request)).digest('base64url')

/** The name that a request goes by: its first common name, or else its first alternative name. */
export const mainName = (csr: Pick<Csr, 'subjectParts' | 'names' | 'subject'>): string =>
  commonNames(csr)[0] || csr.names[0]?.text || csr.subject

/** What people call it. */
export const orderTitle = ({
  content: { request, csr },
}: {
  content: Pick<OrderContent, 'request' | 'csr'>
}): string => `${request.action} ${mainName(csr) || 'a certificate'}`

/** The same for the same set of names. */
export const hashOfNames = (csr: Pick<Csr, 'subjectParts' | 'names'>): string =>
  createHash('sha256')
    .update(
      JSON.stringify(
        [
          ...new Set(
            [...commonNames(csr), ...csr.names.map(({ text }) => text)].map((text) => text.toLowerCase()),
          ),
        ].sort(),
      ),
    )
    .digest('base64url')

import { createHash } from 'node:crypto'
import type { AuditEvent } from '@signalman/durable'
import type { Orders as OrderCalls, OrderRequest, PlacedOrder } from '../../service/orders.ts'
import type { Csr } from './csr/csr.ts'
import type { StoredOrders } from './rows/orders.ts'
import type { NewOrder, OrderEvent, StoredOrder, UnopenedOrder } from './rows/row.ts'
import type { OrderState } from './rules/order-states.ts'

/** What is known of a CSR beside its text. */
export type CsrFacts = Omit<Csr, 'pem'>

/** Somebody's yes to one exact body. */
interface Approval {
  by: string
  at: string
  hash: string
}

/** A change to the order by somebody other than the requester. */
export interface ChangeMade {
  by: string
  at: string
  fields: { label: string; before: string; after: string }[]
}

/** The order's outcome at the service. `by`: the person who said so, where it was not the service. */
export type OrderOutcome = Placed | Failed | Unknown

export interface Placed {
  kind: 'placed'
  placed: PlacedOrder
  /** When that was first known. */
  at?: string
  by?: string
  note?: string
  corrects?: Corrected
}

/** What somebody had said about an order before the service's own answer came. */
interface Corrected {
  by: string
  said: 'placed' | 'failed'
}

export interface Failed {
  kind: 'failed'
  why: string
  said: readonly string[]
  by?: string
  /** In their own words, how they know that nothing is under way any more. */
  how?: string
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
  changes: ChangeMade[]
  /** Set before the POST leaves: by whose decision, and when. */
  submission?: { by: string; at: string; rule?: { line: number; text: string; ruleSet: string } }
  outcome?: OrderOutcome
  /** Who rejected or withdrew it. */
  ending?: { by: string; at: string; reason?: string }
  /** The order that this one takes the place of, and the one that takes the place of this. */
  follows?: number
  followedBy?: number
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

/** A certificate order in one of these states. */
export type OrderIn<State extends OrderState> = {
  [One in State]: StoredOrder<ContentIn[One]> & { readonly state: One }
}[State]

/** A certificate order. */
export type Order = OrderIn<OrderState>

/** One of a listing: of what does not open, all that can be told beside its content. */
export type ListedOrder = Order | UnopenedOrder

/** The store's orders with their content as this feature writes it. */
export interface OrderRepository
  extends Omit<StoredOrders, 'find' | 'findAsked' | 'get' | 'list' | 'listing' | 'add' | 'move' | 'replace'> {
  find(workspaceId: string, number: number): Promise<Order | undefined>
  findAsked(workspaceId: string, reference: string): Promise<Order | undefined>
  get(id: string): Promise<Order | undefined>
  list(query: Parameters<StoredOrders['list']>[0]): Promise<Order[]>
  listing(query: Parameters<StoredOrders['listing']>[0]): Promise<ListedOrder[]>
  add(order: NewOrder & { content: OrderContent }, event: OrderEvent): Promise<Order>
  move(next: Order, event: OrderEvent, auditEvent?: AuditEvent): Promise<Order | undefined>
  replace(
    next: (successor: number) => Order,
    event: OrderEvent,
    successor: NewOrder & { content: OrderContent },
  ): Promise<Order | undefined>
}

// Content is sealed, and only this feature writes it, each state with its parts (lifecycle.ts): what opens is of this type.
export const orderRepository = (orders: StoredOrders): OrderRepository => orders as OrderRepository

/** SHA-256 of the exact text that would be sent: what an approval is bound to. */
export const hashOf = (request: OrderRequest, { bodyOf }: Pick<OrderCalls, 'bodyOf'>): string =>
  createHash('sha256').update(bodyOf(request)).digest('base64url')

/** What people call it: the subject's name, or the first that the request has. */
export function titleOf({ content }: { content: Pick<OrderContent, 'request' | 'csr'> }): string {
  const { request, csr } = content
  const [common] = commonNamesIn(csr.subject)
  const [first = ''] = csr.names
  return `${request.action} ${common || first.replace(/^DNS /, '') || csr.subject || 'a certificate'}`
}

/** How it is proved that the names are somebody's own: by name where it is known, and always as the service calls it. */
export const validationWords = (method: string | undefined): string | undefined =>
  method === 'VALIDATE_DNS' ? `by DNS (${method})` : method

/** The common names of a subject as csr/distinguished-name.ts writes it; undefined for one that is no text in its own encoding. */
export function commonNamesIn(subject: string): (string | undefined)[] {
  const names = subject.matchAll(/(?:^|, |\+)CN=((?:\\.|[^,+\\])*)/gs)
  return [...names].map(([, value = '']) =>
    value.startsWith('#')
      ? undefined
      : value.replace(/\\([0-9A-F]{2}|.)/gs, (_, sign: string) =>
          sign.length === 2 ? String.fromCharCode(Number.parseInt(sign, 16)) : sign,
        ),
  )
}

import { createHash } from 'node:crypto'
import type { Orders as OrderCalls, OrderRequest, PlacedOrder } from '../../api/orders.ts'
import type {
  AuditEvent,
  NewOrder,
  OrderEvent,
  OrderState,
  StoredOrder,
  StoredOrders,
} from '../../store/store.ts'
import type { Csr } from './csr/csr.ts'

/** What is known of a CSR beside its text. */
export type CsrFacts = Omit<Csr, 'pem'>

/** Somebody's yes to one exact body. */
export interface Approval {
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
export type OrderOutcome =
  | { kind: 'placed'; placed: PlacedOrder; by?: string; note?: string }
  | { kind: 'failed'; why: string; said: readonly string[]; by?: string }
  | { kind: 'unknown'; why: string; said: readonly string[] }

/** All of an order that is sealed at rest. Times are ISO text. */
export interface OrderContent {
  request: OrderRequest
  csr: CsrFacts
  /** What the service calls the product and the organization, where it said so. */
  names: { product?: string | undefined; organization?: string | undefined }
  expiresAt: string
  remindAt?: string | undefined
  approvals: Approval[]
  changes: ChangeMade[]
  /** Set before the POST leaves: by whose decision, and when. */
  submission?: { by: string; at: string }
  outcome?: OrderOutcome
  /** Who rejected or withdrew it. */
  ending?: { by: string; at: string; reason?: string }
  /** The order that this one takes the place of. */
  follows?: number
}

/** A certificate order. */
export type Order = StoredOrder<OrderContent>

/** The store's orders with their content as this feature writes it. */
export interface OrderRepository
  extends Omit<StoredOrders, 'find' | 'findAsked' | 'get' | 'list' | 'add' | 'move' | 'replace'> {
  find(workspaceId: string, number: number): Promise<Order | undefined>
  findAsked(workspaceId: string, reference: string): Promise<Order | undefined>
  get(id: string): Promise<Order | undefined>
  list(query: Parameters<StoredOrders['list']>[0]): Promise<Order[]>
  add(order: NewOrder & { content: OrderContent }, event: OrderEvent): Promise<Order>
  move(next: Order, event: OrderEvent, auditEvent?: AuditEvent): Promise<Order | undefined>
  replace(
    next: Order,
    event: OrderEvent,
    successor: NewOrder & { content: OrderContent },
  ): Promise<Order | undefined>
}

// Content is sealed, and only this feature writes it: what opens is of this type.
export const orderRepository = (orders: StoredOrders): OrderRepository => orders as OrderRepository

/** No step leads on from these, but a late answer of the service may still correct one. */
export const FINAL: ReadonlySet<OrderState> = new Set([
  'placed',
  'failed',
  'rejected',
  'withdrawn',
  'expired',
])

/** SHA-256 of the exact text that would be sent: what an approval is bound to. */
export const hashOf = (request: OrderRequest, { bodyOf }: Pick<OrderCalls, 'bodyOf'>): string =>
  createHash('sha256').update(bodyOf(request)).digest('base64url')

/** What people call it: the subject's name, or the first that the request has. */
export function titleOf({ content }: { content: Pick<OrderContent, 'request' | 'csr'> }): string {
  const { request, csr } = content
  const common = /(?:^|, )CN=((?:\\.|[^,\\])+)/.exec(csr.subject)?.[1]
  const [first = ''] = csr.names
  return `${request.action} ${common ?? (first.replace(/^DNS /, '') || csr.subject || 'a certificate')}`
}

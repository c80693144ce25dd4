import { type Http, path } from './http.ts'
import { jsonData, lenient } from './read.ts'
import { asRecord } from './scalars.ts'
import { many, mapped, shape, text, type ValueReader } from './shape.ts'

/** A certificate order as a person states it. Options left undefined are left out of the request. */
export interface OrderRequest {
  /** An action of the service, such as create, renew or reissue. */
  action: string
  /** Certificate signing request, PEM. */
  csr: string
  /** A number followed by a unit word, such as '1 year'. */
  duration: string
  /** Domain control validation; the service's default is VALIDATE_DNS. */
  validationMethod?: string | undefined
  /** The service's default is 'others'. */
  webServer?: string | undefined
  customerId?: number | undefined
  billingNumber?: string | undefined
  orderReference?: string | undefined
  /** For a creation: the product to order. */
  productId?: string | undefined
  /** For a renewal or reissue: the certificate it is about. */
  certificateId?: string | undefined
  organizationId?: string | undefined
  contacts?: readonly { id: string; type: 'admin' | 'tech' }[] | undefined
}

/** An order that the service took. What it answers is not promised: the text of it is kept, as it came. */
export interface PlacedOrder {
  readonly id?: string | undefined
  readonly status?: string | undefined
  readonly certificateId?: string | undefined
  /** At most 100,000 characters, and without the caller's token. */
  readonly answer: string
}

const MAX_ANSWER_LENGTH = 100_000

export type Orders = ReturnType<typeof orders>

/** The calls on certificate orders. Each throws ApiError. */
export function orders(http: Http) {
  return {
    /**
     * Places the order, once: it is never repeated after a byte of it left. On an error, `mayHaveHappened` tells
     * whether it may have been placed.
     */
    create: async (order: OrderRequest, signal?: AbortSignal): Promise<PlacedOrder> =>
      http.send('POST', path`/ssl/v2/orders`, readPlaced, signal, bodyOf(order)),

    /** The exact JSON text that `create` sends. */
    bodyOf,
  }
}

/** An object where there is one; anything else in its place is nobody's fault. */
const maybe =
  <T>(part: ValueReader<T | undefined>): ValueReader<T | undefined> =>
  (value, at) =>
    asRecord(value) && part(value, at)

const Placed = shape({
  data: maybe(
    shape({
      id: text,
      attributes: maybe(shape({ status: text })),
      relationships: maybe(shape({ certificate: maybe(shape({ data: maybe(shape({ id: text })) })) })),
    }),
  ),
})

const readPlaced = lenient(
  Placed,
  (read, answer): PlacedOrder => ({
    id: read?.data?.id,
    status: read?.data?.attributes?.status,
    certificateId: read?.data?.relationships?.certificate?.data?.id,
    answer: answer.slice(0, MAX_ANSWER_LENGTH).toWellFormed(),
  }),
)

/** JSON leaves out what is undefined; the order of the keys is fixed, so equal orders have equal texts. */
function bodyOf(order: OrderRequest): string {
  const infos = { validation_method: order.validationMethod, web_server: order.webServer }
  const contacts = order.contacts?.map(({ id, type }) => ({
    type: 'contact',
    id,
    meta: { contact_type: type },
  }))
  return JSON.stringify({
    data: {
      type: 'order',
      attributes: {
        action: order.action,
        csr: order.csr,
        duration: order.duration,
        infos: infos.validation_method === undefined && infos.web_server === undefined ? undefined : infos,
        customer_id: order.customerId,
        billing_number: order.billingNumber,
        order_reference: order.orderReference,
      },
      relationships: {
        product: relationTo('product', order.productId),
        certificate: relationTo('certificate', order.certificateId),
        organization: relationTo('organization', order.organizationId),
        contacts: contacts && contacts.length > 0 ? { data: contacts } : undefined,
      },
    },
  })
}

function relationTo(type: string, id: string | undefined) {
  return id === undefined ? undefined : { data: { type, id } }
}

/** Something of the service that an order names by its id. */
export interface Named {
  readonly id: string
  readonly name: string
}

export type Catalog = ReturnType<typeof catalog>

/**
 * What can be ordered and for whom, in the order given. No part of the interface: a public client of the same service shows
 * both lists (read in November 2026), so a caller must do without them. Each throws ApiError.
 */
export function catalog(http: Http) {
  return {
    products: (signal?: AbortSignal): Promise<Named[]> => http.get(path`/ssl/v2/products`, readNamed, signal),
    organizations: (signal?: AbortSignal): Promise<Named[]> =>
      http.get(path`/ssl/v2/organizations`, readNamed, signal),
  }
}

/** A JSON:API list; what has no id is left out, and what has no name is called by its id. */
const readNamed = jsonData(
  many(
    mapped(shape({ id: text, attributes: shape({ name: text }) }), ({ id, attributes }): Named | undefined =>
      id ? { id, name: attributes?.name || id } : undefined,
    ),
  ),
)

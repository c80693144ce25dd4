import { type Body, decodeList } from './decode.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { compileOnUse, fields, type Output, text, textId } from './schema.ts'

/** The options of a certificate order. Undefined ones are left out of the request. */
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
  /** For a renewal or reissue: the existing certificate. */
  certificateId?: string | undefined
  organizationId?: string | undefined
  contacts?: readonly { id: string; type: 'admin' | 'tech' }[] | undefined
}

const MAX_ANSWER_LENGTH = 100_000

export type Orders = ReturnType<typeof orders>

/** The operations on certificate orders. Each throws ApiError. */
export function orders(http: Http) {
  return {
    /**
     * Lists what an order can refer to, sorted as the service returns it. This isn't documented, only used by a public client (read in
     * November 2026), so callers must work without it.
     */
    listItems: (kind: 'products' | 'organizations', signal?: AbortSignal): Promise<CatalogItem[]> =>
      http.get(path(`/ssl/v2/${kind}`), decodeCatalogItems, signal),

    /**
     * Sends the order at most once: never retries after a byte of the request was sent. Returns the text of an answer with a success
     * status, whatever it says: at most 100,000 characters, without the caller's token. On an error, `mayHaveHappened` says whether
     * the service may have the order.
     */
    create: async (order: OrderRequest): Promise<string> =>
      http.send('POST', path('/ssl/v2/orders'), readAnswerText, formatOrder(order)),
  }
}

/** The answer isn't documented, so nothing is read out of it here. */
const readAnswerText = ({ text }: Body): string => text().slice(0, MAX_ANSWER_LENGTH).toWellFormed()

/** The exact JSON text that is sent. JSON.stringify leaves out undefined fields. The keys are in a fixed sequence, so equal orders serialize to the same text. */
export function formatOrder(order: OrderRequest): string {
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

const CatalogItemSchema = compileOnUse(
  fields({ id: textId, attributes: fields({ name: text }).nullish() }).transform(({ id, attributes }) => ({
    id,
    name: attributes?.name || id,
  })),
)

/** A product or organization that an order refers to by its ID, which is also its name if it has none. */
export type CatalogItem = Output<typeof CatalogItemSchema>

/** Decodes a JSON:API list. An item without an ID is left out. */
const decodeCatalogItems = decodeList(
  (list, issues): CatalogItem[] =>
    readRows(list, 'data', issues, (row, at) => readObject(CatalogItemSchema, row, at, issues)).rows,
)

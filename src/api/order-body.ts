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

/** JSON leaves out what is undefined; the order of the keys is fixed, so equal orders have equal texts. */
export function bodyOf(order: OrderRequest): string {
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

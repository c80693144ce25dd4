import type { OrderRequest } from '../../../service/orders.ts'
import type { OrderContent } from './order.ts'

/** The service's term for a validation method, explained if Signalman knows it. */
const describeValidation = (method: string | undefined): string | undefined =>
  method === 'VALIDATE_DNS' ? `by DNS (${method})` : method

/**
 * The API's actions: the menu's label, and the kind of request that approvers see. Actions that aren't listed are shown as they are.
 */
export const ACTIONS = {
  create: { choice: 'Create a new certificate', kind: 'New certificate' },
  renew: { choice: 'Renew a certificate', kind: 'Renewal' },
  reissue: { choice: 'Reissue a certificate', kind: 'Reissue' },
} as const
export type Action = keyof typeof ACTIONS

export const isAction = (value = ''): value is Action => Object.hasOwn(ACTIONS, value)

export const formatAction = ({ action }: Pick<OrderRequest, 'action'>): string =>
  isAction(action) ? ACTIONS[action].kind : action

/** The field that says what to order: the product for a new certificate; otherwise the existing certificate. */
export const getSubjectField = (action: Action): 'product' | 'certificate' =>
  action === 'create' ? 'product' : 'certificate'

export interface TextField {
  label: string
  /** The request's property for this value. For contacts, their type. */
  requestField: Exclude<keyof OrderRequest, 'action' | 'csr' | 'contacts'> | 'admin' | 'tech'
  hint?: string
  optional?: boolean
  max?: number
  /** Shown only behind **More…**. */
  isRare?: true
  /** Chosen by name if the service lists its values; otherwise its ID is typed. */
  catalogList?: 'products' | 'organizations'
}

export const MAX_ID_LENGTH = 255
/** JavaScript can't represent larger integers exactly, so another number would be sent. */
export const MAX_CUSTOMER_ID = Number.MAX_SAFE_INTEGER
const ID_LIMIT = { max: MAX_ID_LENGTH }

/** Every text field that is sent, in the form's order, which is that of an approval. The key is the input's name. */
export const TEXT_FIELDS = {
  product: { label: 'Product', requestField: 'productId', catalogList: 'products', ...ID_LIMIT },
  certificate: {
    label: 'Certificate ID',
    requestField: 'certificateId',
    hint: 'The ID that the service gave it, not a name or the number of an order. Signalman doesn’t know it: look in the service’s own pages or emails.',
    ...ID_LIMIT,
  },
  duration: {
    label: 'Duration',
    requestField: 'duration',
    hint: 'A number and a unit, such as 90 days or 1 year.',
    max: 100,
  },
  organization: {
    label: 'Organization',
    requestField: 'organizationId',
    catalogList: 'organizations',
    optional: true,
    ...ID_LIMIT,
  },
  'admin-contacts': {
    label: 'Admin contact IDs',
    requestField: 'admin',
    isRare: true,
    optional: true,
    hint: 'Separated by commas. Leave both kinds of contact empty for the organization’s default.',
  },
  'tech-contacts': {
    label: 'Tech contact IDs',
    requestField: 'tech',
    isRare: true,
    optional: true,
    hint: 'Separated by commas.',
  },
  validation: {
    label: 'Validation method',
    requestField: 'validationMethod',
    isRare: true,
    optional: true,
    hint: `How you prove that you control the names. Default: ${describeValidation('VALIDATE_DNS')}.`,
    max: 100,
  },
  'web-server': {
    label: 'Web server',
    requestField: 'webServer',
    isRare: true,
    optional: true,
    hint: 'The software that will use the certificate. Default: “others”.',
    max: 100,
  },
  customer: {
    label: 'Customer ID',
    requestField: 'customerId',
    isRare: true,
    optional: true,
    hint: 'The number of the customer at the service that the order is for.',
    max: String(MAX_CUSTOMER_ID).length,
  },
  billing: {
    label: 'Billing number',
    requestField: 'billingNumber',
    isRare: true,
    optional: true,
    ...ID_LIMIT,
  },
  reference: {
    label: 'Order reference',
    requestField: 'orderReference',
    isRare: true,
    optional: true,
    hint: 'Your purchase order or cost center.',
    ...ID_LIMIT,
  },
} as const satisfies Readonly<Record<string, TextField>>

export type TextFieldName = keyof typeof TEXT_FIELDS
// Cast, because Object.keys returns strings.
export const TEXT_FIELD_NAMES = Object.keys(TEXT_FIELDS) as TextFieldName[]

/** The request's values of these fields, with the field's label. */
export const listFieldValues = (
  { request, names }: Pick<OrderContent, 'request' | 'names'>,
  fields: readonly TextFieldName[] = TEXT_FIELD_NAMES,
): (readonly [label: string, value: string | undefined])[] =>
  fields.map((name) => {
    const text = formatRequestField(request, name)
    const knownName = name === 'product' || name === 'organization' ? names[name] : undefined
    const isNamed = text !== undefined && knownName !== undefined && knownName !== text
    const shownText = isNamed ? `${knownName} (${text})` : text
    return [TEXT_FIELDS[name].label, name === 'validation' ? describeValidation(shownText) : shownText]
  })

/** A request's value as someone would type it. Contact IDs are separated by commas. */
export function formatRequestField(request: OrderRequest, name: TextFieldName): string | undefined {
  const { requestField } = TEXT_FIELDS[name]
  if (requestField !== 'admin' && requestField !== 'tech') return request[requestField]?.toString()
  const ids = request.contacts?.filter(({ type }) => type === requestField).map(({ id }) => id)
  return ids?.join(', ') || undefined
}

import type { OrderRequest } from '../../../service/orders.ts'
import type { OrderContent } from './order.ts'

/** Describes a validation method: in words if it's known, and always with the service's own term. */
export const describeValidation = (method: string | undefined): string | undefined =>
  method === 'VALIDATE_DNS' ? `by DNS (${method})` : method

/**
 * The API's actions: the menu's label, the kind of request that approvers see, and the words before its names. Other values are
 * shown as they are.
 */
export const ACTIONS = {
  create: { choice: 'Create: a new certificate', kind: 'New certificate', lead: 'Certificate for' },
  renew: { choice: 'Renew a certificate', kind: 'Renewal', lead: 'Renewal for' },
  reissue: { choice: 'Reissue a certificate', kind: 'Reissue', lead: 'Reissue for' },
} as const
export type Action = keyof typeof ACTIONS

export const isAction = (value = ''): value is Action => Object.hasOwn(ACTIONS, value)

export const getActionTexts = (value: string) => (isAction(value) ? ACTIONS[value] : undefined)

/** Which field identifies the subject of an action: a new certificate's product, or the existing certificate. */
export const getSubjectField = (action: Action): 'product' | 'certificate' =>
  action === 'create' ? 'product' : 'certificate'

export interface TextField {
  label: string
  /** The request's property for this value. For contacts, their kind. */
  at: Exclude<keyof OrderRequest, 'action' | 'csr' | 'contacts'> | 'admin' | 'tech'
  hint?: string
  placeholder?: string
  optional?: boolean
  max?: number
  /** Chosen by name if the service lists its values; otherwise its ID is typed. */
  choicesFrom?: 'products' | 'organizations'
}

export const MAX_ID = 255
/** JavaScript can't represent larger integers exactly, so another number would be sent. */
export const MAX_CUSTOMER = Number.MAX_SAFE_INTEGER
const ID_LIMIT = { max: MAX_ID }

/** Every text field that is sent, in the form's order. The key is the input's name. */
export const TEXT_FIELDS = {
  product: { label: 'Product', at: 'productId', choicesFrom: 'products', ...ID_LIMIT },
  certificate: {
    label: 'Certificate ID',
    at: 'certificateId',
    hint: 'The certificate to renew or reissue.',
    ...ID_LIMIT,
  },
  duration: {
    label: 'Duration',
    at: 'duration',
    hint: 'A number and a unit, such as 1 year or 2 years.',
    max: 100,
  },
  organization: {
    label: 'Organization',
    at: 'organizationId',
    choicesFrom: 'organizations',
    optional: true,
    ...ID_LIMIT,
  },
  'admin-contacts': {
    label: 'Admin contact IDs',
    at: 'admin',
    optional: true,
    hint: "Separated by commas. Leave both kinds of contact empty for the organization's default.",
  },
  'tech-contacts': { label: 'Tech contact IDs', at: 'tech', optional: true, hint: 'Separated by commas.' },
  validation: {
    label: 'Validation method',
    at: 'validationMethod',
    optional: true,
    hint: `How you prove that you control the names. Default: ${describeValidation('VALIDATE_DNS')}.`,
    max: 100,
  },
  'web-server': {
    label: 'Web server',
    at: 'webServer',
    optional: true,
    hint: 'The software that will use the certificate. Default: “others”.',
    max: 100,
  },
  customer: { label: 'Customer ID', at: 'customerId', optional: true, max: String(MAX_CUSTOMER).length },
  billing: { label: 'Billing number', at: 'billingNumber', optional: true, ...ID_LIMIT },
  reference: {
    label: 'Order reference',
    at: 'orderReference',
    optional: true,
    hint: 'Your purchase order or cost center.',
    ...ID_LIMIT,
  },
} as const satisfies Readonly<Record<string, TextField>>

export type TextFieldName = keyof typeof TEXT_FIELDS
// The keys of the table are the names.
export const TEXT_FIELD_NAMES = Object.keys(TEXT_FIELDS) as TextFieldName[]

/** The request's values, by the field's label. */
export const listFieldValues = (
  request: OrderRequest,
  names: OrderContent['names'],
): (readonly [label: string, value: string | undefined])[] =>
  TEXT_FIELD_NAMES.map((name) => {
    const text = readText(request, name)
    const knownName = name === 'product' || name === 'organization' ? names[name] : undefined
    const isNamed = text !== undefined && knownName !== undefined && knownName !== text
    const shownText = isNamed ? `${knownName} (${text})` : text
    return [TEXT_FIELDS[name].label, name === 'validation' ? describeValidation(shownText) : shownText]
  })

/** A request's value as someone would type it. Contact IDs are separated by commas. */
export function readText(request: OrderRequest, name: TextFieldName): string | undefined {
  const { at } = TEXT_FIELDS[name]
  if (at !== 'admin' && at !== 'tech') return request[at]?.toString()
  const ids = request.contacts?.filter(({ type }) => type === at).map(({ id }) => id)
  return ids?.join(', ') || undefined
}

import type { OrderRequest } from '../../../service/orders.ts'
import type { OrderContent } from './order.ts'

/** How it is proved that the names are somebody's own: by name where it is known, and always as the service calls it. */
export const validationWords = (method: string | undefined): string | undefined =>
  method === 'VALIDATE_DNS' ? `by DNS (${method})` : method

/**
 * The actions that the interface's rules speak of, as one chooses them, what an approver calls what is asked for, and what stands
 * before its names; other values are not shown there.
 */
export const ACTIONS = {
  create: { choice: 'Create: a new certificate', kind: 'New certificate', lead: 'Certificate for' },
  renew: { choice: 'Renew a certificate', kind: 'Renewal', lead: 'Renewal for' },
  reissue: { choice: 'Reissue a certificate', kind: 'Reissue', lead: 'Reissue for' },
} as const
export type Action = keyof typeof ACTIONS

export const isAction = (value = ''): value is Action => Object.hasOwn(ACTIONS, value)

export const actionWords = (value: string) => (isAction(value) ? ACTIONS[value] : undefined)

/** Which field names the thing that an action is about: a new certificate's product, or the certificate there is. */
export const subjectField = (action: Action): 'product' | 'certificate' =>
  action === 'create' ? 'product' : 'certificate'

export interface TextField {
  label: string
  /** Where it stands in the request; contacts are told by their kind. */
  at: Exclude<keyof OrderRequest, 'action' | 'csr' | 'contacts'> | 'admin' | 'tech'
  hint?: string
  placeholder?: string
  optional?: boolean
  max?: number
  /** Where the service lists what there is, it is chosen by name; else its id is typed. */
  offered?: 'products' | 'organizations'
}

export const MAX_ID = 255
/** The service takes any whole number; a greater one than this would be sent as another. */
export const MAX_CUSTOMER = Number.MAX_SAFE_INTEGER
const ID = { max: MAX_ID }

/** Every field whose text is sent, in the form's order; its name is the input's. */
export const TEXTS = {
  product: { label: 'Product', at: 'productId', offered: 'products', ...ID },
  certificate: {
    label: 'Certificate ID',
    at: 'certificateId',
    hint: 'The certificate to renew or reissue.',
    ...ID,
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
    offered: 'organizations',
    optional: true,
    ...ID,
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
    hint: `How you prove that you control the names. Default: ${validationWords('VALIDATE_DNS')}.`,
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
  billing: { label: 'Billing number', at: 'billingNumber', optional: true, ...ID },
  reference: {
    label: 'Order reference',
    at: 'orderReference',
    optional: true,
    hint: 'Your purchase order or cost center.',
    ...ID,
  },
} as const satisfies Readonly<Record<string, TextField>>

export type TextName = keyof typeof TEXTS
// The names are the keys of that table.
export const TEXT_NAMES = Object.keys(TEXTS) as TextName[]

/** What a request has in each field, by the field's label. */
export const fieldEntries = (
  request: OrderRequest,
  names: OrderContent['names'],
): (readonly [label: string, value: string | undefined])[] =>
  TEXT_NAMES.map((name) => {
    const text = textIn(request, name)
    const called = name === 'product' || name === 'organization' ? names[name] : undefined
    const isNamed = text !== undefined && called !== undefined && called !== text
    const said = isNamed ? `${called} (${text})` : text
    return [TEXTS[name].label, name === 'validation' ? validationWords(said) : said]
  })

/** As it would be typed: the ids of one kind of contact with commas between them. */
export function textIn(request: OrderRequest, name: TextName): string | undefined {
  const { at } = TEXTS[name]
  if (at !== 'admin' && at !== 'tech') return request[at]?.toString()
  const ids = request.contacts?.filter(({ type }) => type === at).map(({ id }) => id)
  return ids?.join(', ') || undefined
}

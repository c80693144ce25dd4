import { type Answers, context, fileInput, section, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { holdsPrivateKey } from '../../../domain/private-key.ts'
import type { OrderRequest } from '../../../service/orders.ts'
import type { Offered } from '../catalog.ts'
import { type Order, type OrderContent, validationWords } from '../order.ts'

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

interface TextField {
  label: string
  /** Where it stands in the request; contacts are told by their kind. */
  at: Exclude<keyof OrderRequest, 'action' | 'csr' | 'contacts'> | 'admin' | 'tech'
  hint?: string
  placeholder?: string
  optional?: boolean
  max?: number
  /** Where the service lists what there is, it is chosen by name; else its id is typed. */
  offered?: keyof Offered
}

export const MAX_ID = 255
/** The service takes any whole number; a greater one than this would be sent as another. */
export const MAX_CUSTOMER = Number.MAX_SAFE_INTEGER
const ID = { max: MAX_ID }

/** Every field whose text is sent, in the form's order; its name is the input's. */
const TEXTS = {
  product: { label: 'Product', at: 'productId', offered: 'products', ...ID },
  certificate: {
    label: 'Certificate id',
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
    label: 'Admin contact ids',
    at: 'admin',
    optional: true,
    hint: "Separated by commas. Leave both kinds of contact empty for the organization's default.",
  },
  'tech-contacts': { label: 'Tech contact ids', at: 'tech', optional: true, hint: 'Separated by commas.' },
  validation: {
    label: 'Validation method',
    at: 'validationMethod',
    optional: true,
    hint: `How you prove that the names are yours. Left empty: ${validationWords('VALIDATE_DNS')}.`,
    max: 100,
  },
  'web-server': {
    label: 'Web server',
    at: 'webServer',
    optional: true,
    hint: 'The software that will use the certificate. Left empty, the order says “others”.',
    max: 100,
  },
  customer: { label: 'Customer id', at: 'customerId', optional: true, max: String(MAX_CUSTOMER).length },
  billing: { label: 'Billing number', at: 'billingNumber', optional: true, ...ID },
  reference: {
    label: 'Order reference',
    at: 'orderReference',
    optional: true,
    hint: 'Your purchase order or cost centre.',
    ...ID,
  },
} as const satisfies Readonly<Record<string, TextField>>

type TextName = keyof typeof TEXTS
// The names are the keys of that table.
export const TEXT_NAMES = Object.keys(TEXTS) as TextName[]

/** What the fields start with, as text; a renewal or reissue starts with its certificate. */
export type OrderDraft = { action: Action; csr?: string | undefined } & {
  [Name in TextName]?: string | undefined
}

/** The interface's own defaults. */
export const EMPTY: OrderDraft = { action: 'create', validation: 'VALIDATE_DNS', 'web-server': 'others' }

/** What the form must know that nobody types. */
export interface OrderAbout {
  environment: Environment
  offered: Offered
  /** The order that is edited, and the body that the editor saw. */
  edits?: { number: number; hash: string }
}

/** The fields; an order that is edited keeps its CSR. */
export function formBlocks(
  draft: OrderDraft,
  { environment, offered, edits }: OrderAbout,
  hint = edits
    ? ''
    : 'Request a certificate. It is ordered as soon as it has the approvals that the rules require.',
): KnownBlock[] {
  const elsewhere = draft.action === 'create' ? 'certificate' : 'product'
  return [
    ...(environment === 'ote' ? [context('OTE test environment')] : []),
    ...(hint ? [section(hint)] : []),
    selectInput(
      'action',
      'Action',
      Object.entries(ACTIONS).map(([value, { choice: label }]) => ({
        label,
        value,
        chosen: value === draft.action,
      })),
      { dispatch: true },
    ),
    ...(edits
      ? [context('The request (CSR) stays as it is: its key is for the requester to choose.')]
      : csrBlocks(draft)),
    ...TEXT_NAMES.filter((name) => name !== elsewhere).map((name) => textBlock(name, draft[name], offered)),
  ]
}

function csrBlocks(draft: OrderDraft): KnownBlock[] {
  return [
    textInput('csr', 'Certificate signing request (CSR)', {
      initial: draft.csr,
      multiline: true,
      optional: true,
      placeholder: '-----BEGIN CERTIFICATE REQUEST-----',
      hint: 'Paste the PEM text, or upload the file below. Never the private key: that stays with you.',
    }),
    fileInput('csr-file', 'CSR as a file', {
      optional: true,
      types: ['csr', 'pem', 'der', 'req', 'p10', 'txt'],
      hint: 'PEM or DER, at most 64 KB.',
    }),
  ]
}

function textBlock(name: TextName, initial: string | undefined, given: Offered): KnownBlock {
  const { label, at: _, offered, ...options }: TextField = TEXTS[name]
  if (!offered) return textInput(name, label, { ...options, initial })
  const named = given[offered]
  if (!named) return textInput(name, `${label} id`, { ...options, initial })
  const choices = named.map((one) => ({
    label: one.name === one.id ? one.id : `${one.name} (${one.id})`,
    value: one.id,
    chosen: one.id === initial,
  }))
  return selectInput(name, label, choices, { optional: options.optional ?? false })
}

/** What was typed so far, unchecked: enough to draw the form again. A private key is not sent round once more, from no field. */
export function typedSoFar(answers: Answers): OrderDraft {
  const action = answers.choice('action')
  const typed = (field: string): [string, string | undefined] => {
    const text = answers.choice(field) ?? answers.text(field)
    return [field, text !== undefined && holdsPrivateKey(text) ? undefined : text]
  }
  return {
    action: isAction(action) ? action : 'create',
    ...Object.fromEntries(['csr', ...TEXT_NAMES].map(typed)),
  }
}

/** An earlier order as a new one would start from it, all but its CSR. */
export const draftOf = ({ content: { request } }: Pick<Order, 'content'>): OrderDraft => ({
  action: isAction(request.action) ? request.action : 'create',
  ...Object.fromEntries(TEXT_NAMES.map((name) => [name, textIn(request, name)])),
})

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
function textIn(request: OrderRequest, name: TextName): string | undefined {
  const { at } = TEXTS[name]
  if (at !== 'admin' && at !== 'tech') return request[at]?.toString()
  const ids = request.contacts?.filter(({ type }) => type === at).map(({ id }) => id)
  return ids?.join(', ') || undefined
}

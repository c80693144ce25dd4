import { type Answers, context, fileInput, section, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { holdsPrivateKey } from '../../../domain/private-key.ts'
import type { Named } from '../../../service/catalog.ts'
import type { Offered } from '../catalog.ts'
import type { Order } from '../order.ts'
import { ACTIONS, type Action, isAction, subjectField } from './read-order.ts'

/** What the fields start with, as text; a renewal or reissue starts with its certificate. */
export interface OrderDraft {
  action: Action
  csr?: string | undefined
  duration?: string | undefined
  product?: string | undefined
  certificate?: string | undefined
  organization?: string | undefined
  adminContacts?: string | undefined
  techContacts?: string | undefined
  validation?: string | undefined
  webServer?: string | undefined
  customer?: string | undefined
  billing?: string | undefined
  reference?: string | undefined
}

/** The interface's own defaults. */
export const EMPTY: OrderDraft = { action: 'create', validation: 'VALIDATE_DNS', webServer: 'others' }

const ACTION_NAMES: Readonly<Record<Action, string>> = {
  create: 'Create: a new certificate',
  renew: 'Renew a certificate',
  reissue: 'Reissue a certificate',
}

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
  hint = '',
): KnownBlock[] {
  const id = { max: 255 }
  return [
    ...(environment === 'ote' ? [context('OTE test environment')] : []),
    ...(hint ? [section(hint)] : []),
    selectInput(
      'action',
      'Action',
      ACTIONS.map((value) => ({ label: ACTION_NAMES[value], value, chosen: value === draft.action })),
      { dispatch: true },
    ),
    ...(edits
      ? [context('The request (CSR) stays as it is: its key is for the requester to choose.')]
      : csrBlocks(draft)),
    subjectBlock(draft, offered),
    textInput('duration', 'Duration', {
      initial: draft.duration,
      placeholder: '1 year',
      hint: 'A number and a unit, such as 1 year or 2 years.',
      max: 100,
    }),
    choiceOrId('organization', 'Organization', draft.organization, offered.organizations, true),
    textInput('admin-contacts', 'Admin contact ids', {
      initial: draft.adminContacts,
      optional: true,
      hint: "Separated by commas. Leave both kinds of contact empty for the organization's default.",
    }),
    textInput('tech-contacts', 'Tech contact ids', {
      initial: draft.techContacts,
      optional: true,
      hint: 'Separated by commas.',
    }),
    textInput('validation', 'Validation method', {
      initial: draft.validation,
      optional: true,
      hint: 'How you prove that the names are yours. Left empty, the service takes VALIDATE_DNS.',
      max: 100,
    }),
    textInput('web-server', 'Web server', {
      initial: draft.webServer,
      optional: true,
      hint: 'Left empty, the service takes others.',
      max: 100,
    }),
    textInput('customer', 'Customer id', { initial: draft.customer, optional: true, max: 10 }),
    textInput('billing', 'Billing number', { initial: draft.billing, optional: true, ...id }),
    textInput('reference', 'Order reference', {
      initial: draft.reference,
      optional: true,
      hint: 'Your purchase order or cost centre.',
      ...id,
    }),
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

function subjectBlock(draft: OrderDraft, { products }: Offered): KnownBlock {
  const { action, product, certificate } = draft
  return subjectField(action) === 'product'
    ? choiceOrId('product', 'Product', product, products, false)
    : textInput('certificate', 'Certificate id', {
        initial: certificate,
        hint: `The certificate to ${action}.`,
        max: 255,
      })
}

/** The product by name where the service lists products, else the id as it was typed. */
function choiceOrId(
  field: string,
  label: string,
  initial: string | undefined,
  named: readonly Named[] | undefined,
  optional: boolean,
): KnownBlock {
  if (!named) return textInput(field, `${label} id`, { initial, optional, max: 255 })
  const choices = named.map(({ id, name }) => ({
    label: name === id ? id : `${name} (${id})`,
    value: id,
    chosen: id === initial,
  }))
  return selectInput(field, label, choices, { optional })
}

/** What was typed so far, unchecked: enough to draw the form again. A private key is not sent round once more, from no field. */
export function typedSoFar(answers: Answers): OrderDraft {
  const action = answers.choice('action')
  const typed = (field: string): string | undefined => {
    const text = answers.text(field)
    return text !== undefined && holdsPrivateKey(text) ? undefined : text
  }
  const either = (field: string): string | undefined => answers.choice(field) ?? typed(field)
  return {
    action: isAction(action) ? action : 'create',
    csr: typed('csr'),
    duration: typed('duration'),
    product: either('product'),
    certificate: typed('certificate'),
    organization: either('organization'),
    adminContacts: typed('admin-contacts'),
    techContacts: typed('tech-contacts'),
    validation: typed('validation'),
    webServer: typed('web-server'),
    customer: typed('customer'),
    billing: typed('billing'),
    reference: typed('reference'),
  }
}

/** An earlier order as a new one would start from it, all but its CSR. */
export function draftOf({ content: { request } }: Pick<Order, 'content'>): OrderDraft {
  const contacts = (kind: string): string | undefined =>
    request.contacts
      ?.filter(({ type }) => type === kind)
      .map(({ id }) => id)
      .join(', ') || undefined
  return {
    action: isAction(request.action) ? request.action : 'create',
    duration: request.duration,
    product: request.productId,
    certificate: request.certificateId,
    organization: request.organizationId,
    adminContacts: contacts('admin'),
    techContacts: contacts('tech'),
    validation: request.validationMethod,
    webServer: request.webServer,
    customer: request.customerId === undefined ? undefined : String(request.customerId),
    billing: request.billingNumber,
    reference: request.orderReference,
  }
}

import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../api/service.ts'
import { selectInput, textInput } from '../../blocks/inputs.ts'
import { context } from '../../blocks/layout.ts'
import type { Answers } from '../../slack/answers.ts'
import type { Form, Modal } from '../../slack/routes.ts'
import { holdsPrivateKey } from './csr/pem.ts'
import { ACTIONS, type Action, type FilledOrder, isAction, readOrder, subjectField } from './fields.ts'
import { placeOrder } from './place-order.ts'

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
const EMPTY: OrderDraft = { action: 'create', validation: 'VALIDATE_DNS', webServer: 'others' }

const ACTION_NAMES: Readonly<Record<Action, string>> = {
  create: 'Create: a new certificate',
  renew: 'Renew a certificate',
  reissue: 'Reissue a certificate',
}

/** What the form must know that nobody types. */
export interface OrderAbout {
  environment: Environment
}

export const orderForm: Form<FilledOrder, OrderAbout> = {
  id: 'cert-orders.order',
  needs: 'approver',
  working: 'Placing the order… This window shows what becomes of it.',
  read: readOrder,
  submit: placeOrder,
  follow: (answers, { environment }) => orderBlocks(typedSoFar(answers), environment),
}

export function orderModal(environment: Environment, draft: OrderDraft = EMPTY): Modal {
  return {
    title: 'Certificate order',
    form: { id: orderForm.id, submit: 'Place order' },
    about: { environment } satisfies OrderAbout,
    blocks: orderBlocks(draft, environment),
  }
}

function orderBlocks(draft: OrderDraft, environment: Environment): KnownBlock[] {
  const id = { max: 255 }
  return [
    ...(environment === 'ote' ? [context('OTE test environment')] : []),
    selectInput(
      'action',
      'Action',
      ACTIONS.map((value) => ({ label: ACTION_NAMES[value], value, chosen: value === draft.action })),
      { dispatch: true },
    ),
    textInput('csr', 'Certificate signing request (CSR)', {
      initial: draft.csr,
      multiline: true,
      placeholder: '-----BEGIN CERTIFICATE REQUEST-----',
      hint: 'Paste the PEM text. Never the private key: that stays with you.',
    }),
    subjectBlock(draft),
    textInput('duration', 'Duration', {
      initial: draft.duration,
      placeholder: '1 year',
      hint: 'A number and a unit, such as 1 year or 2 years.',
      max: 100,
    }),
    textInput('organization', 'Organization id', { initial: draft.organization, optional: true, ...id }),
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

function subjectBlock({ action, product, certificate }: OrderDraft): KnownBlock {
  return subjectField(action) === 'product'
    ? textInput('product', 'Product id', { initial: product, max: 255 })
    : textInput('certificate', 'Certificate id', {
        initial: certificate,
        hint: `The certificate to ${action}.`,
        max: 255,
      })
}

/** What was typed so far, unchecked: enough to draw the form again. A private key is not sent round once more. */
function typedSoFar(answers: Answers): OrderDraft {
  const action = answers.choice('action')
  const csr = answers.text('csr')
  return {
    action: isAction(action) ? action : 'create',
    csr: csr && holdsPrivateKey(csr) ? undefined : csr,
    duration: answers.text('duration'),
    product: answers.text('product'),
    certificate: answers.text('certificate'),
    organization: answers.text('organization'),
    adminContacts: answers.text('admin-contacts'),
    techContacts: answers.text('tech-contacts'),
    validation: answers.text('validation'),
    webServer: answers.text('web-server'),
    customer: answers.text('customer'),
    billing: answers.text('billing'),
    reference: answers.text('reference'),
  }
}

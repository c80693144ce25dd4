import { type Answers, context, fileInput, section, selectInput, textInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../../domain/environment.ts'
import { containsPrivateKey } from '../../../domain/private-key.ts'
import type { CatalogChoices } from '../catalog.ts'
import type { Order } from '../rules/order.ts'
import {
  ACTIONS,
  type Action,
  formatRequestField,
  isAction,
  TEXT_FIELD_NAMES,
  TEXT_FIELDS,
  type TextField,
  type TextFieldName,
} from '../rules/request-fields.ts'

/** The initial values of the fields, as text. A renewal or reissue starts with its certificate. */
export type OrderDraft = { action: Action; csr?: string | undefined } & {
  [Name in TextFieldName]?: string | undefined
}

/** The API's own defaults. */
export const EMPTY_DRAFT: OrderDraft = {
  action: 'create',
  validation: 'VALIDATE_DNS',
  'web-server': 'others',
}

/** The form's data that people don't type. */
export interface OrderFormState {
  environment: Environment
  choices: CatalogChoices
}

export function formBlocks(
  draft: OrderDraft,
  { environment, choices }: OrderFormState,
  hint = 'Request a certificate. It’s ordered as soon as it has the approvals that the order policy requires.',
): KnownBlock[] {
  const hiddenField = draft.action === 'create' ? 'certificate' : 'product'
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
    ...csrBlocks(draft),
    ...TEXT_FIELD_NAMES.filter((name) => name !== hiddenField).map((name) =>
      textBlock(name, draft[name], choices),
    ),
  ]
}

function csrBlocks(draft: OrderDraft): KnownBlock[] {
  return [
    textInput('csr', 'Certificate signing request (CSR)', {
      initial: draft.csr,
      multiline: true,
      optional: true,
      placeholder: '-----BEGIN CERTIFICATE REQUEST-----',
      hint: 'Paste the PEM text, or upload the file below. Never send the private key.',
    }),
    fileInput('csr-file', 'CSR as a file', {
      optional: true,
      types: ['csr', 'pem', 'der', 'req', 'p10', 'txt'],
      hint: 'PEM or DER, at most 64 KB.',
    }),
  ]
}

function textBlock(name: TextFieldName, initial: string | undefined, choices: CatalogChoices): KnownBlock {
  const { label, requestField: _, catalogList, ...options }: TextField = TEXT_FIELDS[name]
  if (!catalogList) return textInput(name, label, { ...options, initial })
  const items = choices[catalogList]
  if (!items) return textInput(name, `${label} ID`, { ...options, initial })
  const menuOptions = items.map((choice) => ({
    label: choice.name === choice.id ? choice.id : `${choice.name} (${choice.id})`,
    value: choice.id,
    chosen: choice.id === initial,
  }))
  return selectInput(name, label, menuOptions, { optional: options.optional ?? false })
}

/** Reads what was typed so far without checking it, to redraw the form. Drops private keys, because they must not be sent again. */
export function readUncheckedDraft(answers: Answers): OrderDraft {
  const action = answers.choice('action')
  const readField = (field: string): [string, string | undefined] => {
    const text = answers.choice(field) ?? answers.text(field)
    return [field, text !== undefined && containsPrivateKey(text) ? undefined : text]
  }
  return {
    action: isAction(action) ? action : 'create',
    ...Object.fromEntries(['csr', ...TEXT_FIELD_NAMES].map(readField)),
  }
}

/** An earlier order as a draft for a new one, without its CSR. */
export const toDraft = ({ content: { request } }: Pick<Order, 'content'>): OrderDraft => ({
  action: isAction(request.action) ? request.action : 'create',
  ...Object.fromEntries(TEXT_FIELD_NAMES.map((name) => [name, formatRequestField(request, name)])),
})

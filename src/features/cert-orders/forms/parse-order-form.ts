import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../../domain/private-key.ts'
import type { OrderRequest } from '../../../service/orders.ts'
import { type Csr, readCsr } from '../rules/csr/csr.ts'
import {
  ACTIONS,
  type Action,
  getSubjectField,
  isAction,
  MAX_CUSTOMER_ID,
  MAX_ID_LENGTH,
  TEXT_FIELD_NAMES,
} from '../rules/request-fields.ts'

/** A submitted order. Its CSR was pasted, or is in a file that still has to be downloaded. */
interface SubmittedForm {
  order: Omit<OrderRequest, 'csr'>
  csr: Csr | undefined
  fileId: string | undefined
}

/** Parses the order form. Throws FieldErrors with the problems of all fields. */
export function parseOrderForm(answers: Answers): SubmittedForm {
  const errors: Record<string, string> = {}
  const csrFields = readCsrFields(answers, errors)
  const action = readAction(answers, errors)
  const order = { action, ...readDetails(answers, errors), ...readReferencedIds(answers, action, errors) }
  Object.assign(errors, findPrivateKeys(answers, TEXT_FIELD_NAMES))
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return { order, ...csrFields }
}

/** Errors for the fields that contain a private key. They override other errors, because they matter more. */
export const findPrivateKeys = (
  answers: Pick<Answers, 'text'>,
  fields: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter((field) => containsPrivateKey(answers.text(field) ?? ''))
      .map((field) => [field, LEAKED_KEY_WARNING]),
  )

/** An uploaded file is downloaded later, because Slack waits only three seconds for a response to the form. */
function readCsrFields(answers: Answers, errors: FieldErrorTexts): Pick<SubmittedForm, 'csr' | 'fileId'> {
  const pasted = answers.text('csr')
  const [fileId] = answers.files('csr-file')
  const result = pasted === undefined ? { csr: undefined } : readCsr(pasted)
  if ('problem' in result) errors.csr = result.problem
  else if (result.csr && fileId !== undefined)
    errors.csr = 'You pasted a request and uploaded one too. Use only one of them.'
  // A file that was read before has no fields anymore.
  else if (!result.csr && fileId === undefined && answers.has('csr'))
    errors.csr = 'Paste the request here, or upload it below.'
  return { csr: 'csr' in result ? result.csr : undefined, fileId }
}

type FieldErrorTexts = Record<string, string>

function readAction(answers: Answers, errors: FieldErrorTexts): Action {
  const action = answers.has('action') ? answers.choice('action') : 'create'
  if (!isAction(action)) {
    errors.action = `Choose one of ${Object.keys(ACTIONS).join(', ')}.`
    return 'create'
  }
  // The form redraws shortly after the action changes, so errors must only name fields that it shows.
  if (!answers.has(getSubjectField(action)))
    errors.action = `The fields for “${action}” haven’t loaded yet. Wait a moment or choose the action again, then submit.`
  return action
}

function readDetails(answers: Answers, errors: FieldErrorTexts) {
  const duration = answers.text('duration')
  if (!duration) errors.duration = 'Enter a duration, such as 1 year.'
  return {
    duration: duration ?? '',
    validationMethod: answers.text('validation'),
    webServer: answers.text('web-server'),
    customerId: readCustomerId(answers, errors),
    billingNumber: answers.text('billing'),
    orderReference: answers.text('reference'),
  }
}

function readCustomerId(answers: Answers, errors: FieldErrorTexts): number | undefined {
  const text = answers.text('customer')
  if (text === undefined) return undefined
  const id = /^\d+$/.test(text) ? Number(text) : 0
  if (id < 1 || id > MAX_CUSTOMER_ID) errors.customer = 'Enter a whole number from 1, or leave it empty.'
  return id
}

function readReferencedIds(answers: Answers, action: Action, errors: FieldErrorTexts) {
  const field = getSubjectField(action)
  const subjectId = readId(answers, field, errors)
  if (!subjectId && answers.has(field) && !errors[field])
    errors[field] = field === 'product' ? 'Enter a product ID.' : `To ${action} a certificate, enter its ID.`
  return {
    ...(field === 'product' ? { productId: subjectId } : { certificateId: subjectId }),
    organizationId: readId(answers, 'organization', errors),
    contacts: readContacts(answers, errors),
  }
}

function readId(answers: Answers, field: string, errors: FieldErrorTexts): string | undefined {
  const id = answers.choice(field) ?? answers.text(field)
  if (id !== undefined && !isId(id))
    errors[field] = `Enter one ID without spaces, up to ${MAX_ID_LENGTH} characters.`
  return id
}

const isId = (text: string): boolean => text.length <= MAX_ID_LENGTH && /^[\x21-\x7e]+$/.test(text)

/** The API requires both admin and tech contacts or neither. Without any, it uses the organization's contacts. */
function readContacts(answers: Answers, errors: FieldErrorTexts): NonNullable<OrderRequest['contacts']> {
  const admins = readIds(answers, 'admin-contacts', errors)
  const techs = readIds(answers, 'tech-contacts', errors)
  const missing = admins.length === 0 ? 'admin' : 'tech'
  if ((admins.length === 0) !== (techs.length === 0))
    errors[`${missing}-contacts`] =
      `Enter the ${missing} contact too, or leave both empty for the organization’s default.`
  return [
    ...admins.map((id) => ({ id, type: 'admin' as const })),
    ...techs.map((id) => ({ id, type: 'tech' as const })),
  ]
}

function readIds(answers: Answers, field: string, errors: FieldErrorTexts): string[] {
  const ids = [...new Set((answers.text(field) ?? '').split(/[\s,;]+/).filter(Boolean))]
  const invalid = ids.find((id) => !isId(id))
  if (invalid !== undefined)
    errors[field] =
      `Separate contact IDs with commas. Each has up to ${MAX_ID_LENGTH} characters, without accents.`
  return ids
}

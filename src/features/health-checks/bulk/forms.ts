import type { KnownBlock } from '@slack/types'
import { numberInput, selectInput, textInput } from '../../../blocks/inputs.ts'
import { context, section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { FieldErrors, UserError } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { PROTOCOLS, STATUSES, statusLabel } from '../status.ts'
import { previewBulk } from './apply-bulk.ts'
import { BULK_ACTIONS, type BulkAction, type BulkRequest, parseBulk } from './parse.ts'

const FORM = 'health-checks.bulk'
const ANY = 'any'
const AS_IT_IS = 'as-it-is'

const LABELS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change their settings',
  recipients: 'Add or remove recipients',
  clone: 'Copy them',
  delete: 'Delete them',
}

/** Asks which health checks are meant and what is done to them; sending it shows what that would be. */
export const bulkModal = (request: BulkRequest, isOte: boolean): Modal => ({
  title: 'Many health checks',
  form: { id: FORM, submit: 'Show what it does' },
  blocks: blocksOf(request, isOte),
})

function blocksOf(request: BulkRequest, isOte: boolean): KnownBlock[] {
  return [
    ...(isOte ? [context('OTE test environment')] : []),
    section('Nothing is changed by sending this: what it would do is shown first.'),
    ...whichFields(request),
    selectInput(
      'what',
      'What to do',
      BULK_ACTIONS.map((value) => ({ label: LABELS[value], value, chosen: value === request.what })),
      { dispatch: true },
    ),
    ...deedFields(request),
  ]
}

const anyOr = (values: readonly string[], chosen: string | undefined, labelOf = (value: string) => value) => [
  { label: 'Any', value: ANY, chosen: chosen === undefined },
  ...values.map((value) => ({ label: labelOf(value), value, chosen: chosen === value })),
]

function whichFields({ filters, names }: BulkRequest): KnownBlock[] {
  const typed = names.length > 0 ? names.join('\n') : filters.name
  return [
    textInput('names', 'Names', {
      initial: typed,
      multiline: true,
      optional: true,
      hint: 'One on each line; a * stands for anything. Left empty: all that the rest lets through.',
    }),
    selectInput('status', 'Status', anyOr(STATUSES, filters.status, statusLabel)),
    selectInput('protocol', 'Protocol', anyOr(PROTOCOLS, filters.protocol)),
    textInput('target', 'Target', { initial: filters.target, optional: true }),
    numberInput('customer', 'Customer ID', { initial: filters.customerId, min: 1, optional: true }),
  ]
}

function deedFields({ what, patch, suffix, add, remove }: BulkRequest): KnownBlock[] {
  const address = patch.httpServerAddress === null ? 'none' : patch.httpServerAddress
  const verify = patch.verifySsl === undefined ? AS_IT_IS : patch.verifySsl ? 'yes' : 'no'
  switch (what) {
    case 'edit':
      return [
        numberInput('frequency', 'Seconds between checks', {
          initial: patch.frequency ?? undefined,
          min: 1,
          optional: true,
        }),
        numberInput('port', 'Port', {
          initial: patch.port ?? undefined,
          min: 1,
          max: 65_535,
          optional: true,
        }),
        selectInput('verify-ssl', 'Verify the SSL/TLS certificate', [
          { label: 'As it is', value: AS_IT_IS, chosen: verify === AS_IT_IS },
          { label: 'Yes', value: 'yes', chosen: verify === 'yes' },
          { label: 'No', value: 'no', chosen: verify === 'no' },
        ]),
        textInput('server-address', 'Server address', {
          initial: address,
          optional: true,
          hint: 'An IP address, or none to have the domain in the target resolved. Left empty, it stays as it is.',
        }),
        numberInput('set-customer', 'New customer ID', {
          initial: patch.customerId ?? undefined,
          min: 1,
          optional: true,
        }),
      ]
    case 'clone':
      return [
        textInput('suffix', 'Behind the name of each copy', { initial: suffix }),
        numberInput('set-customer', 'Customer ID of the copies', {
          initial: patch.customerId ?? undefined,
          min: 1,
          optional: true,
        }),
      ]
    case 'recipients':
      return [
        textInput('add', 'Add these addresses', { initial: add.join('\n'), multiline: true, optional: true }),
        textInput('remove', 'Take these addresses out', {
          initial: remove.join('\n'),
          multiline: true,
          optional: true,
        }),
      ]
    case 'delete':
      return []
  }
}

const actionOf = (answers: Answers): BulkAction =>
  BULK_ACTIONS.find((action) => action === answers.choice('what')) ?? 'edit'

/** What the window asks for, as if it had been typed. Throws FieldErrors. */
function readBulk(answers: Answers): BulkRequest {
  const chosen = (field: string, but: string) => {
    const value = answers.choice(field)
    return value === but ? undefined : value
  }
  const names = (answers.text('names') ?? '')
    .split('\n')
    .map((name) => name.trim())
    .filter(Boolean)
  const [only] = names
  const typed: Record<string, string | undefined> = {
    ...(names.length > 1 ? { names: names.join('\n') } : { name: only }),
    status: chosen('status', ANY),
    protocol: chosen('protocol', ANY),
    'verify-ssl': chosen('verify-ssl', AS_IT_IS),
  }
  for (const field of [
    'target',
    'customer',
    'frequency',
    'port',
    'server-address',
    'set-customer',
    'suffix',
    'add',
    'remove',
  ])
    typed[field] = answers.text(field)
  try {
    return parseBulk(actionOf(answers), { words: [], flags: typed })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const field = /^--([a-z-]+)/.exec(error.message)?.[1] ?? 'names'
    throw new FieldErrors({ [field]: error.message.replace(/^--[a-z-]+:? ?/, '') })
  }
}

/** The form of `bulkModal`. */
export const bulkForm: Form<BulkRequest, undefined> = {
  id: FORM,
  verb: '/hc bulk',
  needs: 'operator',
  working: 'Looking which health checks that are…',
  read(answers) {
    const request = readBulk(answers)
    if (request.what === 'edit' && Object.keys(request.patch).length === 0)
      throw new FieldErrors({ frequency: 'Say what is to be changed: fill in at least one of these.' })
    if (request.what === 'recipients' && request.add.length + request.remove.length === 0)
      throw new FieldErrors({ add: 'Say who is added or taken out.' })
    return request
  },
  submit: (context, request) => previewBulk(context, request),
  follow: (answers: Answers, _: undefined, environment: Environment) =>
    blocksOf(typedSoFar(answers), environment === 'ote'),
}

/** What was typed stays; what cannot be read yet is typed again. */
function typedSoFar(answers: Answers): BulkRequest {
  try {
    return readBulk(answers)
  } catch {
    return parseBulk(actionOf(answers), { words: [], flags: {} })
  }
}

import { FieldErrors, TEXT_LIMITS, UserError } from '@signalman/runtime'
import {
  type Answers,
  card,
  commandButton,
  copyable,
  fileInput,
  LIMITS,
  lines,
  type Message,
  section,
  selectInput,
  switchInput,
  textInput,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { parse } from 'tldts'
import { form } from '../../../bot/forms/form.ts'
import type { Messaging, Requester, ServiceAccess } from '../../../bot/routes/command-context.ts'
import type { Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { containsPrivateKey, LEAKED_KEY_WARNING } from '../../../domain/private-key.ts'
import { formatList } from '../../../domain/wording.ts'
import { type CatalogChoices, findCatalogName, findChoices } from '../catalog.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { listSimilar } from '../read-details.ts'
import { type Csr, type CsrResult, readCsr, readCsrFile } from '../rules/csr/csr.ts'
import { findLongestPublicDays } from '../rules/durations.ts'
import { fitInWindow } from '../rules/entries.ts'
import { findForeignNames, listCertificateNames } from '../rules/host-names.ts'
import type { RequestedContent } from '../rules/order.ts'
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
import { describeProduct, describeSimilar } from '../rules/review.ts'
import { ORDER_SETTINGS } from '../rules/settings.ts'
import { listOrderEntries } from '../views/entries.ts'
import { formatCertificateName, formatWarnings } from '../views/words.ts'
import { openOwnApproval } from './approve.ts'
import { parseOrderForm } from './parse-order-form.ts'

/** The form for a new order. */
export const orderForm = form({
  id: 'cert-orders.order',
  title: 'Certificate order',
  button: 'Request certificate',
  verb: '/cert-order',
  needs: 'viewer',
  showsOteLabel: true,
  workingText: 'Requesting the certificate… The result will appear here.',
  content: (_, draft: OrderDraft, formState: OrderFormState, hint?: string) => ({
    formState,
    blocks: formBlocks(draft, formState, hint),
  }),
  read: parseOrderForm,
  async submit(context, draft, formState: OrderFormState, deps: CertOrderDeps): Promise<Message | Modal> {
    const { account, choices, environment, uploaded } = formState
    const { service, settings, renderOutcome } = deps
    const { pem, ...csr } =
      draft.csr ??
      (await context.once('csr', async () =>
        uploaded === undefined ? await downloadCsr(context, draft.fileId ?? '') : toCsr(readCsr(uploaded)),
      ))
    const request = { ...draft.order, csr: pem }
    const names = {
      product: findCatalogName(choices.products, request.productId),
      organization: findCatalogName(choices.organizations, request.organizationId),
    }
    const content = { request, csr, names }
    if (!fitInWindow(listOrderEntries({ content })))
      throw new FieldErrors({
        csr: 'This request is too long to be read in one window. Ask for fewer names.',
      })
    const certificateId = request.certificateId?.toLowerCase() ?? ''
    if (parse(certificateId).isIcann || listCertificateNames(csr).some(({ text }) => text === certificateId))
      throw new FieldErrors({
        certificate: 'This is a domain name. Enter the ID that the service gave the certificate.',
      })
    const { domains, allowsOwn } = await settings.get(context.workspaceId, ORDER_SETTINGS)
    const foreign = findForeignNames(csr, domains)
    if (foreign.length > 0)
      throw new FieldErrors({
        [uploaded === undefined ? 'csr' : 'duration']: describeForeign(foreign, domains),
      })
    // Slack doesn't say what is in a file before the form is submitted, so its warnings are shown then, and once.
    const { workspaceId } = context
    const similar = await listSimilar(deps, { id: '', content, workspaceId, environment })
    const notes = [
      ...listUnlisted(csr, formState).map((warning) => `⚠️ ${warning}`),
      ...describeProduct(content).filter((note) => note.startsWith('⚠️')),
      ...describeSimilar(similar),
    ]
    const isUnread = draft.fileId !== undefined && csr.warnings.length > 0
    const isNew = notes.length > 0 && notes.join('\n') !== formState.warnings
    if (isUnread || isNew) return askToCheck(formState, content, notes, draft.fileId !== undefined)
    const order = await service.request(context, { environment, account, ...content })
    const answer = await renderOutcome(context, order)
    // By default, somebody else has to approve it.
    const approval = allowsOwn && (await openOwnApproval(deps, context, order))
    return approval ? { ...approval, fallbackMessage: answer } : answer
  },
  updateBlocks: (answers, formState: OrderFormState) => formBlocks(readUncheckedDraft(answers), formState),
})

/** The form again, with what to look at first. A request that was a file, or is too long for the field, is kept with it. */
function askToCheck(
  formState: OrderFormState,
  content: RequestedContent,
  notes: readonly string[],
  isFile: boolean,
): Modal {
  const shown = { ...toDraft({ content }), csr: getCsrDraft({ content }) }
  const isKept = isFile || shown.csr === undefined
  const uploaded = isKept ? { uploaded: content.request.csr } : {}
  const state: OrderFormState = { ...formState, warnings: notes.join('\n'), ...uploaded }
  const hint = [...notes, CHECK_REQUEST].join('\n')
  return { ...orderForm.open(formState.environment, shown, state, hint), fallbackMessage: NOT_REQUESTED }
}

const MAX_LISTED = 5
const CHECK_REQUEST = 'Nothing was requested yet. Read the warnings, and submit again if they’re fine.'
const NOT_REQUESTED = card({
  headline: 'No certificate was requested. The order needs a look, but the window was closed.',
  controls: [commandButton('Order a certificate', '/cert-order')],
})

const describeForeign = (foreign: readonly string[], domains: readonly string[]): string =>
  `Only names under ${formatList(domains, MAX_LISTED, String)} may be ordered. This request (CSR) has ${formatList(foreign, MAX_LISTED, String)}.`

export async function openOrderForm(
  deps: Pick<CertOrderDeps, 'settings'>,
  context: Requester & ServiceAccess,
  draft: OrderDraft,
  hint: string,
  hosts: readonly string[] = [],
): Promise<Modal> {
  const { environment, workspaceId } = context
  const [{ account }, choices, { domains }] = await Promise.all([
    context.api(),
    findChoices(context),
    deps.settings.get(workspaceId, ORDER_SETTINGS),
  ])
  const { products } = choices
  const gone = (['product', 'organization'] as const).filter((name) => {
    const items = choices[TEXT_FIELDS[name].catalogList]
    return items && draft[name] !== undefined && findCatalogName(items, draft[name]) === undefined
  })
  const offered = { ...draft, ...Object.fromEntries(gone.map((name) => [name, undefined])) }
  const product = offered.product ?? (products?.length === 1 ? products[0]?.id : undefined)
  const notes = gone.map((name) => `The service no longer offers the ${name} ${draft[name]}.`)
  const formState = { environment, account, choices, domains, hosts }
  return orderForm.open(environment, { ...offered, product }, formState, [hint, ...notes].join('\n'))
}

/** The order's CSR; undefined if it's too long for the field, so it has to be uploaded again. */
export const getCsrDraft = ({ content }: { content: RequestedContent }): string | undefined =>
  content.request.csr.length <= LIMITS.inputValue ? content.request.csr : undefined

/** Throws UserError if the file can't be used. The form then reopens with everything else as typed. */
async function downloadCsr(context: Messaging & Pick<Requester, 'userId'>, fileId: string): Promise<Csr> {
  const slack = await context.slack()
  const file = await slack.download(fileId, { userId: context.userId, maxBytes: TEXT_LIMITS.csrBytes })
  return toCsr(readCsrFile(file.bytes))
}

function toCsr(result: CsrResult): Csr {
  if ('csr' in result) return result.csr
  throw new UserError(`${result.problem} If the file shouldn’t be in Slack, delete it there too.`)
}

/** The initial values of the form's fields, as text. */
export type OrderDraft = {
  action: Action
  csr?: string | undefined
  /** A private key was pasted as the request. It isn't kept. */
  hasPrivateKey?: boolean
  /** Whether the fields behind **More…** are shown. */
  hasMore?: boolean
} & {
  [Name in TextFieldName]?: string | undefined
}

/** The longest that public authorities issue for. */
export const createDraft = (now: Date): OrderDraft => ({
  action: 'create',
  duration: `${findLongestPublicDays(now)} days`,
})

/** The data that a form needs besides its fields. */
interface OrderFormState {
  environment: Environment
  /** The account at the service that the choices are from. */
  account: string
  choices: CatalogChoices
  /** The allowed domains. */
  domains?: readonly string[] | undefined
  /** The names that were typed. */
  hosts?: readonly string[] | undefined
  /** What the person was warned of when they submitted it. Another request is warned of again. */
  warnings?: string
  /** The request that was sent then, PEM, if it was a file, or is too long for the field. */
  uploaded?: string
}

export const HINT = 'An approver reads the request before it’s sent.'

export function formBlocks(draft: OrderDraft, formState: OrderFormState, hint = HINT): KnownBlock[] {
  const { choices } = formState
  const hasMore = draft.hasMore === true || RARE_FIELDS.some((name) => draft[name])
  const shown = TEXT_FIELD_NAMES.filter(
    (name) => !isHidden(name, draft.action) && (hasMore || !RARE_FIELDS.includes(name)),
  )
  return [
    ...(hint ? [section(hint)] : []),
    ...csrBlocks(draft, formState, hasMore),
    ...(hasMore || draft.action !== 'create' ? [actionInput(draft.action)] : []),
    ...shown.map((name) => textBlock(name, draft[name], choices)),
    ...(hasMore ? [] : [switchInput('more', 'More…', { text: MORE, isOn: false, dispatch: true })]),
  ]
}

const MORE = 'CSR as a file, renewal, contacts, validation, billing, and reference'

const RARE_FIELDS = TEXT_FIELD_NAMES.filter((name) => 'isRare' in TEXT_FIELDS[name])

const actionInput = (action: Action): KnownBlock =>
  selectInput(
    'action',
    'Action',
    Object.entries(ACTIONS).map(([value, { choice: label }]) => ({ label, value, chosen: value === action })),
    { dispatch: true },
  )

const isHidden = (name: TextFieldName, action: Action): boolean =>
  name === (action === 'create' ? 'certificate' : 'product')

/** The request is required, so that Slack doesn't call its field optional, unless it may also be uploaded. */
function csrBlocks(draft: OrderDraft, formState: OrderFormState, mayUpload: boolean): KnownBlock[] {
  const { hosts = [] } = formState
  const whose = hosts.length > 0 ? ` for ${formatList(hosts, MAX_LISTED, String)}` : ''
  const notes = describeCsr(draft, formState)
  const described = notes.length > 0 ? [lines(...notes)] : []
  if (formState.uploaded !== undefined)
    return [section('The request (CSR) is the one that you sent.'), ...described]
  return [
    section(
      `${mayUpload ? 'Paste or upload' : 'Paste'} a certificate signing request (CSR)${whose}. To make one:`,
    ),
    copyable(writeOpenSslCommand(hosts)),
    textInput('csr', 'Certificate signing request (CSR)', {
      initial: draft.csr,
      multiline: true,
      optional: mayUpload,
      placeholder: '-----BEGIN CERTIFICATE REQUEST-----',
      hint: 'The PEM text. Never send the private key.',
      dispatch: true,
      whileTyping: true,
    }),
    ...described,
    ...(mayUpload
      ? [
          fileInput('csr-file', 'CSR as a file', {
            optional: true,
            types: ['csr', 'pem', 'der', 'req', 'p10', 'txt'],
            hint: 'PEM or DER, at most 64 KB.',
          }),
        ]
      : []),
  ]
}

/** More names than this are too long for a line to copy. */
const MAX_IN_COMMAND = 10

/** A command that makes a key and a request for these names. Without names that DNS has, it's an example. */
function writeOpenSslCommand(hosts: readonly string[]): string {
  const typed = hosts.filter((host) => /^(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z][a-z\d-]*$/i.test(host))
  const names = typed.length > 0 ? typed.slice(0, MAX_IN_COMMAND) : ['shop.example.com']
  const file = names[0]?.replace('*.', '')
  const alternatives = names.map((name) => `DNS:${name}`).join(',')
  return `openssl req -new -newkey rsa:2048 -nodes -keyout ${file}.key -out ${file}.csr -subj "/CN=${names[0]}" -addext "subjectAltName=${alternatives}"`
}

const MAX_NOTES = 8

/** What was read from a pasted request, and what to look at before it's sent. Empty for a request that isn't complete. */
function describeCsr({ csr, hasPrivateKey }: OrderDraft, formState: OrderFormState): string[] {
  const pasted = formState.uploaded ?? csr
  if (hasPrivateKey) return [`⚠️ ${LEAKED_KEY_WARNING}`]
  if (pasted === undefined || !/-----END /.test(pasted)) return []
  const result = readCsr(pasted)
  if ('problem' in result) return [`⚠️ ${result.problem}`]
  const { domains = [] } = formState
  const foreign = findForeignNames(result.csr, domains)
  const outside = foreign.length > 0 ? [describeForeign(foreign, domains)] : []
  return [
    `This is for ${formatCertificateName({ content: result })} · ${result.csr.key}`,
    ...formatWarnings(
      [...outside, ...listUnlisted(result.csr, formState), ...result.csr.warnings],
      MAX_NOTES,
    ),
  ]
}

/** Warns about a request that isn't for a name that was typed, itself or as a wildcard. */
function listUnlisted(csr: Pick<Csr, 'subjectParts' | 'names'>, { hosts = [] }: OrderFormState): string[] {
  if (hosts.length === 0) return []
  const names = listCertificateNames(csr).map(({ text }) => text.replace(/^IP /, ''))
  const unlisted = hosts.filter(
    (host) => ![host, host.replace(/^[^.]+/, '*')].some((name) => names.includes(name)),
  )
  return unlisted.length > 0 ? [`This request isn’t for ${formatList(unlisted, MAX_LISTED, String)}.`] : []
}

function textBlock(name: TextFieldName, initial: string | undefined, choices: CatalogChoices): KnownBlock {
  const field: TextField = TEXT_FIELDS[name]
  const { label, requestField: _, catalogList, ...options } = field
  if (!catalogList) return textInput(name, label, { ...options, initial })
  const items = choices[catalogList]
  if (!items) return textInput(name, `${label} ID`, { ...options, initial })
  const menuOptions = items.map((choice) => ({
    label: choice.name === choice.id ? choice.id : `${choice.name} (${choice.id})`,
    value: choice.id,
    chosen: choice.id === initial,
  }))
  return selectInput(name, label, menuOptions, {
    optional: options.optional ?? false,
    ...(options.hint && { hint: options.hint }),
  })
}

/** Reads the fields as typed so far, to redraw the form. Drops private keys, because they must not be sent to Slack again. */
export function readUncheckedDraft(answers: Answers): OrderDraft {
  const action = answers.choice('action')
  const readField = (field: string): [string, string | undefined] => {
    const text = answers.choice(field) ?? answers.text(field)
    return [field, text !== undefined && containsPrivateKey(text) ? undefined : text]
  }
  return {
    action: isAction(action) ? action : 'create',
    hasPrivateKey: containsPrivateKey(answers.text('csr') ?? ''),
    hasMore: answers.choices('more').includes('yes') || RARE_FIELDS.some(answers.has),
    ...Object.fromEntries(['csr', ...TEXT_FIELD_NAMES].map(readField)),
  }
}

/** An earlier order as a draft for a new one, without its CSR. */
export const toDraft = ({ content: { request } }: { content: RequestedContent }): OrderDraft => ({
  action: isAction(request.action) ? request.action : 'create',
  ...Object.fromEntries(TEXT_FIELD_NAMES.map((name) => [name, formatRequestField(request, name)])),
})

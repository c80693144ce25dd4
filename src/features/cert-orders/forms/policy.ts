import type { Settings } from '@signalman/durable'
import { FieldErrors } from '@signalman/runtime'
import {
  type Answers,
  card,
  channelInput,
  choicesInput,
  type Message,
  numberInput,
  section,
  selectInput,
  switchInput,
  textInput,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { CountHolders } from '../../../bot/access/holders.ts'
import { form } from '../../../bot/forms/form.ts'
import type { MayPost } from '../../../bot/posts/may-post.ts'
import { refuseIfOutdated, replaceSetting, type ShownSetting } from '../../../bot/windows/window-states.ts'
import { cmd } from '../../../domain/command-names.ts'
import { formatList, pluralize } from '../../../domain/wording.ts'
import type { CatalogItem } from '../../../service/orders.ts'
import { fitsInMenu } from '../catalog.ts'
import { findChangedVerdicts } from '../changed-verdicts.ts'
import type { JudgeDeps } from '../judge-order.ts'
import type { StoredOrders } from '../rows/orders.ts'
import { OTHER_KEYS } from '../rules/csr/key.ts'
import { parseDomain } from '../rules/host-names.ts'
import type { Order } from '../rules/order.ts'
import {
  ALLOWANCES,
  type Allowance,
  computeMaxApprovals,
  hasReminder,
  MAX_APPROVALS,
  MAX_DAYS,
  MAX_HOURS,
  MAX_LIST_LENGTH,
  ORDER_POLICY,
  type OrderingRole,
  type OrderPolicy,
  REQUESTERS,
  RSA_SIZES,
} from '../rules/policy.ts'
import { MAX_CUSTOMER_ID, MAX_ID_LENGTH } from '../rules/request-fields.ts'

const REQUESTER_LABELS: Readonly<Record<OrderingRole, string>> = {
  viewer: 'Every member of the workspace',
  operator: 'Operators',
  approver: 'Approvers',
}

const ALLOWANCE_LABELS: Readonly<Record<Allowance, string>> = {
  no: 'Not allowed',
  extra: 'Allowed with one more approval',
  yes: 'Allowed',
}

const OTE_LABELS: Readonly<Record<OrderPolicy['ote'], string>> = {
  same: 'The same as in production',
  'one-approval': 'Always one approval',
}

const NO_RSA = 'none'
const EXTRA_VALUES = { newDomain: 'new', unusual: 'unusual' } as const

interface PolicyDeps extends JudgeDeps {
  orders: StoredOrders
  settings: Settings
  mayPost: MayPost
  countHolders: CountHolders
}

interface PolicyFormState {
  policy: OrderPolicy
  /** The products that the service lists; undefined if it lists none. */
  products: CatalogItem[] | undefined
}

export const policyForm = form({
  id: 'cert-orders.policy',
  title: 'Certificate orders',
  button: 'Save',
  verb: '/cert-order policy',
  needs: 'admin',
  workingText: 'Saving…',
  content: (_, policy: OrderPolicy, products: CatalogItem[] | undefined) => ({
    formState: { policy, products },
    blocks: [
      section(
        `These rules decide which orders are allowed and who must approve them. To choose approvers, use ${cmd('/hc access')}.`,
      ),
      selectInput(
        'requesters',
        'Who may request an order',
        REQUESTERS.map((value) => ({
          label: REQUESTER_LABELS[value],
          value,
          chosen: value === policy.requesters,
        })),
      ),
      numberInput('approvals', 'Approvals that an order needs', {
        initial: policy.approvals,
        min: 1,
        max: MAX_APPROVALS,
        hint: 'The minimum. The reasons below can add more, up to 5.',
      }),
      switchInput('direct', 'Own orders', {
        text: 'An approver’s own order counts as approved by them',
        isOn: policy.direct,
      }),
      numberInput('expiry', 'Expires after, in hours', {
        initial: policy.expiryHours,
        min: 1,
        max: MAX_HOURS,
        hint: 'An order that nobody has decided on by then expires. At most 168, which is a week.',
      }),
      numberInput('reminder', 'Reminder after, in hours', {
        initial: policy.reminderHours,
        min: 0,
        max: MAX_HOURS,
        hint: '0 for none. An order that expires first has no reminder.',
      }),
      channelInput('channel', 'Approvals channel', {
        initial: policy.channelId,
        optional: true,
        hint: 'Requests are posted there. Invite Signalman to it. If this is empty, approvers get direct messages.',
      }),
      section('These fields limit what may be ordered. Empty fields allow anything.'),
      textInput('domains', 'Allowed domains', {
        initial: policy.domains.join('\n'),
        multiline: true,
        optional: true,
        placeholder: 'example.com',
        hint: 'One per line. Host names, and the hosts of email addresses, URLs, and DC parts, have to be one of these or a subdomain. An IP address has to be listed itself.',
      }),
      allowanceInput('wildcards', 'Wildcards', policy.wildcards),
      allowanceInput('other-names', 'IP addresses, email addresses, and URLs as names', policy.otherNames),
      productInput(policy, products),
      textInput('customers', 'Allowed customer IDs', {
        initial: policy.customers.join(', '),
        optional: true,
        hint: 'Separated by commas.',
      }),
      numberInput('max-days', 'Longest validity, in days', {
        initial: policy.maxDays,
        min: 1,
        max: MAX_DAYS,
        optional: true,
        hint: 'A year counts as 366 days, a month as 31.',
      }),
      selectInput('rsa', 'RSA keys', [
        { label: 'Not allowed', value: NO_RSA, chosen: policy.keys.rsaFrom === undefined },
        ...RSA_SIZES.map((size) => ({
          label: `From ${size} bits`,
          value: String(size),
          chosen: size === policy.keys.rsaFrom,
        })),
      ]),
      choicesInput(
        'keys',
        'Other keys',
        OTHER_KEYS.map((value) => ({
          label: value === 'Ed25519' ? value : `EC ${value}`,
          value,
          chosen: policy.keys.others.includes(value),
        })),
        { optional: true },
      ),
      section('An order needs one more approval in these cases.'),
      choicesInput(
        'extra',
        'One more approval for',
        [
          { label: 'A new domain', value: EXTRA_VALUES.newDomain, chosen: policy.extra.newDomain },
          {
            label: 'Anything unusual in the request',
            value: EXTRA_VALUES.unusual,
            chosen: policy.extra.unusual,
          },
        ],
        { optional: true, hint: 'A domain is new until an order for it was received.' },
      ),
      numberInput('over-days', 'One more approval if valid for more than this many days', {
        initial: policy.extra.overDays,
        min: 1,
        max: MAX_DAYS,
        optional: true,
      }),
      switchInput(BLOCKS_FIELD, 'Waiting orders', {
        text: 'Save it even if it blocks orders that are waiting for approval',
        isOn: false,
      }),
      selectInput(
        'ote',
        'OTE test environment',
        (['same', 'one-approval'] as const).map((value) => ({
          label: OTE_LABELS[value],
          value,
          chosen: value === policy.ote,
        })),
      ),
    ],
  }),
  read: readPolicyAnswers,
  async submit(
    context,
    { policy, mayBlock },
    formState: PolicyFormState | undefined,
    { settings, mayPost, countHolders, ...deps }: PolicyDeps,
  ) {
    if (policy.channelId && (await mayPost(context, policy.channelId)) === 'shared')
      throw new FieldErrors({ channel: sharedChannelMessage() })
    refuseUnknownProducts(policy, formState)
    const { workspaceId } = context
    const before = await context.remember('policy', () => settings.get(workspaceId, ORDER_POLICY))
    refuseIfOutdated(formState?.policy, before, POLICY_WINDOW)
    const changed = await findChangedVerdicts({ ...deps, settings }, workspaceId, before, policy)
    if (changed.blocked.length > 0 && !mayBlock) throw createBlocksError(changed.blocked)
    const auditDetails = { verb: '/cert-order policy', object: 'order policy' }
    await context.decide({ ...auditDetails, before, after: policy }, (decisions) =>
      replaceSetting(settings, decisions, ORDER_POLICY, {
        before,
        newValue: policy,
        conflictMessage: outdatedMessage(),
      }),
    )
    await deps.orders.redraw(changed.all)
    return savedView(policy, await countHolders(context, 'approver'))
  },
})

const BLOCKS_FIELD = 'blocks'
const MAX_NAMED = 5

function createBlocksError(blocked: readonly Order[]): FieldErrors {
  const orders = formatList(blocked, MAX_NAMED, ({ number }) => `order ${number}`)
  return new FieldErrors({
    [BLOCKS_FIELD]: `Nothing was saved. This policy blocks ${pluralize(blocked.length, 'waiting order')}: ${orders}. To save it anyway, tick this.`,
  })
}

const outdatedMessage = (): string =>
  `The order policy was saved after you opened it. Open ${cmd('/cert-order policy')} again.`

const allowanceInput = (field: string, label: string, chosen: Allowance): KnownBlock =>
  selectInput(
    field,
    label,
    ALLOWANCES.map((value) => ({ label: ALLOWANCE_LABELS[value], value, chosen: value === chosen })),
  )

/** A menu of products if the service lists them and they fit, or else a field for IDs. */
function productInput(
  { products: allowedIds }: OrderPolicy,
  products: CatalogItem[] | undefined,
): KnownBlock {
  // A product that the service no longer lists stays allowed until someone removes it.
  const unlisted = allowedIds
    .filter((id) => !products?.some((product) => product.id === id))
    .map((id) => ({ id, name: id }))
  if (!products || !fitsInMenu([...unlisted, ...products]))
    return textInput('products', 'Allowed product IDs', {
      initial: allowedIds.join(', '),
      optional: true,
      hint: 'Separated by commas.',
    })
  const choices = [...unlisted, ...products].map(({ id, name }) => ({
    label: name === id ? id : `${name} (${id})`,
    value: id,
    chosen: allowedIds.includes(id),
  }))
  return choicesInput('products', 'Allowed products', choices, { optional: true })
}

/** Throws FieldErrors for a newly typed product ID that the service doesn't list. A menu offers only valid ones. */
function refuseUnknownProducts({ products }: OrderPolicy, formState: PolicyFormState | undefined): void {
  const listedProducts = formState?.products
  if (!listedProducts) return
  const unknown = products.find(
    (id) => !listedProducts.some((product) => product.id === id) && !formState.policy.products.includes(id),
  )
  if (unknown !== undefined) throw new FieldErrors({ products: `The service has no product ${unknown}.` })
}

const sharedChannelMessage = (): string =>
  `This channel is shared with another organization, and orders would be shown to everyone in it. Choose another, or let an admin allow it first in the settings of ${cmd('/hc access')}.`

function readPolicyAnswers(answers: Answers): { policy: OrderPolicy; mayBlock: boolean } {
  const errors: Record<string, string> = {}
  const readOptionalNumber = (field: string, min: number, max: number): number | undefined => {
    const text = answers.text(field)
    if (text === undefined) return undefined
    const value = /^\d{1,6}$/.test(text) ? Number(text) : -1
    if (value < min || value > max) errors[field] = `Enter a whole number from ${min} to ${max}.`
    return value
  }
  const readRequiredNumber = (field: string, min: number, max: number): number => {
    const value = readOptionalNumber(field, min, max)
    if (value === undefined) errors[field] = `Enter a whole number from ${min} to ${max}.`
    return value ?? min
  }
  const readRequiredChoice = <T extends string>(field: string, choices: readonly T[]): T => {
    const found = choices.find((choice) => choice === answers.choice(field))
    if (!found) errors[field] = 'Choose one of these.'
    return found ?? (choices[0] as T)
  }
  const readList = <T>(
    field: string,
    read: (text: string) => T | undefined,
    describeError: (text: string) => string,
  ): T[] => {
    const chosenValues = answers.choices(field)
    const texts =
      chosenValues.length > 0 ? chosenValues : (answers.text(field) ?? '').split(/[\s,;]+/).filter(Boolean)
    const found = texts.map(read)
    const invalid = texts[found.indexOf(undefined)]
    if (invalid !== undefined) errors[field] = describeError(invalid)
    else if (texts.length > MAX_LIST_LENGTH) errors[field] = `List at most ${MAX_LIST_LENGTH}.`
    return [...new Set(found.filter((value) => value !== undefined))]
  }
  const channelId = answers.conversation('channel')
  const rsa = readRequiredChoice('rsa', [NO_RSA, ...RSA_SIZES.map(String)])
  const rsaFrom = RSA_SIZES.find((size) => String(size) === rsa)
  const otherKeys = OTHER_KEYS.filter((key) => answers.choices('keys').includes(key))
  if (rsaFrom === undefined && otherKeys.length === 0)
    errors.rsa = 'Allow at least one kind of key, or nothing can be ordered.'
  const extra = answers.choices('extra')
  const maxDays = readOptionalNumber('max-days', 1, MAX_DAYS)
  const overDays = readOptionalNumber('over-days', 1, MAX_DAYS)
  if (maxDays !== undefined && overDays !== undefined && overDays >= maxDays && !errors['over-days'])
    errors['over-days'] = `Nothing can be valid for more than ${maxDays} days, so this would never apply.`
  const policy: OrderPolicy = {
    requesters: readRequiredChoice('requesters', REQUESTERS),
    approvals: readRequiredNumber('approvals', 1, MAX_APPROVALS),
    direct: answers.choices('direct').includes('yes'),
    expiryHours: readRequiredNumber('expiry', 1, MAX_HOURS),
    reminderHours: readRequiredNumber('reminder', 0, MAX_HOURS),
    ...(channelId && { channelId }),
    domains: readList(
      'domains',
      parseDomain,
      (text) => `“${text}” isn’t a domain such as example.com, or an IP address.`,
    ),
    wildcards: readRequiredChoice('wildcards', ALLOWANCES),
    otherNames: readRequiredChoice('other-names', ALLOWANCES),
    products: readList(
      'products',
      (id) => (id.length <= MAX_ID_LENGTH && /^[\x21-\x7e]+$/.test(id) ? id : undefined),
      (text) => `“${text}” isn’t a product ID.`,
    ),
    customers: readList(
      'customers',
      parseCustomerId,
      (text) => `“${text}” isn’t a customer ID. Enter whole numbers.`,
    ),
    ...(maxDays !== undefined && { maxDays }),
    keys: { ...(rsaFrom && { rsaFrom }), others: otherKeys },
    extra: {
      newDomain: extra.includes(EXTRA_VALUES.newDomain),
      unusual: extra.includes(EXTRA_VALUES.unusual),
      ...(overDays !== undefined && { overDays }),
    },
    ote: readRequiredChoice('ote', ['same', 'one-approval']),
  }
  if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
  return { policy, mayBlock: answers.choices(BLOCKS_FIELD).includes('yes') }
}

function parseCustomerId(text: string): number | undefined {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0
  return id >= 1 && id <= MAX_CUSTOMER_ID ? id : undefined
}

function describeApprovers(approverCount: number): string {
  if (approverCount === 0) return 'nobody can approve'
  return approverCount === 1 ? 'only one person can approve' : `only ${approverCount} people can approve`
}

function savedView(policy: OrderPolicy, approverCount: number | undefined): Message {
  const maxNeeded = computeMaxApprovals(policy)
  const warning =
    approverCount !== undefined && maxNeeded > approverCount
      ? [
          `⚠️ An order can need ${pluralize(maxNeeded, 'approval')}, but ${describeApprovers(approverCount)} orders. Add approvers in ${cmd('/hc access')}.`,
        ]
      : []
  return card({
    headline: 'Order policy saved.',
    notes: [
      ...warning,
      ...describePolicy(policy).map(([description]) => description),
      'It applies to new orders and to orders waiting for approval. Those keep their expiry, their reminder, and where they were posted.',
    ],
  })
}

const MAX_SHOWN = 10
const formatLimit = (label: string, items: readonly string[]): string =>
  items.length === 0 ? `${label}: any.` : `${label}: ${formatList(items, MAX_SHOWN, String)}.`

function describeKeys({ keys: { rsaFrom, others } }: OrderPolicy): string {
  const allowed = [...(rsaFrom === undefined ? [] : [`RSA with at least ${rsaFrom} bits`]), ...others]
  return allowed.length === 0 ? 'Keys: none, so every order is refused.' : `Keys: ${allowed.join(', ')}.`
}

const describePolicy = (policy: OrderPolicy): ShownSetting[] => {
  const { requesters, approvals, direct, expiryHours, reminderHours, channelId, maxDays, extra, ote } = policy
  const { domains, wildcards, otherNames, products, customers, keys } = policy
  return [
    [`Who may request: ${REQUESTER_LABELS[requesters].toLowerCase()}.`, requesters],
    [`Approvals needed: at least ${approvals}.`, approvals],
    [
      direct ? 'An approver’s own order counts as approved by them.' : 'Nobody can approve their own order.',
      direct,
    ],
    [
      `Orders expire after ${expiryHours} h. ${hasReminder(policy) ? `Approvers are reminded after ${reminderHours} h` : 'Nobody is reminded'}.`,
      [expiryHours, reminderHours],
    ],
    [
      channelId
        ? 'Requests are posted in the approvals channel, once Signalman is in it.'
        : 'Approvers get direct messages.',
      channelId,
    ],
    [formatLimit('Domains', domains), domains],
    [`Wildcards: ${ALLOWANCE_LABELS[wildcards].toLowerCase()}.`, wildcards],
    [`IP addresses, email addresses, and URLs: ${ALLOWANCE_LABELS[otherNames].toLowerCase()}.`, otherNames],
    [formatLimit('Products', products), products],
    [formatLimit('Customers', customers.map(String)), customers],
    [maxDays === undefined ? 'Longest validity: any.' : `Longest validity: ${maxDays} days.`, maxDays],
    [describeKeys(policy), keys],
    [`One more approval for: ${describeExtras(policy).join(', ') || 'nothing'}.`, extra],
    [`OTE: ${OTE_LABELS[ote].toLowerCase()}.`, ote],
  ]
}

const describeExtras = ({ extra }: OrderPolicy): string[] => [
  ...(extra.newDomain ? ['a new domain'] : []),
  ...(extra.unusual ? ['anything unusual in the request'] : []),
  ...(extra.overDays === undefined ? [] : [`more than ${extra.overDays} days`]),
]

const POLICY_WINDOW = { toSettings: describePolicy, line: '/cert-order policy' }

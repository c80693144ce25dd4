import type { ApiError } from '../../api/errors.ts'
import type { PlacedOrder } from '../../api/orders.ts'
import type { Environment } from '../../api/service.ts'
import { context, header, section } from '../../blocks/layout.ts'
import { type Message, message } from '../../blocks/message.ts'
import { facts } from '../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../blocks/text.ts'
import { explain } from '../../slack/explain.ts'
import type { FilledOrder } from './fields.ts'

type Fact = readonly [label: string, value: string | undefined]

const VALUE = 300
const ANSWER = 2000
const NAMES = 1500

/** The order went through: what the service says of it, and what was sent. */
export function placedView(filled: FilledOrder, placed: PlacedOrder, environment: Environment): Message {
  const known: Fact[] = [
    ['Order', placed.id],
    ['Status', placed.status],
    ['Certificate', placed.certificateId],
  ]
  const isNamed = Boolean(placed.id)
  return outcome({
    title: isNamed ? 'Order placed' : 'Order accepted',
    happened: isNamed
      ? 'The service took the order.'
      : 'The service took the order, but named no order id. What it answered stands below, as it came.',
    known,
    answer: isNamed ? undefined : placed.answer.trim() || '(nothing)',
    filled,
    environment,
  })
}

/** The order was sent and nobody can tell what became of it. */
export function unknownView(
  filled: FilledOrder,
  error: ApiError,
  { environment, reference }: { environment: Environment; reference: string },
): Message {
  const { happened, said } = explain(error)
  const sentences = [
    'The order may have been placed.',
    happened,
    ...said.map((sentence) => `The service said: “${sentence}”`),
    'Do not send it again before you have checked: look for it in your orders at the service by the names below, or ask its support. It was sent once and is not repeated from here.',
  ]
  return outcome({
    title: 'Outcome unknown',
    happened: sentences.join('\n'),
    known: [],
    filled,
    environment,
    reference,
  })
}

interface Outcome {
  title: string
  happened: string
  known: readonly Fact[]
  answer?: string | undefined
  filled: FilledOrder
  environment: Environment
  reference?: string
}

function outcome({ title, happened, known, answer, filled, environment, reference }: Outcome): Message {
  const sent = sentFacts(filled)
  const { warnings } = filled.csr
  const footer = [
    ...(environment === 'ote' ? ['OTE test environment'] : []),
    ...(reference ? [`Reference: ${reference}`] : []),
  ]
  return message(
    [
      `${title}${environment === 'ote' ? ' (OTE)' : ''}`,
      ...[happened, ...factLines(known), ...(answer ? [clip(answer, ANSWER)] : [])].map(literal),
      ...factLines(sent).map(literal),
      ...[...warnings.map((warning) => `Warning: ${warning}`), ...footer].map(literal),
    ].join('\n'),
    header(title),
    section(happened),
    ...(factLines(known).length > 0 ? [facts(shortened(known))] : []),
    ...(answer ? [section(clip(answer, ANSWER))] : []),
    facts(shortened(sent)),
    ...warnings.map((warning) => section(`⚠️ Warning: ${warning}`)),
    ...footer.map((part) => context(part)),
  )
}

/** Everything that was sent, the CSR by what it says. */
function sentFacts({ order, csr }: FilledOrder): Fact[] {
  const contacts = (kind: string): string | undefined =>
    order.contacts
      ?.filter(({ type }) => type === kind)
      .map(({ id }) => id)
      .join(', ') || undefined
  return [
    ['Action', order.action],
    ['Product', order.productId],
    ['Certificate to change', order.certificateId],
    ['Subject', csr.subject || undefined],
    ['Alternative names', listed(csr.names)],
    ['Key', csr.key],
    ['Signature', `${csr.signature}, verified`],
    ['Duration', order.duration],
    ['Organization', order.organizationId],
    ['Admin contacts', contacts('admin')],
    ['Tech contacts', contacts('tech')],
    ['Validation method', order.validationMethod],
    ['Web server', order.webServer],
    ['Customer', order.customerId === undefined ? undefined : String(order.customerId)],
    ['Billing number', order.billingNumber],
    ['Order reference', order.orderReference],
  ]
}

/** As many names as have room, and how many more. */
function listed(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  let size = 0
  const end = names.findIndex((name) => {
    size += name.length + 2
    return size > NAMES
  })
  const shown = end === -1 ? names : names.slice(0, Math.max(1, end))
  const left = names.length - shown.length
  return clip(oneLine(shown.join(', ')), NAMES) + (left > 0 ? ` and ${left} more` : '')
}

const shortened = (entries: readonly Fact[]): Fact[] =>
  entries.map(([label, value]) => [
    label,
    value && clip(oneLine(value), label === 'Alternative names' ? NAMES + 20 : VALUE),
  ])

const factLines = (entries: readonly Fact[]): string[] =>
  shortened(entries).flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []))

import {
  actions,
  commandButton,
  context,
  divider,
  expandedSection,
  header,
  LIMITS,
  lines,
  section,
  textElement,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { type Entry, fitInWindow, formatSections, makeVisible, WARNING } from '../rules/entries.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { type Order, writeOrderCommand } from '../rules/order.ts'
import { TEXT_FIELDS } from '../rules/request-fields.ts'
import { listReviewNotes, type OrderDetails } from '../rules/review.ts'
import { COMMON_NAME_LABEL, listOrderEntries, NAME_LABEL, ORDERED_LABEL } from './entries.ts'
import { formatPerson, NOTHING_UNUSUAL } from './words.ts'

const MAX_NAMES = 10
const MAX_NAME_LENGTH = 255

/** What is decided on, besides the names and the warnings. */
const MAIN_LABELS: readonly string[] = [
  ORDERED_LABEL,
  ...(['product', 'certificate', 'duration', 'organization'] as const).map((name) => TEXT_FIELDS[name].label),
]

/**
 * What the approval window shows, each fact once: what is decided on, with the warnings, and **Reject**; below it, every other value that is
 * sent, in full, which Slack may fold behind **See more**. Undefined if that doesn't fit in one window.
 */
export function buildApproval(order: Order, details: OrderDetails): KnownBlock[] | undefined {
  const entries = listOrderEntries(order)
  if (!fitInWindow(entries)) return undefined
  const { bodyHash, requesterId, createdAt, content } = order
  const notes = listReviewNotes(order, details)
  const names = listCertificateNames(content.csr)
    .map(({ text }) => text)
    .filter((text) => makeVisible(text).length <= MAX_NAME_LENGTH)
    .slice(0, MAX_NAMES)
  const rest = entries.filter(({ label }) => label !== WARNING && !MAIN_LABELS.includes(label))
  return [
    ...names.map(makeVisible).map((text) => (text.length <= LIMITS.headerText ? header(text) : bold(text))),
    ...toSections(entries.filter(({ label }) => MAIN_LABELS.includes(label))),
    lines(
      [`Requested by ${formatPerson(details.people, requesterId)}, `, createdAt],
      ...(notes.length > 0 || content.csr.warnings.length > 0 ? notes : [NOTHING_UNUSUAL]),
    ),
    ...formatSections(entries.filter(({ label }) => label === WARNING)).map(expandedSection),
    ...actions(
      commandButton('Order as a file', writeOrderCommand(order, 'file')),
      commandButton('Reject', writeOrderCommand(order, 'reject'), { inPlace: true, style: 'danger' }),
    ),
    divider(),
    ...toSections(rest.map((entry) => withoutShown(entry, names))),
    context(
      `If you approve, it’s sent once, exactly as shown. Order fingerprint: ${bodyHash.slice(0, FINGERPRINT_LENGTH)}`,
    ),
  ]
}

const FINGERPRINT_LENGTH = 12

const toSections = (entries: readonly Entry[]): KnownBlock[] =>
  [...formatSections(entries)].map((text) => section(text))

const bold = (text: string): KnownBlock => lines([textElement(text, { bold: true })])

/** A name that the request spells in another way than above is shown again. */
function withoutShown({ label, values }: Entry, names: readonly string[]): Entry {
  if (label !== NAME_LABEL && label !== COMMON_NAME_LABEL) return { label, values }
  const others = values.filter((value) => !names.includes(value.replace(/^DNS /, '')))
  return others.length === values.length
    ? { label, values }
    : { label: `Further ${label.toLowerCase()}`, values: others }
}

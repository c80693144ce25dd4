import { card, clip, commandButton, expandedSection, type Message, oneLine } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { formatName } from '../rules/csr/names.ts'
import { findLongestPublicDays } from '../rules/durations.ts'
import { listCertificateNames } from '../rules/host-names.ts'
import { describeUnusual, parseDays } from '../rules/judge.ts'
import type { CsrFacts, Order, OrderContent } from '../rules/order.ts'
import { type Entry, MESSAGE_PAGE, splitIntoPages, WARNING } from '../rules/pages.ts'
import { listFieldValues } from '../rules/request-fields.ts'

/** One page of the CSR's contents. What reviewers should look at comes first. */
export function requestView(order: Order, requestedPage: number, now: Date): Message {
  const { number, content } = order
  const pages = splitIntoPages(
    [...listUnusualEntries(content.csr), ...listRequestEntries(content.csr)],
    MESSAGE_PAGE,
  )
  const page = Math.min(Math.max(1, requestedPage), pages.length)
  const createPageButton = (label: string, to: number) =>
    commandButton(label, `/cert-order csr ${number} --page ${to}`, { inPlace: true })
  const position = pages.length > 1 ? [` · page ${page} of ${pages.length}`] : []
  return card({
    headline: [`Certificate request of order ${number}${environmentSuffix(order.environment)}`, ...position],
    notes: page === 1 ? [summarizeWarnings(content, now)] : [],
    body: [(pages[page - 1] ?? []).map(expandedSection)],
    controls: [
      ...(page > 1 ? [createPageButton('Previous', page - 1)] : []),
      ...(page < pages.length ? [createPageButton('Next', page + 1)] : []),
      commandButton('Show order', `/cert-order show ${number}`),
    ],
  })
}

/** Every value that an order sends, in full. What reviewers should look at comes first. */
export const listOrderEntries = (order: Order): Entry[] => [
  ...listUnusualEntries(order.content.csr),
  ...listSentEntries(order),
]

/** Every value that an order sends, in full. */
export const listSentEntries = ({ content: { request, csr, names } }: Order): Entry[] => [
  ...[['Action', request.action] as const, ...listFieldValues(request, names)].flatMap(
    ([label, value]): Entry[] =>
      value === undefined || CONTACT_LABELS.includes(label) ? [] : [{ label, values: [value] }],
  ),
  ...CONTACT_KINDS.map(([type, label]) => ({
    label,
    values: (request.contacts ?? []).flatMap((contact) => (contact.type === type ? [contact.id] : [])),
  })),
  ...listRequestEntries(csr),
]

const CONTACT_KINDS = [
  ['admin', 'Admin contact'],
  ['tech', 'Tech contact'],
] as const
const CONTACT_LABELS: readonly string[] = ['Admin contact IDs', 'Tech contact IDs']

/** Everything in the CSR, in full. */
export const listRequestEntries = (csr: CsrFacts): Entry[] => [
  ...csr.subjectParts.map(({ label, text }) => ({ label: `Subject ${label}`, values: [text] })),
  { label: 'Name', values: csr.names.map(formatName) },
  { label: 'Key', values: [csr.key] },
  { label: 'Key fingerprint', values: [csr.keyHash] },
  { label: 'Signature', values: [`${csr.signature}, verified`] },
  ...csr.extensions.map((extension) => ({
    label: `${extension.isCritical ? 'Critical extension' : 'Extension'} ${nameExtension(extension)}`,
    values: [extension.value],
  })),
  ...csr.attributes.map(({ oid, values }) => ({
    label: `Attribute ${oid}`,
    values: values.length > 0 ? values : ['(empty)'],
  })),
]

/** Everything that reviewers should look at, with all reasons. */
export const listUnusualEntries = ({ warnings, extensions, look: { first } }: CsrFacts): Entry[] => [
  {
    label: WARNING,
    values: [
      ...warnings,
      ...extensions.flatMap((extension) =>
        extension.why === undefined ? [] : [`${nameExtension(extension)}: ${extension.why}`],
      ),
      ...first.map(describeSuspicious),
    ],
  },
]

const nameExtension = ({ name, oid }: CsrFacts['extensions'][number]): string => name ?? oid

const describeSuspicious = ({ name, why }: CsrFacts['look']['first'][number]): string =>
  `${name.kind === 'DNS' ? name.text : formatName(name)}: ${why.join('; ')}`

const MAX_SUMMARY_ITEMS = 5
const MAX_LINES = 8
const MAX_LINE_LENGTH = 300

/** Says in one line whether reviewers should look at anything in the certificate request. Knows nothing about other orders. */
export function summarizeWarnings(content: Pick<OrderContent, 'csr' | 'request'>, at: Date): string {
  const { key, signature } = content.csr
  const unusual = describeUnusual(content)
  const longest = describeLongestDuration(content, at)
  if (unusual.length === 0 && longest) return longest
  if (unusual.length === 0)
    return `Nothing unusual in the certificate request: ${pluralize(listCertificateNames(content.csr).length, 'name')}, ${key}, ${signature}.`
  const more = unusual.length > MAX_SUMMARY_ITEMS ? [`${unusual.length - MAX_SUMMARY_ITEMS} more`] : []
  return `⚠️ Needs a look: ${[...unusual.slice(0, MAX_SUMMARY_ITEMS), ...more].join('; ')}.`
}

/** Says that the duration is longer than public authorities issue; undefined if it isn't, or can't be read. */
export function describeLongestDuration(
  { request }: Pick<OrderContent, 'request'>,
  at: Date,
): string | undefined {
  const days = parseDays(request.duration)
  const longest = findLongestPublicDays(at)
  return days !== undefined && days > longest
    ? `ℹ️ ${clip(oneLine(request.duration), MAX_LINE_LENGTH)}: public authorities issue for at most ${longest} days now, so a longer order usually means reissues.`
    : undefined
}

/** The suspicious names, extensions, and attributes, shortened for a card. */
export function listNoteLines({ look: { first, total }, extensions, attributes }: CsrFacts): string[] {
  const allLines = [
    ...extensions.flatMap((extension) =>
      extension.why === undefined
        ? []
        : [`${nameExtension(extension)}: ${extension.value} (${extension.why})`],
    ),
    ...attributes.map(({ oid, values }) => `Attribute ${oid}: ${values.join(', ')}`),
    ...first.map(describeSuspicious),
  ]
  return clipLines(allLines, allLines.length + total - first.length)
}

function clipLines(allLines: readonly string[], total: number): string[] {
  const shown = allLines.slice(0, MAX_LINES).map((line) => clip(oneLine(line), MAX_LINE_LENGTH))
  return total > MAX_LINES ? [...shown, `${total - MAX_LINES} more: see the certificate request.`] : shown
}

/** The requested extensions and attributes, shortened for a card. */
export function listExtensionLines({ extensions, attributes }: CsrFacts): string[] {
  const lines = [
    ...extensions.map(
      (extension) =>
        `${nameExtension(extension)}${extension.isCritical ? ' (critical)' : ''}: ${extension.value}`,
    ),
    ...attributes.map(({ oid, values }) => `Attribute ${oid}: ${values.join(', ')}`),
  ]
  return clipLines(lines, lines.length)
}

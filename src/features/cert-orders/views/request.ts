import { card, clip, commandButton, type Message, oneLine, section } from '@signalman/slack'
import type { SectionBlock } from '@slack/types'
import { badgeOf } from '../../../domain/environment.ts'
import { extensionName } from '../rules/csr/describe-extension.ts'
import { nameText } from '../rules/csr/names.ts'
import { findUnusual } from '../rules/csr/verdict.ts'
import type { CsrFacts, Order, OrderContent } from '../rules/order.ts'
import { MESSAGE_PAGE, splitIntoPages } from '../rules/pages.ts'
import { listUnusual, wholeRequest } from './whole-order.ts'

/** A section that Slack never folds, because people approve what they read here. */
export const readSection = (text: string): SectionBlock => ({ ...section(text), expand: true })

/** Everything that an order requests, in pages. */
export function requestView(order: Order, asked: number): Message {
  const { number, content } = order
  const pages = splitIntoPages([...listUnusual(content.csr), ...wholeRequest(content.csr)], MESSAGE_PAGE)
  const page = Math.min(Math.max(1, asked), pages.length)
  const turn = (label: string, to: number) =>
    commandButton(label, `/cert-order csr ${number} --page ${to}`, { inPlace: true })
  const place = pages.length > 1 ? [` · page ${page} of ${pages.length}`] : []
  return card({
    answer: [`Certificate request of order ${number}${badgeOf(order.environment)}`, ...place],
    notes: page === 1 ? [summarizeWarnings(content)] : [],
    body: [(pages[page - 1] ?? []).map(readSection)],
    controls: [
      ...(page > 1 ? [turn('Previous', page - 1)] : []),
      ...(page < pages.length ? [turn('Next', page + 1)] : []),
      commandButton('Show order', `/cert-order show ${number}`),
    ],
  })
}

const MOST_SAID = 5
const MOST_NOTES = 8
const MOST_EXTENSIONS = 8
const LINE = 300
const count = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** What an approver must know first, in one line. */
export function summarizeWarnings(content: Pick<OrderContent, 'csr' | 'request'>): string {
  const { names, key, signature } = content.csr
  const odd = findUnusual(content)
  if (odd.length === 0) return `✅ Nothing unusual: ${count(names.length, 'name')}, ${key}, ${signature}.`
  const more = odd.length > MOST_SAID ? [`${odd.length - MOST_SAID} more`] : []
  return `⚠️ Needs a look: ${[...odd.slice(0, MOST_SAID), ...more].join('; ')}.`
}

/** Each suspicious name, extension, and attribute, short enough for a card. */
export function noteLines({ look: { first, total }, extensions, attributes }: CsrFacts): string[] {
  const all = [
    ...extensions.flatMap((one) =>
      one.why === undefined ? [] : [`${extensionName(one)}: ${one.value} (${one.why})`],
    ),
    ...attributes.map(({ name, oid, values }) => `Attribute ${name ?? oid} (${oid}): ${values.join(', ')}`),
    ...first.map(({ name, why }) => `${name.kind === 'DNS' ? name.text : nameText(name)}: ${why.join('; ')}`),
  ]
  const left = all.length + total - first.length - MOST_NOTES
  return [
    ...all.slice(0, MOST_NOTES).map((line) => clip(oneLine(line), LINE)),
    ...(left > 0 ? [`${left} more: see the certificate request.`] : []),
  ]
}

/** The requested extensions on a card, and how many more there are. */
export function extensionLines({ extensions, attributes }: CsrFacts): string[] {
  const lines = [
    ...extensions.map((one) => `${extensionName(one)}${one.isCritical ? ' (critical)' : ''}: ${one.value}`),
    ...attributes.map(({ name, oid, values }) => `Attribute ${name ?? oid}: ${values.join(', ')}`),
  ]
  const left = lines.length - MOST_EXTENSIONS
  return [
    ...lines.slice(0, MOST_EXTENSIONS).map((line) => clip(oneLine(line), LINE)),
    ...(left > 0 ? [`${left} more: see the certificate request.`] : []),
  ]
}

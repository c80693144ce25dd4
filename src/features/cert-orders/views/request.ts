import { card, clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { lineBlocks } from '../../../bot/views/list-page.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { ShownExtension } from '../csr/describe-extension.ts'
import { noted } from '../csr/suspicious-names.ts'
import type { CsrFacts, Order } from '../order.ts'
import { warningWords } from './words.ts'

/** At most so many lines are on a page, and fewer where they are long. */
const MOST_LINES = 100
const MOST_BLOCKS = 3

/** Everything that the request of an order asks for, `from` a line on (from 1): page by page nothing of it is left out. */
export function requestView(order: Order, from: number): Message {
  const { csr } = order.content
  const page = linesPage(order, 'csr', from, wholeLines(csr))
  return card({
    answer: [
      `Certificate request of order ${order.number}${badgeOf(order.environment)}`,
      ` · ${page.place || 'it asks for no name and no extension'}`,
    ],
    notes: page.isFirst ? [verdictOf(csr), ...warningWords(order)] : [],
    facts: [
      ['Subject', csr.subject || undefined],
      ['Key', csr.key],
      ['Signature', `${csr.signature}, verified`],
    ],
    body: [page.blocks],
    controls: page.controls,
  })
}

const linesOfAll = (first: number, last: number, total: number): string =>
  `${first === last ? `line ${last}` : `lines ${first}–${last}`} of ${total}`

/** One page of many lines about an order, with the buttons that turn pages. */
export function linesPage(
  { number }: Order,
  verb: 'csr' | 'answer',
  from: number,
  { total, between }: { total: number; between(start: number, end: number): string[] },
) {
  const start = Math.min(from, Math.max(total, 1)) - 1
  const found = between(start, start + MOST_LINES)
  const { blocks, left } = lineBlocks(found, MOST_BLOCKS)
  const shown = found.length - left
  const end = start + shown
  const turn = (label: string, line: number) =>
    commandButton(label, `/cert-order ${verb} ${number} --from ${line}`, { inPlace: true })
  return {
    blocks,
    isFirst: start === 0,
    place: total === 0 ? '' : linesOfAll(start + 1, end, total),
    controls: [
      ...(start > 0 ? [turn('Previous', Math.max(start - shown, 0) + 1)] : []),
      ...(end < total ? [turn('Next', end + 1)] : []),
      commandButton('Show order', `/cert-order show ${number}`),
    ],
  }
}

const LINE = 300

const extensionLine = ({ name, isCritical, value }: ShownExtension): string =>
  `${name}${isCritical ? ' (critical)' : ''}: ${value}`

/** Everything that a request asks for, a line each: extensions first, then every name with its reasons. */
export const wholeLines = ({ extensions, attributes, names }: CsrFacts) => ({
  total: extensions.length + attributes.length + names.length,
  /** Only those lines are made. */
  between(start: number, end: number): string[] {
    const before = extensions.length + attributes.length
    const all = [
      ...extensions.slice(start, end).map((one) => extensionLine(one)),
      ...attributes
        .slice(Math.max(start - extensions.length, 0), Math.max(end - extensions.length, 0))
        .map((name) => `Attribute: ${name}`),
      ...names.slice(Math.max(start - before, 0), Math.max(end - before, 0)).map(noted),
    ]
    return all.map((line) => clip(oneLine(line), LINE + 700))
  },
})

const MOST_NOTES = 8
const MOST_EXTENSIONS = 8
const count = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

/** What an approver has to know of a request before anything else, in one line. */
export function verdictOf(csr: CsrFacts): string {
  const { names, key, signature, warnings, extensions, look } = csr
  const odd = extensions.filter(({ why }) => why !== undefined)
  const noted = [
    ...odd.slice(0, 3).map(({ name, value }) => `${name.toLowerCase()} (${clip(oneLine(value), 60)})`),
    ...(odd.length > 3 ? [count(odd.length - 3, 'more extension')] : []),
    ...(look.total > 0 ? [`${look.total} of ${count(names.length, 'name')}`] : []),
    ...(warnings.length > 0 ? [`${count(warnings.length, 'warning')} below`] : []),
  ]
  if (noted.length > 0) return `⚠️ Deserves a look: ${noted.join('; ')}.`
  return `✅ Nothing unusual in the request itself: ${count(names.length, 'name')}, ${key}, ${signature}.`
}

/** Each name and extension that deserves a look, with its reason. */
export function noteLines({ look: { first, total }, extensions }: CsrFacts): string[] {
  const shown = first
    .slice(0, MOST_NOTES)
    .map(({ name, why }) => clip(oneLine(`${name.replace(/^DNS /, '')}: ${why.join('; ')}`), LINE))
  const left = total - shown.length
  return [
    ...extensions
      .flatMap(({ name, why }) => (why === undefined ? [] : [clip(oneLine(`${name}: ${why}`), LINE)]))
      .slice(0, MOST_NOTES),
    ...shown,
    ...(left > 0 ? [`${left} more: see the certificate request.`] : []),
  ]
}

/** The requested extensions on a card; what does not fit is counted. */
export function extensionLines({ extensions, attributes }: CsrFacts): string[] {
  const shown = extensions.slice(0, MOST_EXTENSIONS).map((one) => clip(oneLine(extensionLine(one)), LINE))
  const left = extensions.length - shown.length
  return [
    ...shown,
    ...(left > 0 ? [`${count(left, 'more extension')}: see the certificate request.`] : []),
    ...(attributes.length > 0 ? [clip(oneLine(`Other attributes: ${attributes.join(', ')}`), LINE)] : []),
  ]
}

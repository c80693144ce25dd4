import {
  actions,
  commandButton,
  context,
  factLines,
  facts,
  header,
  literal,
  type Message,
  message,
  section,
} from '@signalman/slack'
import type { Order } from '../order.ts'
import { lineBlocks, wholeLines } from './whole-request.ts'
import { orderTitle, warningWords } from './words.ts'
import { verdictOf } from './xray.ts'

/** At most so many lines are on a page, and fewer where they are long. */
const MOST_LINES = 100
const MOST_BLOCKS = 3

/** Everything that the request of an order asks for, `from` a line on (from 1): page by page nothing of it is left out. */
export function requestView(order: Order, from: number): Message {
  const { csr } = order.content
  const whole = wholeLines(csr)
  const start = Math.min(from, Math.max(whole.total, 1)) - 1
  const found = whole.between(start, start + MOST_LINES)
  const { blocks, left } = lineBlocks(found, MOST_BLOCKS)
  const lines = found.slice(0, found.length - left)
  const end = start + lines.length
  const head = [
    ['Subject', csr.subject || undefined],
    ['Key', csr.key],
    ['Signature', `${csr.signature}, verified`],
  ] as const
  const to = (line: number): string => `/cert-order csr ${order.number} --from ${line}`
  const warnings = start === 0 ? warningWords(order) : []
  const title = `The request of ${orderTitle(order)}`
  const place =
    whole.total === 0 ? 'It asks for no name and no extension.' : `${start + 1}–${end} of ${whole.total}`
  return message(
    literal([title, verdictOf(csr), factLines(head), ...warnings, ...lines, place].join('\n')),
    header(title),
    section(verdictOf(csr)),
    facts(head),
    warnings.map((words) => section(words)),
    blocks,
    actions(
      ...(start > 0
        ? [commandButton('Previous', to(Math.max(start - lines.length, 0) + 1), { inPlace: true })]
        : []),
      ...(end < whole.total ? [commandButton('Next', to(end + 1), { inPlace: true })] : []),
      commandButton('Show order', `/cert-order show ${order.number}`),
    ),
    context(place),
  )
}

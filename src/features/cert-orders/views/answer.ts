import {
  actions,
  clip,
  commandButton,
  context,
  copyable,
  header,
  literal,
  type Message,
  message,
  section,
  visible,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { linesOf, validationRecords } from '../answer.ts'
import type { Order } from '../order.ts'
import { lineBlocks } from './request.ts'
import { orderTitle } from './words.ts'

const MOST_RECORDS = 20
const RECORD = 500
const MOST_LINES = 100
const MOST_BLOCKS = 3

/** What the service answered, as it came; undefined when it has answered nothing that is kept. */
export function answerOf({ content: { outcome } }: Order): string | undefined {
  const answer = outcome?.kind === 'placed' ? outcome.placed.answer : ''
  return answer.trim() === '' ? undefined : answer
}

/** The records that prove the names, to be copied into one's DNS. */
export function recordLines(order: Order): string[] {
  const records = validationRecords(answerOf(order) ?? '')
  const shown = records.slice(0, MOST_RECORDS).map((record) => clip(visible(record), RECORD))
  const left = records.length - shown.length
  return left > 0 ? [...shown, `(${left} more in the answer)`] : shown
}

export const RECORDS = 'Validation records of the service, to copy:'

export const recordBlocks = (lines: readonly string[]): KnownBlock[] =>
  lines.length === 0 ? [] : [section(RECORDS), copyable(lines.join('\n'))]

/** That the service has no way to be asked how an order is doing. */
export const AS_ANSWERED =
  'This is as of that answer: the service has no call that tells how an order is doing now. Look there for its status.'

/** The whole answer of the service, `from` a line on (from 1). */
export function answerView(order: Order, from: number): Message {
  const title = `The service’s answer to ${orderTitle(order)}`
  const answer = answerOf(order)
  const all = answer === undefined ? [] : linesOf(answer)
  const start = Math.min(from, Math.max(all.length, 1)) - 1
  const found = all.slice(start, start + MOST_LINES).map(visible)
  const { blocks, left } = lineBlocks(found, MOST_BLOCKS)
  const lines = found.slice(0, found.length - left)
  const end = start + lines.length
  const records = start === 0 ? recordLines(order) : []
  const to = (line: number): string => `/cert-order answer ${order.number} --from ${line}`
  const place =
    all.length === 0
      ? ['The service has answered nothing that is kept.']
      : [`Lines ${start + 1}–${end} of ${all.length}`, AS_ANSWERED]
  return message(
    literal([title, ...(records.length > 0 ? [RECORDS, ...records] : []), ...lines, ...place].join('\n')),
    header(title),
    recordBlocks(records),
    blocks,
    actions(
      ...(start > 0
        ? [commandButton('Previous', to(Math.max(start - lines.length, 0) + 1), { inPlace: true })]
        : []),
      ...(end < all.length ? [commandButton('Next', to(end + 1), { inPlace: true })] : []),
      commandButton('Show order', `/cert-order show ${order.number}`),
    ),
    context(...place),
  )
}

import { card, clip, commandButton, copyable, type Message, section, visible } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { lineBlocks } from '../../../bot/views/list-page.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { formatAnswer, validationRecords } from '../rules/answer.ts'
import type { Order } from '../rules/order.ts'

const MOST_RECORDS = 20
const RECORD = 500

/** What the service answered, as it came; undefined when it has answered nothing that is kept. */
export function answerPage({ content: { outcome } }: Order): string | undefined {
  const { answer = '' } =
    (outcome?.kind === 'placed'
      ? outcome.placed
      : outcome?.kind === 'failed'
        ? outcome.answered
        : undefined) ?? {}
  return answer.trim() === '' ? undefined : answer
}

/** The records that prove the names, to be copied into one's DNS. */
export function recordLines(order: Order): string[] {
  const records = validationRecords(answerPage(order) ?? '')
  const shown = records.slice(0, MOST_RECORDS).map((record) => clip(visible(record), RECORD))
  const left = records.length - shown.length
  return left > 0 ? [...shown, `(${left} more in the answer)`] : shown
}

const RECORDS = 'Validation records from the service, to copy:'

export const recordBlocks = (lines: readonly string[]): KnownBlock[] =>
  lines.length === 0 ? [] : [section(RECORDS), copyable(lines.join('\n'))]

/** That the service has no way to be asked how an order is doing. */
export const AS_ANSWERED =
  'This is the service’s first answer. It doesn’t report later changes, so look there for the current status.'

const explainNoAnswer = ({ state, number, environment }: Order): string =>
  state === 'awaiting'
    ? `Order ${number}${badgeOf(environment)} hasn’t been sent to the service yet.`
    : 'No answer from the service is stored.'

/** The whole answer of the service, `from` a line on (from 1). */
export function answerView(order: Order, from: number): Message {
  const answer = answerPage(order)
  const all = answer === undefined ? [] : formatAnswer(answer)
  const between = (start: number, end: number): string[] => all.slice(start, end).map(visible)
  const page = linesPage(order, from, { total: all.length, between })
  const title = `Answer of the service to order ${order.number}${badgeOf(order.environment)}`
  return card({
    answer: answer === undefined ? explainNoAnswer(order) : [title, ` · ${page.place}`],
    body: [page.isFirst ? recordBlocks(recordLines(order)) : [], page.blocks],
    controls: page.controls,
    small: answer === undefined ? [] : [AS_ANSWERED],
  })
}

/** At most so many lines are on a page, and fewer where they are long. */
const MOST_LINES = 100
const MOST_BLOCKS = 3

const linesOfAll = (first: number, last: number, total: number): string =>
  `${first === last ? `line ${last}` : `lines ${first}–${last}`} of ${total}`

/** One page of many lines about an order, with the buttons that turn pages. */
function linesPage(
  { number }: Order,
  from: number,
  { total, between }: { total: number; between(start: number, end: number): string[] },
) {
  const start = Math.min(from, Math.max(total, 1)) - 1
  const found = between(start, start + MOST_LINES)
  const { blocks, left } = lineBlocks(found, MOST_BLOCKS)
  const shown = found.length - left
  const end = start + shown
  const turn = (label: string, line: number) =>
    commandButton(label, `/cert-order answer ${number} --from ${line}`, { inPlace: true })
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

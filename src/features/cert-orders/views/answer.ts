import { card, clip, commandButton, copyable, type Message, section, visible } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { packLines } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatAnswer, listValidationRecords } from '../rules/answer.ts'
import { getServiceOrder, type Order } from '../rules/order.ts'

const MAX_RECORDS = 20
const MAX_RECORD_LENGTH = 500

/** The service's raw answer; undefined if none is stored. */
export function findRawAnswer({ content: { outcome } }: Order): string | undefined {
  const answer = getServiceOrder(outcome)?.answer ?? ''
  return answer.trim() === '' ? undefined : answer
}

/** The DNS records that the service asks for to validate the names, one per line for copying. */
export function listRecordLines(order: Order): string[] {
  const records = listValidationRecords(findRawAnswer(order) ?? '')
  const shown = records.slice(0, MAX_RECORDS).map((record) => clip(visible(record), MAX_RECORD_LENGTH))
  const remaining = records.length - shown.length
  return remaining > 0 ? [...shown, `(${remaining} more in the answer)`] : shown
}

const RECORDS_TITLE = 'Copy these validation records from the service:'

export const recordBlocks = (lines: readonly string[]): KnownBlock[] =>
  lines.length === 0 ? [] : [section(RECORDS_TITLE), copyable(lines.join('\n'))]

/** The API has no call for an order's current status. */
export const FIRST_ANSWER_NOTE =
  'This is the service’s first answer. Signalman doesn’t learn about later changes, so look at the service for the current status.'

const explainNoAnswer = ({ state, number, environment }: Order): string =>
  state === 'awaiting'
    ? `Order ${number}${environmentSuffix(environment)} hasn’t been sent to the service yet.`
    : 'No answer from the service is stored.'

/** The service's full answer, starting at line `from`. Lines are counted from 1. */
export function answerView(order: Order, from: number): Message {
  const answer = findRawAnswer(order)
  const allLines = answer === undefined ? [] : formatAnswer(answer)
  const readLines = (start: number, end: number): string[] => allLines.slice(start, end).map(visible)
  const page = createLinesPage(order, from, { total: allLines.length, readLines })
  const title = `The service’s answer to order ${order.number}${environmentSuffix(order.environment)}`
  return card({
    headline: answer === undefined ? explainNoAnswer(order) : [title, ` · ${page.position}`],
    body: [page.isFirst ? recordBlocks(listRecordLines(order)) : [], page.blocks],
    controls: page.controls,
    smallPrint: answer === undefined ? [] : [FIRST_ANSWER_NOTE],
  })
}

/** At most this many lines per page, and fewer if they are long. */
const MAX_LINES = 100
const MAX_BLOCKS = 3

const formatPosition = (first: number, last: number, total: number): string =>
  `${first === last ? `line ${last}` : `lines ${first}–${last}`} of ${total}`

/** One page of a long text about an order, with buttons to turn pages. */
function createLinesPage(
  { number }: Order,
  from: number,
  { total, readLines }: { total: number; readLines(start: number, end: number): string[] },
) {
  const start = Math.min(from, Math.max(total, 1)) - 1
  const found = readLines(start, start + MAX_LINES)
  const { blocks, hiddenCount } = packLines(found, MAX_BLOCKS)
  const shown = found.length - hiddenCount
  const end = start + shown
  const createPageButton = (label: string, line: number) =>
    commandButton(label, `/cert-order answer ${number} --from ${line}`, { inPlace: true })
  return {
    blocks,
    isFirst: start === 0,
    position: total === 0 ? '' : formatPosition(start + 1, end, total),
    controls: [
      ...(start > 0 ? [createPageButton('Previous', Math.max(start - shown, 0) + 1)] : []),
      ...(end < total ? [createPageButton('Next', end + 1)] : []),
      commandButton('Show order', `/cert-order show ${number}`),
    ],
  }
}

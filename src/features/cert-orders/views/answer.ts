import {
  card,
  clip,
  commandButton,
  copyable,
  type Message,
  oneLine,
  section,
  visible,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { packLines } from '../../../bot/views/list-page.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatAnswer } from '../rules/answer.ts'
import { listStatusValues } from '../rules/judge-answer.ts'
import type { Order, ServiceAnswer } from '../rules/order.ts'

/** The service's raw answer; undefined if none is stored. */
export function findRawAnswer({ content: { outcome } }: Order): string | undefined {
  const answer = outcome?.answered?.answer ?? ''
  return answer.trim() === '' ? undefined : answer
}

/** `status: pending`, with the fields that say how it went; undefined if the answer has none. `max`: how many. */
export function quoteStatus(answered: ServiceAnswer | undefined, max = 3): string | undefined {
  const values = listStatusValues(answered?.answer ?? '').slice(0, max)
  const quotes = values.map(
    ({ name, value, isFailing }) =>
      `${isFailing ? '⚠️ ' : ''}${name}: ${clip(oneLine(value), MAX_VALUE_LENGTH)}`,
  )
  return quotes.join(', ') || undefined
}

/** Whether the answer has a status with a word for a failure. */
export const hasFailingStatus = ({ content: { outcome } }: Order): boolean =>
  listStatusValues(outcome?.answered?.answer ?? '').some(({ isFailing }) => isFailing)

/** The beginning of the service's answer, for a message to the person who has to act on it. */
export function answerBlocks(order: Order): KnownBlock[] {
  const answer = findRawAnswer(order)
  if (answer === undefined || !ANSWERED_STATES.includes(order.state)) return []
  const allLines = formatAnswer(answer)
  const first = allLines.slice(0, MAX_QUOTED_LINES).map((line) => clip(visible(line), MAX_VALUE_LENGTH))
  const remaining = allLines.length - first.length
  const more = remaining > 0 ? [`(${remaining} more lines)`] : []
  return [section('The service answered:'), copyable([...first, ...more].join('\n'))]
}

const ANSWERED_STATES: readonly Order['state'][] = ['received', 'unknown', 'failed']
const MAX_QUOTED_LINES = 15
const MAX_VALUE_LENGTH = 100

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
    body: [page.blocks],
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
    position: total === 0 ? '' : formatPosition(start + 1, end, total),
    controls: [
      ...(start > 0 ? [createPageButton('Previous', Math.max(start - shown, 0) + 1)] : []),
      ...(end < total ? [createPageButton('Next', end + 1)] : []),
      commandButton('Show order', `/cert-order show ${number}`),
    ],
  }
}

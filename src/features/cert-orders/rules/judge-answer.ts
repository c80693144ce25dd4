import { isRecord } from '@signalman/runtime'
import { type AnswerLeaf, ExactNumber, listLeaves, parseAnswer } from './answer.ts'

/** What an answer with a success status proves. `received`: the service gave the order an ID. */
export type Verdict = { is: 'received'; id: string } | { is: 'unclear'; why: string }

/**
 * Judges an answer with a success status. The interface doesn't document these answers, so nothing is read out of one but the
 * order's ID (`data.id` in a JSON:API document), and no word in it decides: neither "issued" nor "rejected".
 */
export function judgeAnswer(answer: string): Verdict {
  const body = parseAnswer(answer)
  if (!isRecord(body)) return { is: 'unclear', why: NO_DOCUMENT }
  const data = isRecord(body.data) ? body.data : {}
  if ([body, data, data.attributes].some(reportsErrors)) return { is: 'unclear', why: HAS_ERRORS }
  const id = data.id instanceof ExactNumber && /^\d+$/.test(data.id.text) ? data.id.text : data.id
  return typeof id === 'string' && IS_ID.test(id) ? { is: 'received', id } : { is: 'unclear', why: NO_ID }
}

/** Without spaces and invisible characters, which could make it read like words about the order. */
const IS_ID = /^[^\p{C}\p{Z}]+$/u

const NO_DOCUMENT = 'The service answered with a success status, but not with a JSON object.'
const HAS_ERRORS = 'The service answered with a success status, and with errors.'
const NO_ID = 'The service answered with a success status, but its answer has no order ID.'

/** Whether an object has a field `error` or `errors` with any content. */
const reportsErrors = (part: unknown): boolean =>
  isRecord(part) && Object.entries(part).some(([key, value]) => /^errors?$/i.test(key) && hasContent(value))

function hasContent(value: unknown): boolean {
  if (value instanceof ExactNumber) return Number(value.text) !== 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

/** A value in the answer that says how something went, to quote. `isFailing`: it has one of a few words for a failure. */
export interface StatusValue {
  /** The field's path, such as `data.attributes.status`. */
  path: string
  name: string
  value: string
  isFailing: boolean
}

const MAX_STATUS_VALUES = 5

/**
 * The values of fields named status, state, result, or success, such as `order_status`. Those with a word for a failure come first,
 * so that no better one hides them, then the outermost ones.
 */
export function listStatusValues(answer: string): StatusValue[] {
  const leaves = (listLeaves(answer) ?? []).flatMap(toStatusValue)
  const depth = ({ path }: StatusValue): number => path.split('.').length
  return leaves
    .sort((left, right) => Number(right.isFailing) - Number(left.isFailing) || depth(left) - depth(right))
    .slice(0, MAX_STATUS_VALUES)
}

function toStatusValue({ path, value }: AnswerLeaf): StatusValue[] {
  const names = path.split('.').map((name) => name.replace(/\[\d+\]$/, ''))
  const name = names.findLast((part) => STATUS_NAME.test(splitWords(part)))
  if (name === undefined || value.trim() === '' || value === '[]' || value === '{}') return []
  const isFailing =
    FAILING.test(value) || FAILING.test(splitWords(value)) || (value === 'false' && /success/i.test(name))
  return [{ path, name, value, isFailing }]
}

/** `orderState` and `order_state` → `order state`. */
const splitWords = (text: string): string =>
  text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-./]+/g, ' ')

const STATUS_NAME = /(?:^| )(?:\w*status(?:es)?|state|result|success)(?: |$)/i
/** Only adds a warning sign. Services also say these things in other words, so their absence means nothing. */
const FAILING =
  /(?<!\p{L})(?:reject|fail|cancel|declin|refus|denied|error|invalid|unauthori|expired|revoked|aborted)/iu

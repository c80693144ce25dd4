import { isRecord } from '@signalman/runtime'
import { hasContent, parseIfJson } from '../../../service/decode.ts'

/** What an answer with a success status proves. `received`: the service gave the order an ID. */
export type Verdict = { is: 'received'; id: string } | { is: 'unclear'; why: string }

/**
 * Judges an answer with a success status. The interface doesn't document these answers, so nothing is read out of one but the
 * order's ID (`data.id` in a JSON:API document), and no word in it decides: neither "issued" nor "rejected".
 */
export function judgeAnswer(answer: string): Verdict {
  const body = parseIfJson(answer)
  if (!isRecord(body)) return { is: 'unclear', why: NO_DOCUMENT }
  const data = isRecord(body.data) ? body.data : {}
  if ([body, data, data.attributes].some(reportsErrors)) return { is: 'unclear', why: HAS_ERRORS }
  // The digits of a longer number are lost.
  const isExact = typeof data.id === 'number' && data.id >= 0 && Number.isSafeInteger(data.id)
  const id = isExact ? `${data.id}` : data.id
  return typeof id === 'string' && IS_ID.test(id) ? { is: 'received', id } : { is: 'unclear', why: NO_ID }
}

/** With a digit, and without spaces and invisible characters, because words such as `ISSUED` would say something about the order. */
const IS_ID = /^(?=.*\d)[^\p{C}\p{Z}]+$/u

const NO_DOCUMENT = 'The service answered with a success status, but not with a JSON object.'
const HAS_ERRORS = 'The service answered with a success status, and with errors.'
const NO_ID = 'The service answered with a success status, but its answer has no order ID.'

/** Whether an object has a field `error` or `errors` with any content. */
const reportsErrors = (part: unknown): boolean =>
  isRecord(part) && Object.entries(part).some(([key, value]) => /^errors?$/i.test(key) && hasContent(value))

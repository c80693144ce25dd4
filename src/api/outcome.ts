import { KIND_BY_CODE, KIND_BY_REASON, kindOf } from './error-kinds.ts'
import { ApiError } from './errors.ts'
import type { Hide } from './hide.ts'
import { retryAfterSeconds } from './retry-pauses.ts'
import { readServiceMessage } from './service-message.ts'
import type { Method, TransportFault, TransportResponse } from './transport.ts'

/** The request that an error is about, as far as an error may know it. */
export interface CallDescription {
  method: Method
  /** Without the query: what a person searched for stays out of logs. */
  path: string
  hide: Hide
  /** An earlier attempt of the same call may have taken effect. */
  earlier: boolean
}

/** The error of an answer whose status is no success. */
export function errorOfAnswer(answer: TransportResponse, text: string, about: CallDescription): ApiError {
  const { status } = answer
  const { said, codes } = readServiceMessage(text, about.hide)
  const isQuoted = !isAboutTokens(about)
  const redirect = status < 400 ? `, a redirect${targetOf(answer)}, which is not followed` : ''
  const [code] = codes
  const named = isQuoted && code !== undefined && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
  return new ApiError(kindOf(status, codes), `${label(about)} answered ${status}${named}${redirect}`, {
    status,
    said: isQuoted ? said : [],
    codes: isQuoted ? codes : codes.filter((code) => Object.hasOwn(KIND_BY_CODE, code)),
    mayHaveHappened: mayHaveHappened(about, !saysNo(status)),
    retryAfterSeconds: retryAfterSeconds(answer.headers['retry-after'], new Date()),
  })
}

/** The error of an exchange that brought no whole answer; `spent` when the time for the whole call ran out. */
export function errorOfFault(fault: TransportFault, about: CallDescription, spent: boolean): ApiError {
  const kind = spent && fault.reason === 'stopped' ? 'timeout' : KIND_BY_REASON[fault.reason]
  const open = fault.sent && !(fault.status !== undefined && saysNo(fault.status))
  return new ApiError(kind, `${label(about)}: ${about.hide(fault.message)}`, {
    status: fault.status,
    mayHaveHappened: mayHaveHappened(about, open),
    cause: { ...fault.origin, message: about.hide(fault.origin.message) },
  })
}

/** What these answers hold are tokens, of which not every one is known here: nothing of them is ever quoted. */
export const isAboutTokens = ({ path }: Pick<CallDescription, 'path'>): boolean => path.startsWith('/auth/')

/** The error of a success whose body is not what the operation returns. It holds data, of which nothing is quoted. */
export function errorOfBody(reason: string, status: number, about: CallDescription): ApiError {
  return new ApiError('unreadable', `${label(about)} answered ${status}, unreadable: ${reason}`, {
    status,
    mayHaveHappened: mayHaveHappened(about, true),
  })
}

/** Whether an answer with this status says that nothing was done. A 408 comes from whoever stopped listening. */
function saysNo(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

function mayHaveHappened(about: CallDescription, open: boolean): boolean {
  return about.method !== 'GET' && (open || about.earlier)
}

function targetOf({ headers: { location } }: TransportResponse): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
}

function label({ method, path }: CallDescription): string {
  return `${method} ${path}`
}

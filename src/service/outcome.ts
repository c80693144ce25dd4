import { ApiError, type ApiErrorKind } from './errors.ts'
import type { Hide } from './hide.ts'
import { retryAfterSeconds } from './retry-pauses.ts'
import { readServiceMessage } from './service-message.ts'
import type { Method, TransportFault, TransportFaultReason, TransportResponse } from './transport.ts'

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

/** The interface names codes whose status it does not show: under any 4xx the code decides. */
const KIND_BY_CODE: Record<string, ApiErrorKind> = {
  UNAUTHORIZED: 'unauthorized',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not-found',
  BAD_CONTEXT: 'conflict',
}

const KIND_BY_STATUS: Record<number, ApiErrorKind> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  410: 'not-found',
  429: 'rate-limited',
}

const KIND_BY_REASON: Record<TransportFaultReason, ApiErrorKind> = {
  stopped: 'cancelled',
  timeout: 'timeout',
  network: 'unavailable',
  untrusted: 'unavailable',
  'too-large': 'unreadable',
  garbled: 'unreadable',
}

function kindOf(status: number, codes: readonly string[]): ApiErrorKind {
  if (status < 400) return 'unreadable'
  if (status >= 500) return 'unavailable'
  const byCode = codes.map((code) => (Object.hasOwn(KIND_BY_CODE, code) ? KIND_BY_CODE[code] : undefined))
  return byCode.find((kind) => kind !== undefined) ?? KIND_BY_STATUS[status] ?? 'rejected'
}

import { isRecord } from '@signalman/runtime'
import type { Answer, Call, Exchange, Fault } from './call.ts'
import { parseIfJson, type Unreadable } from './decode.ts'
import { ApiError, type ApiErrorKind } from './errors.ts'
import { toText } from './schema.ts'

/** Creates the error for a response that reports a failure: by its status, or in its body although the status says success. */
export function statusError(call: Call, { status, headers, bytes, wasLost }: Answer) {
  const text = call.redact(bytes.toString())
  const { messages, codes } = readServiceMessage(text)
  const isFromService = isServiceError(text, status)
  const mayQuote = isFromService && !call.holdsTokens
  const [code = ''] = codes
  const codeSuffix = mayQuote && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
  const isOver = isAnswered(status) && (isFromService || status === 429)
  return new ApiError(
    toErrorKind(status, codes, isFromService),
    `${describe(call)} answered ${status}${codeSuffix}${status < 300 ? ', which reports a failure' : ''}`,
    {
      status,
      serviceMessages: mayQuote ? messages : [],
      obstacle: findObstacle(status, headers, isFromService),
      mayHaveHappened: isWrite(call) && (wasLost || !(isOver && isRejected(status))),
      isAnswered: !wasLost && isOver,
      retryAfterSeconds: parseRetryAfter(headers['retry-after'], new Date()),
    },
  )
}

/** Creates the error if no complete response arrived. */
export function faultError(
  call: Call,
  { kind, message, obstacle, code }: Fault,
  { wasLost, maySend, status }: Exchange,
): ApiError {
  // OpenSSL's messages end with a line break.
  return new ApiError(kind, `${describe(call)}: ${call.redact(toPlain(message))}`, {
    ...{ status, obstacle, code },
    mayHaveHappened: isWrite(call) && (wasLost || maySend),
    isAnswered: !wasLost && status !== undefined && isAnswered(status) && !isRejected(status),
  })
}

/** Creates the error for a successful response with an unexpected body. Never quotes the body, because it contains data. */
export const bodyError = (call: Call, { status, wasLost }: Answer, { message }: Unreadable): ApiError =>
  new ApiError('unreadable', `${describe(call)} answered ${status}, unreadable: ${message}`, {
    status,
    mayHaveHappened: isWrite(call),
    isAnswered: !wasLost,
  })

const describe = ({ method, path }: Call): string => `${method} ${path}`

const isWrite = ({ method }: Call): boolean => method !== 'GET'

/** Whether a status, if the service sent it, means that nothing was done. */
const isRejected = (status: number): boolean => status >= 400 && status < 500

/** Whether a status can be the service's own, so that it has finished with the request. */
const isAnswered = (status: number): boolean => !GAVE_UP.includes(status)

/** With these, a proxy says that it gave up waiting; 499 is nginx's, and 460 is Amazon's. The service may still process the request. */
const GAVE_UP: readonly number[] = [408, 460, 499, 502, 503, 504]

/** What stands between Signalman and the service, in a sentence. Undefined if the service itself answered, or is failing. */
function findObstacle(
  status: number,
  headers: Answer['headers'],
  isFromService: boolean,
): string | undefined {
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.location ?? '')
    return `The service’s address redirects${to ? ` to ${to.origin}` : ''}, and Signalman doesn’t follow redirects.`
  }
  const isKnown = isFromService || status >= 500 || status in KIND_FROM_ANYBODY
  return isKnown
    ? undefined
    : `Something between Signalman and the service answered with HTTP status ${status}.`
}

/** The service documents its codes without their statuses, so unless the status is a 5xx, the code decides. */
const KIND_BY_CODE: Record<string, ApiErrorKind> = {
  UNAUTHORIZED: 'unauthorized',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not-found',
  BAD_CONTEXT: 'conflict',
  INTERNAL_SERVER_ERROR: 'unavailable',
}

/** What a status means in the service's own error object. */
const KIND_BY_STATUS: Record<number, ApiErrorKind> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  410: 'not-found',
}

/** These mean the same whoever sends them. */
const KIND_FROM_ANYBODY: Record<number, ApiErrorKind> = {
  408: 'timeout',
  429: 'rate-limited',
  460: 'timeout',
  499: 'timeout',
}

function toErrorKind(status: number, codes: readonly string[], isFromService: boolean): ApiErrorKind {
  if (status >= 300 && status < 400) return 'unreadable'
  if (status >= 500) return 'unavailable'
  if (!isFromService) return KIND_FROM_ANYBODY[status] ?? 'unavailable'
  const byCode = codes.map((code) => (Object.hasOwn(KIND_BY_CODE, code) ? KIND_BY_CODE[code] : undefined))
  return (
    byCode.find((kind) => kind !== undefined) ??
    KIND_FROM_ANYBODY[status] ??
    KIND_BY_STATUS[status] ??
    'rejected'
  )
}

/** The service's explanation of a failure. */
interface ServiceMessage {
  messages: string[]
  codes: string[]
}

const MAX_SENTENCES = 10
const MAX_LENGTH = 300
/** Larger bodies aren't parsed. */
const MAX_BODY_LENGTH = 1 << 20

/**
 * Reads the sentences and codes of an error body: the service's `errors`, each with a `code` and a `message` (JSON:API: `title` and
 * `detail`), or another layout, since two kinds of 400 have one that isn't documented.
 */
export function readServiceMessage(text: string): ServiceMessage {
  const clean = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? clip(toPlain(String(value))) : ''
  const errors = listErrors(parseErrorBody(text))
  const messages = errors.flatMap(({ message, detail, title, code, ...rest }) => {
    const sentence = clean(message) || clean(detail) || clean(title)
    if (sentence || code !== undefined) return [sentence]
    // A layout that isn't documented is quoted as it is: usually each field with its problems.
    return Object.entries(rest).map(([field, problems]) =>
      clean(`${field}: ${[problems].flat().map(toText).join(' ')}`),
    )
  })
  return { messages: distinct(messages), codes: distinct(errors.map(({ code }) => clean(code))) }
}

const parseErrorBody = (text: string): unknown =>
  text.length > MAX_BODY_LENGTH ? undefined : parseIfJson(text)

/**
 * Whether the service itself sent an error: its error object, or JSON with the statuses whose layouts aren't documented. Otherwise,
 * something between Signalman and the service did, and the status means nothing about the service. Proxies send JSON, too.
 */
function isServiceError(text: string, status: number): boolean {
  const body = parseErrorBody(text)
  if (body === undefined) return false
  if (status === 400 || status < 300) return true
  return (
    isRecord(body) &&
    Array.isArray(body.errors) &&
    body.errors.some((error) => isRecord(error) && (isText(error.code) || isText(error.detail)))
  )
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts.filter((text) => text !== ''))].slice(0, MAX_SENTENCES)

function listErrors(body: unknown): Record<string, unknown>[] {
  const top = isRecord(body) ? (body.errors ?? body.error ?? body) : body
  const all = Array.isArray(top) ? top.slice(0, MAX_SENTENCES) : [top]
  return all.map((error) => (isRecord(error) ? error : { message: error }))
}

/** Replaces control and direction-changing characters with spaces, and collapses spaces. */
function toPlain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function clip(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  return `${text
    .slice(0, MAX_LENGTH - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}

/** Parses a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function parseRetryAfter(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}

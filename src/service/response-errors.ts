import { isRecord } from '@signalman/runtime'
import type { Answer, Call, Exchange, Fault } from './call.ts'
import { parseIfJson } from './decode.ts'
import { ApiError, type ApiErrorKind } from './errors.ts'
import { toText } from './schema.ts'

/** Creates the error for a response that reports a failure: by its status, or in its body although the status says success. */
export function statusError(call: Call, { status, headers, bytes, wasLost }: Answer) {
  const { messages, codes } = readServiceMessage(call.redact(bytes.toString()))
  const mayQuote = !call.holdsTokens
  const [code = ''] = codes
  const codeSuffix = mayQuote && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
  return new ApiError(
    toErrorKind(status, codes),
    `${describe(call)} answered ${status}${codeSuffix}${describeStatus(status, headers)}`,
    {
      status,
      serviceMessages: mayQuote ? messages : [],
      mayHaveHappened: isWrite(call) && (wasLost || !isRejected(status)),
      isAnswered: !wasLost && isAnswered(status),
      retryAfterSeconds: parseRetryAfter(headers['retry-after'], new Date()),
    },
  )
}

/** Creates the error if no complete response arrived. */
export function faultError(
  call: Call,
  { kind, message }: Fault,
  { wasLost, maySend, status }: Exchange,
): ApiError {
  const isUncertain = maySend && !(status !== undefined && isRejected(status))
  // OpenSSL's messages end with a line break.
  return new ApiError(kind, `${describe(call)}: ${call.redact(toPlain(message))}`, {
    status,
    mayHaveHappened: isWrite(call) && (wasLost || isUncertain),
    isAnswered: !wasLost && isAnswered(status),
  })
}

/** Creates the error for a successful response with an unexpected body. Never quotes the body, because it contains data. */
export const bodyError = (call: Call, { status, wasLost }: Answer, reason: string): ApiError =>
  new ApiError('unreadable', `${describe(call)} answered ${status}, unreadable: ${reason}`, {
    status,
    mayHaveHappened: isWrite(call),
    isAnswered: !wasLost,
  })

const describe = ({ method, path }: Call): string => `${method} ${path}`

const isWrite = ({ method }: Call): boolean => method !== 'GET'

/** Whether a status means that nothing was done. */
const isRejected = (status: number): boolean => status >= 400 && status < 500 && isAnswered(status)

/** Whether a status is the service's own, so that it has finished with the request. */
const isAnswered = (status: number | undefined): boolean => status !== undefined && !GAVE_UP.includes(status)

/** With these, a proxy says that it gave up waiting; 499 is nginx's, and 460 is Amazon's. The service may still process the request. */
const GAVE_UP: readonly number[] = [408, 460, 499, 502, 503, 504]

function describeStatus(status: number, { location }: Answer['headers']): string {
  if (status < 300) return ', which reports a failure'
  if (status >= 400) return ''
  const target = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `, a redirect${target}, which is not followed`
}

/** The service documents its codes without their statuses, so unless the status is a 5xx, the code decides. */
const KIND_BY_CODE: Record<string, ApiErrorKind> = {
  UNAUTHORIZED: 'unauthorized',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not-found',
  BAD_CONTEXT: 'conflict',
  INTERNAL_SERVER_ERROR: 'unavailable',
}

const KIND_BY_STATUS: Record<number, ApiErrorKind> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  460: 'timeout',
  499: 'timeout',
  409: 'conflict',
  410: 'not-found',
  429: 'rate-limited',
}

function toErrorKind(status: number, codes: readonly string[]): ApiErrorKind {
  if (status >= 300 && status < 400) return 'unreadable'
  if (status >= 500) return 'unavailable'
  const byCode = codes.map((code) => (Object.hasOwn(KIND_BY_CODE, code) ? KIND_BY_CODE[code] : undefined))
  return byCode.find((kind) => kind !== undefined) ?? KIND_BY_STATUS[status] ?? 'rejected'
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
 * `detail`), or else a single `message`, or plain text. A page of a proxy says nothing that the status doesn't.
 */
export function readServiceMessage(text: string): ServiceMessage {
  const clean = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? clip(toPlain(String(value))) : ''
  const errors = listErrors(text)
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

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts.filter((text) => text !== ''))].slice(0, MAX_SENTENCES)

function listErrors(text: string): Record<string, unknown>[] {
  if (text.length > MAX_BODY_LENGTH) return []
  const body = parseIfJson(text)
  if (body === undefined) return text.trimStart().startsWith('<') ? [] : [{ message: text }]
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

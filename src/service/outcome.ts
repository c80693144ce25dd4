import { parseIfJson } from './decode.ts'
import { ApiError, type ApiErrorKind } from './errors.ts'
import type { Hide } from './hide.ts'
import { isRecord } from './schema.ts'
import type { Method, TransportFault, TransportFaultReason, TransportResponse } from './transport.ts'

/** What an error may contain of its request. */
export interface CallDescription {
  method: Method
  /** Without the query: what a person searched for stays out of logs. */
  path: string
  hide: Hide
  /** An earlier attempt of the same call may have taken effect. */
  earlier: boolean
}

/** The error for a non-success status. */
export function errorOfAnswer(answer: TransportResponse, text: string, about: CallDescription): ApiError {
  const { status } = answer
  const { said, codes } = readServiceMessage(text, about.hide)
  const isQuoted = !isAboutTokens(about)
  const redirect = status < 400 ? `, a redirect${describeTarget(answer)}, which is not followed` : ''
  const [code] = codes
  const named = isQuoted && code !== undefined && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
  return new ApiError(toErrorKind(status, codes), `${label(about)} answered ${status}${named}${redirect}`, {
    status,
    said: isQuoted ? said : [],
    codes: isQuoted ? codes : codes.filter((code) => Object.hasOwn(KIND_BY_CODE, code)),
    mayHaveHappened: mayHaveHappened(about, !isRejected(status)),
    retryAfterSeconds: retryAfterSeconds(answer.headers['retry-after'], new Date()),
  })
}

/** The error of an exchange without a complete answer; `spent` if the time for the whole call ran out. */
export function errorOfFault(fault: TransportFault, about: CallDescription, spent: boolean): ApiError {
  const kind = spent && fault.reason === 'stopped' ? 'timeout' : KIND_BY_REASON[fault.reason]
  const open = fault.sent && !(fault.status !== undefined && isRejected(fault.status))
  return new ApiError(kind, `${label(about)}: ${about.hide(fault.message)}`, {
    status: fault.status,
    mayHaveHappened: mayHaveHappened(about, open),
    cause: { ...fault.origin, message: about.hide(fault.origin.message) },
  })
}

/** These answers contain tokens, not all of which are known here, so they are never quoted. */
const isAboutTokens = ({ path }: Pick<CallDescription, 'path'>): boolean => path.startsWith('/auth/')

/** The error of a success with an unexpected body. It contains data, so it is never quoted. */
export function errorOfBody(reason: string, status: number, about: CallDescription): ApiError {
  return new ApiError('unreadable', `${label(about)} answered ${status}, unreadable: ${reason}`, {
    status,
    mayHaveHappened: mayHaveHappened(about, true),
  })
}

/** Whether a status means that nothing was done. A 408 may come from a server that stopped listening. */
function isRejected(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408
}

function mayHaveHappened(about: CallDescription, open: boolean): boolean {
  return about.method !== 'GET' && (open || about.earlier)
}

function describeTarget({ headers: { location } }: TransportResponse): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
}

function label({ method, path }: CallDescription): string {
  return `${method} ${path}`
}

/** The interface names codes without their status: under any 4xx, the code decides. */
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

function toErrorKind(status: number, codes: readonly string[]): ApiErrorKind {
  if (status < 400) return 'unreadable'
  if (status >= 500) return 'unavailable'
  const byCode = codes.map((code) => (Object.hasOwn(KIND_BY_CODE, code) ? KIND_BY_CODE[code] : undefined))
  return byCode.find((kind) => kind !== undefined) ?? KIND_BY_STATUS[status] ?? 'rejected'
}

/** What the service said about a failure. */
interface ServiceMessage {
  said: string[]
  codes: string[]
}

const MAX_SENTENCES = 10
const MAX_LENGTH = 300
/** A JSON body larger than this explains nothing to a person, and only the head of any other text is looked at. */
const MAX_JSON_LENGTH = 1 << 20
const MAX_TEXT_LENGTH = 1 << 16

/**
 * The sentences and codes of an error body, whatever its form: `errors` as an array or as one object, JSON:API's
 * `title` and `detail`, fields with their complaints, a lone `message`, plain text, HTML, or nothing.
 */
export function readServiceMessage(text: string, hide: (text: string) => string): ServiceMessage {
  const said = new Set<string>()
  const codes = new Set<string>()
  for (const { sentence, code } of readStatements(text)) {
    const plain = clip(hide(toPlain(sentence)))
    if (plain !== '' && said.size < MAX_SENTENCES) said.add(plain)
    const name = clip(hide(toPlain(code ?? '')))
    if (name !== '' && codes.size < MAX_SENTENCES) codes.add(name)
  }
  return { said: [...said], codes: [...codes] }
}

interface Statement {
  sentence: string
  code?: string | undefined
}

function readStatements(text: string): Statement[] {
  const body = text.length <= MAX_JSON_LENGTH ? parseIfJson(text) : undefined
  if (body === null) return []
  if (typeof body === 'string') return [{ sentence: body }]
  if (isRecord(body)) return fromBody(body)
  if (Array.isArray(body)) return body.slice(0, MAX_SENTENCES).flatMap(fromError)
  const head = text.slice(0, MAX_TEXT_LENGTH).trim()
  return [{ sentence: head.startsWith('<') ? fromHtml(head) : head }]
}

function fromBody(body: Record<string, unknown>): Statement[] {
  const found = [body.errors, body.error].flatMap((part) =>
    Array.isArray(part) ? part.slice(0, MAX_SENTENCES).flatMap(fromError) : fromError(part),
  )
  if (found.length > 0) return found
  // Next to `data`, a message is the success envelope's "OK".
  return 'data' in body ? [] : fromError(body)
}

/** One error: a sentence, an object that holds one, or an object of field names and what is wrong with each. */
function fromError(error: unknown): Statement[] {
  if (typeof error === 'string') return [{ sentence: error }]
  if (!isRecord(error)) return []
  const code = nonBlank(error.code)
  const detail = nonBlank(error.message) ?? nonBlank(error.detail) ?? nonBlank(error.error_description)
  const title = nonBlank(error.title)
  if (title !== undefined && detail !== undefined && !detail.startsWith(title)) {
    return [{ sentence: `${title}: ${detail}`, code }]
  }
  const sentence = detail ?? title
  if (sentence !== undefined || code !== undefined) return [{ sentence: sentence ?? '', code }]
  return Object.entries(error).slice(0, MAX_SENTENCES).flatMap(fromField)
}

function fromField([field, complaint]: [string, unknown]): Statement[] {
  const texts = (Array.isArray(complaint) ? complaint : [complaint]).map((part) =>
    nonBlank(isRecord(part) ? (part.message ?? part) : part),
  )
  return texts.filter((text) => text !== undefined).map((text) => ({ sentence: `${field}: ${text}` }))
}

function nonBlank(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
}

/** The title of a page, or else the text of it. */
function fromHtml(page: string): string {
  const title = /<title[^<>]{0,200}>([^<]{1,300})/i.exec(page)?.[1]?.trim()
  const shown = title || withoutMarkup(page)
  return shown.replace(/&(#39|[a-z]{2,4});/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
}

/** Scans the page once: a pattern that looks for a closing tag would scan a hostile page repeatedly. */
function withoutMarkup(page: string): string {
  const kept: string[] = []
  let hidden = ''
  for (const piece of page.split('<')) {
    const tag = /^\/?[a-z]+/i.exec(piece)?.[0].toLowerCase() ?? ''
    if (hidden === '' && (tag === 'script' || tag === 'style')) hidden = `/${tag}`
    else if (tag === hidden) hidden = ''
    if (hidden === '') kept.push(piece.slice(piece.indexOf('>') + 1))
  }
  return kept.join(' ')
}

/** Control and direction-changing characters become spaces, runs of space become one. */
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

/** Seconds named by a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!text) return undefined
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text)
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}

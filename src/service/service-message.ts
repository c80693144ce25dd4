import { parseIfJson } from './read.ts'
import { asRecord } from './scalars.ts'

/** What the service said about a failure. */
export interface ServiceMessage {
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
  for (const { sentence, code } of statementsOf(text)) {
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

function statementsOf(text: string): Statement[] {
  const body = text.length <= MAX_JSON_LENGTH ? parseIfJson(text) : undefined
  if (body === null) return []
  if (typeof body === 'string') return [{ sentence: body }]
  const record = asRecord(body)
  if (record) return fromBody(record)
  if (Array.isArray(body)) return body.slice(0, MAX_SENTENCES).flatMap(fromError)
  const head = text.slice(0, MAX_TEXT_LENGTH).trim()
  return [{ sentence: head.startsWith('<') ? fromHtml(head) : head }]
}

function fromBody(body: Record<string, unknown>): Statement[] {
  const found = [body.errors, body.error].flatMap((part) =>
    Array.isArray(part) ? part.slice(0, MAX_SENTENCES).flatMap(fromError) : fromError(part),
  )
  if (found.length > 0) return found
  // Beside `data`, a message is the success envelope's "OK".
  return 'data' in body ? [] : fromError(body)
}

/** One error: a sentence, an object that holds one, or an object of field names and what is wrong with each. */
function fromError(error: unknown): Statement[] {
  if (typeof error === 'string') return [{ sentence: error }]
  const record = asRecord(error)
  if (!record) return []
  const code = nonBlank(record.code)
  const detail = nonBlank(record.message) ?? nonBlank(record.detail) ?? nonBlank(record.error_description)
  const title = nonBlank(record.title)
  if (title !== undefined && detail !== undefined && !detail.startsWith(title)) {
    return [{ sentence: `${title}: ${detail}`, code }]
  }
  const sentence = detail ?? title
  if (sentence !== undefined || code !== undefined) return [{ sentence: sentence ?? '', code }]
  return Object.entries(record).slice(0, MAX_SENTENCES).flatMap(fromField)
}

function fromField([field, complaint]: [string, unknown]): Statement[] {
  const texts = (Array.isArray(complaint) ? complaint : [complaint]).map((part) =>
    nonBlank(asRecord(part)?.message ?? part),
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

/** Walks the page once: patterns that look for a closing tag would go over a hostile page again and again. */
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

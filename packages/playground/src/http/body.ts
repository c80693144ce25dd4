// This folder: the bodies of requests.

import type { Fields } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'

/** Slack's error codes for a body that can't be parsed (https://docs.slack.dev/apis/web-api, November 2026). */
export type BodyError =
  | 'invalid_json'
  | 'json_not_object'
  | 'invalid_charset'
  | 'invalid_form_data'
  | 'invalid_post_type'
  | 'missing_post_type'

async function parseMultipart(contentType: string, body: Buffer): Promise<Fields | BodyError> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData()
    const textFields = [...form].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    return Object.fromEntries(textFields)
  } catch {
    return 'invalid_form_data'
  }
}

const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''
const readCharset = (contentType: string): string | undefined =>
  /;\s*charset=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase()

const FORM_TYPES: readonly string[] = ['application/x-www-form-urlencoded', 'multipart/form-data']

export const isJsonType = (contentType: string): boolean => mediaType(contentType) === 'application/json'

/**
 * Slack's warning about a `Content-Type`: forms need no charset, and everything else needs one
 * (https://medium.com/slack-developer-blog/well-wishes-and-warnings-in-the-web-api-489456837220, November 2026).
 */
export function findCharsetWarning(contentType: string): string | undefined {
  const hasCharset = readCharset(contentType) !== undefined
  if (FORM_TYPES.includes(mediaType(contentType))) return hasCharset ? 'superfluous_charset' : undefined
  return contentType === '' || hasCharset ? undefined : 'missing_charset'
}

/** The charsets that Slack accepts (`invalid_charset`, https://docs.slack.dev/reference/methods/chat.postMessage, November 2026). */
const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  'utf-8': 'utf8',
  utf8: 'utf8',
  'iso-8859-1': 'latin1',
}

function parseForm(text: string): Fields | BodyError {
  // JSON that was sent as a form would become a single argument with an odd name.
  return isFields(parseJson(text)) ? 'invalid_form_data' : Object.fromEntries(new URLSearchParams(text))
}

function parseJsonObject(text: string): Fields | BodyError {
  const parsed = parseJson(text)
  if (parsed === undefined) return 'invalid_json'
  return isFields(parsed) ? parsed : 'json_not_object'
}

/** Parses a request's JSON object or form, or returns Slack's error code. */
export async function readBody(contentType: string, body: unknown): Promise<Fields | BodyError> {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const type = mediaType(contentType)
  if (type === '') return 'missing_post_type'
  const encoding = ENCODINGS[readCharset(contentType) ?? 'utf-8']
  if (encoding === undefined) return 'invalid_charset'
  if (type === 'application/json') return parseJsonObject(body.toString(encoding))
  if (type === 'application/x-www-form-urlencoded') return parseForm(body.toString(encoding))
  if (type === 'multipart/form-data') return parseMultipart(contentType, body)
  // Slack accepts text/plain and then reads only the arguments in the URL.
  return type === 'text/plain' ? {} : 'invalid_post_type'
}

/**
 * Like `readBody`, for endpoints without Slack's error codes. Returns undefined if the body is neither a form nor a JSON object.
 */
export function readFields(contentType: string, body: unknown): Fields | undefined {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : ''
  if (text === '') return {}
  if (contentType.includes('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text))
  const parsed = parseJson(text)
  return isFields(parsed) ? parsed : undefined
}

/** Returns an uploaded file's bytes: the whole body, or for a multipart body (as sent by Slack's SDK), its only part. */
export function readUpload(contentType: string, body: Buffer): Buffer {
  const boundary = /multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (!boundary) return body
  const start = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf(`\r\n--${boundary}`)
  return start < 0 || end < start ? body : body.subarray(start + 4, end)
}

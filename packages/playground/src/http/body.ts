// This folder: the bodies of requests.

import type { Fields } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'

/** Slack's error codes for a body that can't be parsed (https://docs.slack.dev/apis/web-api, November 2026). */
export type BodyError =
  | 'invalid_json'
  | 'json_not_object'
  | 'invalid_form_data'
  | 'invalid_post_type'
  | 'missing_post_type'

const mediaType = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? ''
export const isJsonType = (contentType: string): boolean => mediaType(contentType) === 'application/json'

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
export function readBody(contentType: string, body: unknown): Fields | BodyError {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const type = mediaType(contentType)
  if (type === '') return 'missing_post_type'
  if (type === 'application/json') return parseJsonObject(body.toString('utf8'))
  return type === 'application/x-www-form-urlencoded' ? parseForm(body.toString('utf8')) : 'invalid_post_type'
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

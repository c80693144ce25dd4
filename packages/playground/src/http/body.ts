// This folder: the bodies of requests.

import type { Fields } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'

/** Parses a request's form or JSON object. Returns undefined if the body is neither. */
export function readFields(contentType: string, body: unknown): Fields | undefined {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : ''
  if (text === '') return {}
  if (contentType.includes('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text))
  const parsed = parseJson(text)
  return isFields(parsed) ? parsed : undefined
}

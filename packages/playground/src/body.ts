import { isFields, parseJson } from './json.ts'
import type { Fields } from './protocol.ts'

/** A request's body as fields: JSON objects and forms; undefined for anything else. Bodies arrive as bytes. */
export function readFields(contentType: string, body: unknown): Fields | undefined {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : ''
  if (text === '') return {}
  if (contentType.includes('application/json')) {
    const parsed = parseJson(text)
    return isFields(parsed) ? parsed : undefined
  }
  if (contentType.includes('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text))
  return undefined
}

/** The bytes of an uploaded file: the body as it is, or the one part of a multipart body, as Slack's SDK sends it. */
export function readUpload(contentType: string, body: Buffer): Buffer {
  const boundary = /multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (!boundary) return body
  const start = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf(`\r\n--${boundary}`)
  return start < 0 || end < start ? body : body.subarray(start + 4, end)
}

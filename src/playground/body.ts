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

/** The bytes of the file in a multipart body, as SDKs upload it: the part that has a file name, or the only part. */
export function readUpload(contentType: string, body: Buffer): Buffer {
  const boundary = /multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (!boundary) return body
  const start = body.indexOf('\r\n\r\n')
  const end = body.lastIndexOf(`\r\n--${boundary}`)
  return start < 0 || end < start ? body : body.subarray(start + 4, end)
}

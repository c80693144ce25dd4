import type { Body, Decode } from '../../src/service/decode.ts'
import { ParseIssueCollector, type ParseIssues } from '../../src/service/parse-issues.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'

export function decodeBody<T>(decode: Decode<T>, content: Buffer | string, mediaType = ''): T {
  const bytes = Buffer.from(content)
  const body: Body = { bytes, mediaType, text: () => bytes.toString() }
  return decode(body, new ParseIssueCollector())
}

/** Decodes a response of the service. Also returns which values couldn't be read. */
export function readResponse<T>(decode: Decode<T>, body: unknown): { value: T; issues: ParseIssues } {
  const issues = new ParseIssueCollector()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { value: decode({ bytes: Buffer.from(text), mediaType: '', text: () => text }, issues), issues }
}

export const readEvent = (body: Record<string, unknown>): ThreatEvent =>
  readThreatEvent(body, new ParseIssueCollector())

/** A documented body as it is read: in camel case or as `renamed`, and with the dates of events as dates. */
export function toRead(part: unknown, renamed: Readonly<Record<string, string>> = {}, name = ''): unknown {
  if (/(?:date|since)$/.test(name)) return new Date(String(part))
  if (Array.isArray(part)) return part.map((each) => toRead(each, renamed))
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).map(([key, value]) => [
    renamed[key] ?? key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    toRead(value, renamed, key),
  ])
  return Object.fromEntries(entries)
}

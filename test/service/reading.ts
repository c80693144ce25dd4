import type { Body, Decode } from '../../src/service/decode.ts'
import { ParseIssueCollector, type ParseIssues } from '../../src/service/parse-issues.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'

/** Decodes a body of these bytes or this text. */
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

export function readEvent(body: Record<string, unknown>): ThreatEvent {
  const event = readThreatEvent(body, new ParseIssueCollector())
  if (!event) throw new Error('The body has no threat event.')
  return event
}

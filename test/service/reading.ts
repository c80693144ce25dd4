import type { Decode } from '../../src/service/decode.ts'
import { ParseIssueCollector, type ParseIssues } from '../../src/service/parse-issues.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'

/** Creates the options for decoding a response without redacting anything. */
export const createDecodeContext = () => ({
  redact: (text: string): string => text,
  issues: new ParseIssueCollector(),
})

/** Decodes a response of the service. Also returns which values couldn't be read. */
export function readResponse<T>(decode: Decode<T>, body: unknown): { value: T; issues: ParseIssues } {
  const context = createDecodeContext()
  return {
    value: decode(typeof body === 'string' ? body : JSON.stringify(body), context),
    issues: context.issues,
  }
}

export function readEvent(body: Record<string, unknown>): ThreatEvent {
  const event = readThreatEvent(body, createDecodeContext())
  if (!event) throw new Error('The body has no threat event.')
  return event
}

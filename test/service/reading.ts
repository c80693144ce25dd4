import type { Decode } from '../../src/service/decode.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'
import { type Unread, UnreadParts } from '../../src/service/unread.ts'

/** What goes with the reading of an answer that hides nothing. */
export const readContext = () => ({ hide: (text: string): string => text, unread: new UnreadParts() })

/** An answer read as it comes from the service, and what of it could not be read. */
export function reading<T>(decode: Decode<T>, body: unknown): { value: T; unread: Unread } {
  const context = readContext()
  return {
    value: decode(typeof body === 'string' ? body : JSON.stringify(body), context),
    unread: context.unread,
  }
}

export function threatEventOf(body: Record<string, unknown>): ThreatEvent {
  const event = readThreatEvent(body, readContext())
  if (!event) throw new Error('no event can be read from it')
  return event
}

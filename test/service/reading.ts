import type { Decode } from '../../src/service/decode.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'
import { type Unread, UnreadParts } from '../../src/service/unread.ts'

/** Options for reading a response without hiding anything. */
export const readContext = () => ({ hide: (text: string): string => text, unread: new UnreadParts() })

/** A parsed response of the service, and the parts that couldn't be read. */
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

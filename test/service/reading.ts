import type { Decode } from '../../src/service/decode.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/service/threat-event.ts'
import { type Unread, UnreadParts } from '../../src/service/unread.ts'

/** Creates the options for decoding a response without hiding anything. */
export const createDecodeContext = () => ({ hide: (text: string): string => text, unread: new UnreadParts() })

/** Decodes a response of the service. Also returns the parts that couldn't be read. */
export function readResponse<T>(decode: Decode<T>, body: unknown): { value: T; unread: Unread } {
  const context = createDecodeContext()
  return {
    value: decode(typeof body === 'string' ? body : JSON.stringify(body), context),
    unread: context.unread,
  }
}

export function readEvent(body: Record<string, unknown>): ThreatEvent {
  const event = readThreatEvent(body, createDecodeContext())
  if (!event) throw new Error('The body has no threat event.')
  return event
}

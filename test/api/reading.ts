import { Fields, type Unread, UnreadParts } from '../../src/api/fields.ts'
import type { Read } from '../../src/api/read.ts'
import { readThreatEvent, type ThreatEvent } from '../../src/api/threat-event.ts'

/** What goes with the reading of an answer that hides nothing. */
export const readContext = () => ({ hide: (text: string): string => text, unread: new UnreadParts() })

/** An answer read as it comes from the service, and what of it could not be read. */
export function reading<T>(read: Read<T>, body: unknown): { value: T; unread: Unread } {
  const context = readContext()
  return {
    value: read(typeof body === 'string' ? body : JSON.stringify(body), context),
    unread: context.unread,
  }
}

export const threatEventOf = (body: Record<string, unknown>): ThreatEvent =>
  readThreatEvent(new Fields(body, readContext()))

import { z } from 'zod'
import type { Http } from './http.ts'
import { asRecord } from './parts.ts'
import { path } from './path.ts'
import { json } from './read.ts'
import { readThreatEvent, type ThreatEvent } from './threat-event.ts'

/** Any object will do: every part of an event is optional. It comes bare, unlike the other resources' `data`. */
export const ThreatAnswer = z.compile(
  z.record(z.string(), z.unknown()).transform((body) => readThreatEvent(asRecord(body.data) ?? body)),
)

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  const readOne = json(ThreatAnswer)
  return {
    /** Every text in the event is outside text, often an attacker's. */
    get: async (id: string, signal?: AbortSignal): Promise<ThreatEvent> =>
      http.get(path`/cti/v2/events/${id}`, { read: readOne, signal }),
  }
}

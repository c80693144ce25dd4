import type { Http } from './http.ts'
import { SERVICE_LIMITS } from './limits.ts'
import { path } from './path.ts'
import { json } from './read.ts'
import { asRecord } from './scalars.ts'
import { type PageFile, readImage, readPageSource } from './screenshots.ts'
import { readThreatEvent, type ThreatEvent } from './threat-event.ts'

/** Any object will do: every part of an event is optional. It comes bare, unlike the other resources' `data`. */
export const readEvent = json((body, at) => readThreatEvent(asRecord(asRecord(body)?.data) ?? body, at))

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  return {
    /** Every text in the event is outside text, often an attacker's. */
    get: async (id: string, signal?: AbortSignal): Promise<ThreatEvent> =>
      http.get(path`/cti/v2/events/${{ id }}`, { read: readEvent, signal }),
    /** The picture at an address that an event names: PNG, JPEG or GIF, from the service's own origin only. */
    screenshot: async (address: string, signal?: AbortSignal): Promise<PageFile> =>
      http.download(address, {
        accept: 'image/png, image/jpeg, image/gif',
        maxBytes: SERVICE_LIMITS.screenshotBytes,
        read: readImage,
        signal,
      }),
    /** The page's source at an address that an event names: text, from the service's own origin only. */
    pageSource: async (address: string, signal?: AbortSignal): Promise<PageFile> =>
      http.download(address, {
        accept: 'text/html, text/plain, application/xhtml+xml',
        maxBytes: SERVICE_LIMITS.sourceBytes,
        read: readPageSource,
        signal,
      }),
  }
}

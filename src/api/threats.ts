import type { Http } from './http.ts'
import { path } from './path.ts'
import { json } from './read.ts'
import { type Capture, readImage, readPageSource } from './screenshots.ts'
import { readThreatEvent, type ThreatEvent } from './threat-event.ts'

/** A whole page at a phone's resolution has a few; Slack takes more than either. */
const MAX_SCREENSHOT_BYTES = 8 * 1024 * 1024
const MAX_SOURCE_BYTES = 4 * 1024 * 1024

/** Any object will do: every part of an event is optional. It comes bare, unlike the other resources' `data`. */
export const readEvent = json((body) => readThreatEvent(body.unwrapped('data') ?? body))

export type Threats = ReturnType<typeof threats>

/** The calls on threat events. Each throws ApiError. */
export function threats(http: Http) {
  return {
    /** Every text in the event is outside text, often an attacker's. */
    get: async (id: string, signal?: AbortSignal): Promise<ThreatEvent> =>
      http.get(path`/cti/v2/events/${{ id }}`, { read: readEvent, signal }),
    /** The picture at an address that an event names: PNG, JPEG or GIF, at most 8 MiB, from the service's own origin only. */
    screenshot: async (address: string, signal?: AbortSignal): Promise<Capture> =>
      http.download(address, {
        accept: 'image/png, image/jpeg, image/gif',
        maxBytes: MAX_SCREENSHOT_BYTES,
        read: readImage,
        signal,
      }),
    /** The page's source at an address that an event names: text, at most 4 MiB, from the service's own origin only. */
    pageSource: async (address: string, signal?: AbortSignal): Promise<Capture> =>
      http.download(address, {
        accept: 'text/html, text/plain, application/xhtml+xml',
        maxBytes: MAX_SOURCE_BYTES,
        read: readPageSource,
        signal,
      }),
  }
}

import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { createShortCache } from '../../../domain/short-cache.ts'
import { ownAddress, safeDomain } from '../defang.ts'
import type { Reading } from '../event-ids/shared-readings.ts'
import { altTextOf } from './screenshots.ts'

/** A screenshot that was uploaded to Slack for the app's own messages. */
export interface Picture {
  fileId: string
  altText: string
}

/** The screenshots of events, for cards. */
export interface Pictures {
  /** The picture; undefined when there is none, it cannot be fetched, or it takes longer than a card may wait. */
  of(
    context: CommandContext,
    about: { id: string; reading: Reading; origin: string },
  ): Promise<Picture | undefined>
}

/** Long enough for a quick service and Slack; after that the card is shown without its picture. */
const PATIENCE_MS = 700
const FRESH_MS = 10 * 60_000
/** A failure is kept for a short while; later the picture is fetched again. */
const FAILED_MS = 20_000
const KEPT = 500

/** Uploads each screenshot to Slack once for all people of a workspace who look at its event within ten minutes. */
export function createPictures(now: () => Date, patienceMs = PATIENCE_MS): Pictures {
  const files = createShortCache<string>({ freshMs: FRESH_MS, failedMs: FAILED_MS, kept: KEPT, now })

  async function bring(
    context: CommandContext,
    id: string,
    address: string,
    altText: string,
  ): Promise<string> {
    // Others wait for this one too, so it does not end with the first person's request.
    const { threats } = await context.api(context.environment, { shared: true })
    const [slack, { bytes, type }] = await Promise.all([context.slack(), threats.screenshot(address)])
    return slack.keepPicture({
      name: `threat-${id}-screenshot.${type}`,
      title: `Screenshot of threat event ${id}`,
      body: bytes,
      bytes: bytes.length,
      altText,
    })
  }

  return {
    async of(context, { id, reading, origin }) {
      const { event } = reading.redacted
      const address = ownAddress(reading.fullEvent.observedData?.website?.screenshotResourceUrl ?? '', origin)
      if (!address) return undefined
      const altText = altTextOf(event, event.domain ? safeDomain(event.domain, 120) : id)
      const key = `${context.workspaceId} ${context.environment} ${id} ${address}`
      const brought = files.get(key, () => bring(context, id, address, altText)).catch(() => undefined)
      const fileId = await Promise.race([brought, waited(patienceMs)])
      return fileId === undefined ? undefined : { fileId, altText }
    },
  }
}

function waited(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms).unref())
}

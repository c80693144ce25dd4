// This folder shows a screenshot of a reported site.

import { createShortCache, UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type {
  CommandContext,
  Messaging,
  Requester,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import { ApiError } from '../../../service/errors.ts'
import type { PageFile } from '../../../service/screenshots.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { normalizeServiceUrl, safeDomain, safeUrl } from '../rules/defang.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import { sendEventFiles } from '../send-files.ts'

/** A kind of file that the service stores about a page: its screenshot or its source. */
interface PageFileKind {
  noun: string
  getAddress(event: ThreatEvent): string | undefined
  fetch(context: CommandContext, address: string): Promise<PageFile>
  /** The accepted format, for error messages. */
  format: string
}

export const SCREENSHOT: PageFileKind = {
  noun: 'screenshot',
  getAddress: ({ observedData }) => observedData?.website?.screenshotResourceUrl,
  fetch: async (context, address) => (await context.api()).threats.screenshot(address),
  format: 'a PNG, JPEG, or GIF image of at most 8 MB',
}

export const PAGE_SOURCE: PageFileKind = {
  noun: 'page source',
  getAddress: ({ observedData }) => observedData?.website?.sourceResourceUrl,
  fetch: async (context, address) => (await context.api()).threats.pageSource(address),
  format: 'a text file of at most 4 MB',
}

/** A request for a file of an event's page. `origin` is the origin of the service. */
interface PageFileRequest {
  context: CommandContext
  id: string
  loadedEvent: LoadedEvent
  origin: string
}

/**
 * Sends a file of the page to the person who asks. It's fetched only from the service's own `origin`. Throws UserError if it can't be
 * fetched.
 */
export async function sendPageFile(
  kind: PageFileKind,
  { context, id, loadedEvent, origin }: PageFileRequest,
): Promise<Message> {
  const { noun } = kind
  const { fullEvent } = loadedEvent
  const address = kind.getAddress(fullEvent)
  if (!address) throw new UserError(`Threat event ${id} has no ${noun}.`)
  const serviceUrl = normalizeServiceUrl(address, origin)
  if (!serviceUrl)
    throw new UserError(
      `The ${noun} is at ${safeUrl(address)}, which isn’t the service’s address, so Signalman doesn’t download it.`,
    )
  const { bytes, type } = await kind.fetch(context, serviceUrl).catch((error: unknown) => {
    throw explainFetchError(error, kind)
  })
  const subject = describeSubject(fullEvent, id)
  return sendEventFiles(context, `The ${noun} of ${subject}.`, [
    {
      name: `threat-${id}-${noun.replace(' ', '-')}.${type}`,
      title: `${kind === SCREENSHOT ? 'Screenshot' : 'Page source'} of threat event ${id}`,
      body: bytes,
      ...(kind === SCREENSHOT && { altText: formatAltText(subject) }),
    },
  ])
}

/** The domain of an event, safe to show, or its ID. */
export const describeSubject = ({ domain }: ThreatEvent, id: string): string =>
  domain ? safeDomain(domain, 120) : id

/** Describes the screenshot without its content, which is the attacker's. */
export const formatAltText = (subject: string): string =>
  `Screenshot of the page at ${subject}, taken by the service.`

function explainFetchError(error: unknown, { noun, format }: PageFileKind): unknown {
  if (!(error instanceof ApiError)) return error
  const { status = 0, kind } = error
  const { happened, serviceMessages } = explain(error)
  const failed = `The ${noun} couldn’t be fetched.`
  if (status >= 300 && status < 400)
    return new UserError(
      `${failed} The service redirects to another address. Signalman doesn’t follow redirects.`,
    )
  if (kind === 'unreadable') return new UserError(`${failed} The service didn’t send ${format}.`)
  return new UserError([failed, happened, ...quoteService(serviceMessages)].join(' '))
}

/** A screenshot that was uploaded to Slack. */
interface Picture {
  fileId: string
  altText: string
}

/** The screenshots of events, for Details. */
export type Pictures = ReturnType<typeof createPictures>

/** How long Details waits for the screenshot. */
const PICTURE_TIMEOUT_MS = 1500
const CACHE_MS = 10 * 60_000
/** How long a failure is cached before the screenshot is fetched again. */
const FAILURE_CACHE_MS = 20_000
const MAX_CACHED = 500

/** Uploads each screenshot to Slack once for everyone in a workspace who opens its event within ten minutes. */
export function createPictures(now: () => Date) {
  const files = createShortCache<string>({
    freshMs: CACHE_MS,
    failedMs: FAILURE_CACHE_MS,
    maxEntries: MAX_CACHED,
    now,
  })

  /** Returns the ID of the file. */
  async function upload(
    context: ServiceAccess & Messaging,
    id: string,
    address: string,
    altText: string,
  ): Promise<string> {
    const { threats } = await context.api()
    const slack = await context.slack()
    const { bytes, type } = await threats.screenshot(address)
    return slack.uploadPicture({
      name: `threat-${id}-screenshot.${type}`,
      title: `Screenshot of threat event ${id}`,
      body: bytes,
      bytes: bytes.length,
      altText,
    })
  }

  return {
    /** The screenshot, or a sentence that says why it isn't shown. Undefined if the event has none that may be fetched. */
    async find(
      context: Requester & ServiceAccess & Messaging,
      { id, loadedEvent, origin }: Omit<PageFileRequest, 'context'>,
    ): Promise<Picture | string | undefined> {
      const { fullEvent } = loadedEvent
      const address = normalizeServiceUrl(SCREENSHOT.getAddress(fullEvent) ?? '', origin)
      if (!address) return undefined
      const altText = formatAltText(describeSubject(fullEvent, id))
      const key = `${context.workspaceId} ${context.environment} ${id} ${address}`
      const uploaded = files
        .get(key, () => upload(context, id, address, altText))
        .then(
          (fileId): Picture => ({ fileId, altText }),
          (error: unknown) => `The screenshot couldn’t be fetched. ${explain(error).happened}`,
        )
      return Promise.race([uploaded, waitUntilTimeout(PICTURE_TIMEOUT_MS)])
    },
  }
}

const NOT_YET = 'The screenshot is still loading. To see it, open Details again.'

const waitUntilTimeout = (ms: number): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve(NOT_YET), ms).unref())

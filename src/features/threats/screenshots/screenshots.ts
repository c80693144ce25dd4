// This folder sends the screenshot and the source of a reported site.

import { UserError } from '@signalman/runtime'
import type { Message } from '@signalman/slack'
import { explain, quoteService } from '../../../bot/request/explain.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { ApiError } from '../../../service/errors.ts'
import type { PageFile } from '../../../service/screenshots.ts'
import type { ThreatEvent } from '../../../service/threat-event.ts'
import { normalizeServiceUrl, safeDomain, safeUrl } from '../rules/defang.ts'
import type { LoadedEvent } from '../rules/shown-event.ts'
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
  format: 'a PNG, JPEG, or GIF image of at most 8 MB and 100 million pixels',
}

export const PAGE_SOURCE: PageFileKind = {
  noun: 'page source',
  getAddress: ({ observedData }) => observedData?.website?.sourceResourceUrl,
  fetch: async (context, address) => (await context.api()).threats.pageSource(address),
  format: 'a text file of at most 4 MB',
}

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
  if (!address) throw new UserError(`Threat event ${id} has no ${noun} that Signalman can read.`)
  const serviceUrl = normalizeServiceUrl(address, origin)
  if (!serviceUrl)
    throw new UserError(
      `The ${noun} is at ${safeUrl(address)}, which isn’t the service’s address, so Signalman doesn’t download it.`,
    )
  const { bytes, type } = await kind.fetch(context, serviceUrl).catch((error: unknown) => {
    throw explainFetchError(error, kind)
  })
  const subject = fullEvent.domain ? safeDomain(fullEvent.domain, 120) : id
  return sendEventFiles(context, `The ${noun} of ${subject}.`, [
    {
      name: `threat-${id}-${noun.replace(' ', '-')}.${type}`,
      title: `${kind === SCREENSHOT ? 'Screenshot' : 'Page source'} of threat event ${id}`,
      body: bytes,
      // Without the picture's content, which is the attacker's.
      ...(kind === SCREENSHOT && { altText: `Screenshot of the page at ${subject}, taken by the service.` }),
    },
  ])
}

function explainFetchError(error: unknown, { noun, format }: PageFileKind): unknown {
  if (!(error instanceof ApiError)) return error
  const { happened, serviceMessages } = explain(error)
  const failed = `The ${noun} couldn’t be fetched.`
  if (error.kind === 'unreadable') return new UserError(`${failed} The service didn’t send ${format}.`)
  return new UserError([failed, happened, ...quoteService(serviceMessages)].join(' '))
}

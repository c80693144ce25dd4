import type { KnownBlock } from '@slack/types'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal, Routes, Verb } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { ownAddress } from '../defang.ts'
import { overviewOf } from '../details/overview.ts'
import { readPage } from '../details/page.ts'
import {
  commentsWindow,
  type DetailsOffers,
  detailsWindow,
  dnsWindow,
  type OpenedDetails,
  websiteWindow,
  whoisWindow,
} from '../details/views.ts'
import { type Reading, readEvent } from '../event-ids/read-events.ts'
import { hostOf } from '../indicators/values.ts'
import { copyWindow } from '../indicators/views.ts'
import { parseId } from '../parse.ts'
import { isPrivy, refuseGuests } from '../privacy/asking.ts'
import { isRecordOdd } from '../privacy/owner-names.ts'
import type { ThreatTools } from './show.ts'

/** What a verb on one event gets. */
export interface One {
  context: CommandContext
  id: string
  reading: Reading
  origin: string
  args: Arguments
}

type VerbOnOne = Partial<Pick<Verb, 'usage' | 'flags' | 'opens' | 'acts' | 'isPersonal'>>

/** Adds verbs on one event: each reads the event and puts that into the audit log under the verb's own name. */
export const verbsOnOne =
  (routes: Routes, { reader, originOf }: ThreatTools, command: 'threat') =>
  (verb: string, does: string, options: VerbOnOne, run: (one: One) => ReturnType<Verb['run']>): void =>
    routes.verb({
      command,
      verb,
      does,
      usage: `${verb} ID`,
      needs: 'viewer',
      ...options,
      async run(context, args) {
        const id = parseId(verb, args.words)
        const name = `/threat ${verb}`
        if (options.isPersonal) await refuseGuests(context, name, id)
        const reading = await readEvent(reader, context, name, id)
        return run({ context, id, reading, origin: originOf(context.environment), args })
      },
    })

/** The verbs that open a window on one event. */
export function detailsCommands(routes: Routes, threats: ThreatTools): void {
  const add = verbsOnOne(routes, threats, 'threat')
  const window = { opens: 'to-read' } as const
  const paged = { ...window, flags: { page: 'value' } } as const
  add('details', 'Everything an event says, without personal data', window, (one) => details(threats, one))
  add('dns', 'All DNS records of an event', paged, async (one) => dnsWindow(opened(one)))
  add('comments', 'All comments on an event', paged, async (one) => commentsWindow(opened(one)))
  add('website', 'What an event says of the website, in full', paged, async (one) =>
    websiteWindow(opened(one)),
  )
  add(
    'whois',
    'The WHOIS record with the personal data of the owner, for your eyes only',
    { ...paged, isPersonal: true },
    async (one) => whoisWindow({ ...opened(one), event: one.reading.fullEvent }),
  )
  add('copy', 'The real values, to be copied, for your eyes only', window, async (one) =>
    copyWindow(opened(one)),
  )
}

function opened({ context, id, reading, origin, args: { flags } }: One): OpenedDetails {
  const { environment, now } = context
  return { id, event: reading.redacted.event, origin, now, environment, page: readPage(flags.page) }
}

async function details({ pictures }: ThreatTools, { context, id, reading, origin }: One): Promise<Modal> {
  const { fullEvent, redacted } = reading
  const mayAll = await isPrivy(context)
  const { website, whois } = fullEvent.observedData ?? {}
  const isOwn = (address: string | undefined): boolean =>
    mayAll && address !== undefined && ownAddress(address, origin) !== undefined
  const offers: DetailsOffers = {
    whois: mayAll && (whois !== undefined || isRecordOdd(fullEvent)),
    screenshot: isOwn(website?.screenshotResourceUrl),
    source: isOwn(website?.sourceResourceUrl),
    kit: mayAll,
    watch: hostOf(redacted.event.domain) ? `/threat watch ${id}` : undefined,
  }
  const picture = offers.screenshot ? await pictures.of(context, { id, reading, origin }) : undefined
  const shown: KnownBlock | undefined = picture && {
    type: 'image',
    slack_file: { id: picture.fileId },
    alt_text: picture.altText,
  }
  const overview = overviewOf(redacted, { id, now: context.now, origin })
  return detailsWindow(overview, { offers, picture: shown, environment: context.environment })
}

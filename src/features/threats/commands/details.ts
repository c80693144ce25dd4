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

/** Adds a verb on one event: it reads the event and puts that into the audit log under the verb's own name. */
export function verbOnOne(
  routes: Routes,
  { reader, originOf }: ThreatTools,
  verb: Pick<Verb, 'command' | 'verb' | 'usage' | 'does' | 'flags' | 'opens' | 'acts' | 'isPersonal'>,
  run: (one: One) => ReturnType<Verb['run']>,
): void {
  routes.verb({
    needs: 'viewer',
    ...verb,
    async run(context, args) {
      const id = parseId(verb.verb, args.words)
      const name = `/threat ${verb.verb}`
      if (verb.isPersonal) await refuseGuests(context, name, id)
      const reading = await readEvent(reader, context, name, id)
      return run({ context, id, reading, origin: originOf(context.environment), args })
    },
  })
}

/** The verbs that open a window on one event. */
export function detailsCommands(routes: Routes, threats: ThreatTools): void {
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'details',
      usage: 'details ID',
      does: 'Everything an event says, without personal data',
      opens: 'to-read',
    },
    (one) => details(threats, one),
  )
  paged(routes, threats, 'dns', 'All DNS records of an event', dnsWindow)
  paged(routes, threats, 'comments', 'All comments on an event', commentsWindow)
  paged(routes, threats, 'website', 'What an event says of the website, in full', websiteWindow)
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'whois',
      usage: 'whois ID',
      does: 'The WHOIS record with the personal data of the owner, for your eyes only',
      opens: 'to-read',
      flags: { page: 'value' },
      isPersonal: true,
    },
    async (one) => whoisWindow({ ...opened(one), event: one.reading.fullEvent }),
  )
  verbOnOne(
    routes,
    threats,
    {
      command: 'threat',
      verb: 'copy',
      usage: 'copy ID',
      does: 'The real values, to be copied, for your eyes only',
      opens: 'to-read',
    },
    async (one) => copyWindow(opened(one)),
  )
}

function opened({ context, id, reading, origin, args: { flags } }: One): OpenedDetails {
  const { environment, now } = context
  return { id, event: reading.redacted.event, origin, now, environment, page: readPage(flags.page) }
}

function paged(
  routes: Routes,
  threats: ThreatTools,
  verb: string,
  does: string,
  window: (opened: OpenedDetails) => Modal,
): void {
  const flags = { page: 'value' } as const
  verbOnOne(
    routes,
    threats,
    { command: 'threat', verb, usage: `${verb} ID`, does, opens: 'to-read', flags },
    async (one) => window(opened(one)),
  )
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

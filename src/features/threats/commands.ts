import type { ThreatEvent } from '../../api/threat-event.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Modal, Routes, Verb } from '../../bot/routes/routes.ts'
import type { Arguments } from '../../bot/typed/command-line.ts'
import type { Environment } from '../../domain/environment.ts'
import { Question } from '../../errors.ts'
import { threatCard } from './card/card.ts'
import { threatsView } from './card/views.ts'
import { safeDomain } from './defang.ts'
import { readPage } from './details/page.ts'
import { commentsWindow, dnsWindow, type OpenedDetails, websiteWindow, whoisWindow } from './details/views.ts'
import { lookUp, lookUpOne } from './event-ids/look-up.ts'
import { lineForMessage } from './event-ids/message-ids.ts'
import { createReader } from './event-ids/reader.ts'
import { exportOf, FORMATS, type Format } from './indicators/export.ts'
import { copyWindow } from './indicators/views.ts'
import { nextOf, parseId, parseIds, strangersNote } from './parse.ts'
import { PAGE_SOURCE, SCREENSHOT, sendCapture } from './screenshots/screenshots.ts'
import { sendFiles } from './send-files.ts'

/** What all cards of an answer have together; Slack takes some 13,000 characters with what stands around them. */
const ROOM = 11_500

interface Parts {
  /** The service's addresses: an event may name resources there, and only those are linked and fetched. */
  baseUrls: Readonly<Record<Environment, string>>
  now?: () => Date
}

interface One {
  ask: CommandContext
  id: string
  event: ThreatEvent
  origin: string
  args: Arguments
}

/** `/threat ID…`, what can be done with one event, and the entry of the message menu. */
export function threatCommands(routes: Routes, { baseUrls, now = () => new Date() }: Parts): void {
  const reader = createReader(now)
  const originOf = (environment: Environment): string => new URL(baseUrls[environment]).origin

  routes.verb({
    command: 'threat',
    verb: '',
    usage: 'ID… [--whois]',
    does: 'Show threat events, safe to look at; ids in any form. --whois: with the personal data of the WHOIS record',
    needs: 'viewer',
    shares: 'guarded',
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    takesWords: true,
    flags: { whois: 'switch', personal: 'switch' },
    async run(ask, { words, flags }) {
      const { ids, behind, strangers } = parseIds(words)
      if (flags.share && flags.whois && !flags.personal) throw personalToo(ids)
      const typed = flags.whois ? '/threat --whois' : '/threat'
      const { found, missed } = await lookUp(reader, ask, typed, ids)
      const frame = {
        now: ask.now,
        origin: originOf(ask.environment),
        room: ROOM / found.length,
        personal: flags.whois === true,
      }
      const cards = found.map(({ id, event }) => threatCard(event, { ...frame, id }))
      const { remarks, offers } = nextOf(behind, flags.whois ? ' --whois' : '')
      return threatsView(cards, [...missed, ...strangersNote(strangers), ...remarks], ask.environment, offers)
    },
  })

  /** A verb on one event: it is read, and put into the audit log under the verb's own name. */
  function onOne(
    verb: Pick<Verb, 'verb' | 'usage' | 'does' | 'flags' | 'opens' | 'acts'>,
    act: (one: One) => ReturnType<Verb['run']>,
  ) {
    routes.verb({
      command: 'threat',
      needs: 'viewer',
      ...verb,
      async run(ask, args) {
        const id = parseId(verb.verb, args.words)
        const event = await lookUpOne(reader, ask, `/threat ${verb.verb}`, id)
        return act({ ask, id, event, origin: originOf(ask.environment), args })
      },
    })
  }

  const paged = (verb: string, does: string, window: (opened: OpenedDetails) => Modal): void =>
    onOne(
      { verb, usage: `${verb} ID`, does, opens: true, flags: { page: 'value' } },
      async ({ ask, id, event, origin, args: { flags } }) =>
        window({ id, event, origin, now: ask.now, environment: ask.environment, page: readPage(flags.page) }),
    )

  paged('whois', 'The WHOIS record with the personal data of the owner, for your eyes only', whoisWindow)
  paged('dns', 'All DNS records of an event', dnsWindow)
  paged('comments', 'All comments on an event', commentsWindow)
  paged('website', 'What an event says of the website, in full', websiteWindow)

  onOne(
    {
      verb: 'copy',
      usage: 'copy ID',
      does: 'The real values, to be copied, for your eyes only',
      opens: true,
    },
    async ({ ask, id, event }) => copyWindow({ id, event, environment: ask.environment }),
  )

  onOne(
    {
      verb: 'export',
      usage: `export ID [--format ${FORMATS.join('|')}]`,
      does: 'The indicators as files, to your direct messages: CSV and a STIX 2.1 bundle',
      flags: { format: FORMATS },
      acts: true,
    },
    async ({ ask, id, event, args: { flags } }) => {
      // The parser lets nothing through but the formats above.
      const { files, counts } = exportOf(id, event, ask.now, flags.format as Format | undefined)
      const about = event.domain ? safeDomain(event.domain, 120) : id
      return sendFiles(ask, `Indicators of ${about}: ${counts}.`, files)
    },
  )

  onOne(
    {
      verb: 'screenshot',
      usage: 'screenshot ID',
      does: 'The screenshot that the service took, to your direct messages',
      acts: true,
    },
    (one) => sendCapture(SCREENSHOT, one),
  )

  onOne(
    {
      verb: 'source',
      usage: 'source ID',
      does: "The page's source as a text file, to your direct messages",
      acts: true,
    },
    (one) => sendCapture(PAGE_SOURCE, one),
  )

  routes.shortcut({ callbackId: 'threat.look-up', lineFor: lineForMessage })
}

/** Personal data go to a channel only after a word about it, however they are asked for. */
function personalToo(ids: readonly string[]): Question {
  const line = `/threat ${ids.join(' ')}`
  return new Question(
    'Everyone in the channel would see the personal data of the WHOIS record. Share them too?',
    [
      { label: 'Share without them', line: `${line} --share` },
      { label: 'Share personal data', line: `${line} --whois --share --personal` },
    ],
  )
}

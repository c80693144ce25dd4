import type { Settings } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import type { Environment } from '../../../domain/environment.ts'
import { threatCard } from '../card/card.ts'
import { cardsView, cardView } from '../card/views.ts'
import { beginCase } from '../cases/about-case.ts'
import { asksToLook } from '../cases/case-steps.ts'
import { type Cases, createCases } from '../cases/cases.ts'
import { caseNews, caseStateWords, lookOffers } from '../cases/views/words.ts'
import { whoisLines } from '../details/fields.ts'
import { idsForMessage, THREAT_HEARING } from '../event-ids/message-ids.ts'
import { createReader, type EventReader, type Reading, readEvents } from '../event-ids/read-events.ts'
import { createMemory, type Memory } from '../memory/remember.ts'
import type { StoredThreats } from '../memory/threat-retention.ts'
import { nextOf, parseIds, strangersNote } from '../parse.ts'
import { admitPersonal, isPrivy } from '../privacy/asking.ts'
import type { ThreatCase } from '../rows/case-rows.ts'
import type { ThreatVersions } from '../rows/versions.ts'
import { createPictures, type Pictures } from '../screenshots/screenshots.ts'
import { caseCommands, takedownWatchCommands } from './cases.ts'
import { detailsCommands } from './details.ts'
import { fileCommands } from './files.ts'
import { memoryCommands } from './memory.ts'

interface ThreatParts {
  store: StoredThreats & { settings: Settings }
  /** Wakes the work that tells people. */
  wake: () => void
  report: (error: unknown, words: string) => void
  /** The service's addresses: files that an event names are fetched from there only. */
  baseUrls: Readonly<Record<Environment, string>>
  now?: () => Date
}

/** What the commands on threat events share. */
export interface ThreatTools {
  reader: EventReader
  pictures: Pictures
  memory: Memory
  versions: ThreatVersions
  cases: Cases
  originOf(environment: Environment): string
}

/** `/threat ID…`, what can be done with one event, and the entry of the message menu. */
export function threatCommands(
  routes: Routes,
  { store, baseUrls, report, wake, now = () => new Date() }: ThreatParts,
): void {
  const memory = createMemory({ ...store, now, report })
  const cases = createCases({ ...store, report })
  const threats: ThreatTools = {
    reader: createReader(now, memory.remember),
    memory,
    versions: store.threatVersions,
    cases,
    pictures: createPictures(now),
    originOf: (environment) => new URL(baseUrls[environment]).origin,
  }

  routes.verb({
    typed: '/threat ID… [--whois]',
    does: 'Show threat events, safe to look at; ids in any form. --whois, not for guests: with the personal data of the WHOIS record',
    needs: 'viewer',
    shares: 'guarded',
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    takesWords: true,
    flags: {
      whois: { takes: 'switch', about: 'With the personal data of the WHOIS record' },
      personal: 'switch',
      sure: 'switch',
    },
    shared: (context, { words }, at) => cases.shared(context, parseIds(words).ids, at),
    run: (context, args) => show(threats, context, args),
  })
  detailsCommands(routes, threats)
  fileCommands(routes, threats)
  caseCommands(routes, { ...store, wake, beginCase: (...event) => beginCase(threats, ...event) })
  takedownWatchCommands(routes, { ...store, reader: threats.reader, wake })
  memoryCommands(routes, { memory, settings: store.settings })
  routes.shortcut({ callbackId: 'threat.look-up', command: 'threat', textFor: idsForMessage })
  routes.hearing(THREAT_HEARING)
}

async function show(threats: ThreatTools, context: CommandContext, { words, flags }: Arguments) {
  const { ids, behind, strangers } = parseIds(words)
  const wantsPersonal = flags.whois === true || flags.personal === true
  const isPersonal = wantsPersonal && ids.length === 1
  if (isPersonal)
    await admitPersonal(context, { ids, isShared: flags.share === true, isSure: flags.sure === true })
  const { remarks, offers } = nextOf(behind)
  const verb = isPersonal ? '/threat --whois' : '/threat'
  const { found, missed } = await readEvents(threats.reader, context, verb, ids).catch((error: unknown) => {
    if (!(error instanceof UserError) || behind.length === 0) throw error
    throw new UserError([error.message, ...remarks].join(' '), [...offers, ...error.offers])
  })
  const extras = {
    environment: context.environment,
    remarks: [
      ...missed,
      ...strangersNote(strangers),
      ...remarks,
      ...(wantsPersonal && !isPersonal ? [ONE_RECORD] : []),
    ],
    offers,
  }
  const [only] = found
  if (only && found.length === 1) return cardView(await wholeCard(threats, context, only, isPersonal), extras)
  const cards = found.map(async ({ id, reading: { redacted, readAt } }) => {
    const found = await threats.cases.of(context, id)
    return threatCard(redacted, { id, now: context.now, readAt, ...caseOnCard(found) })
  })
  return cardsView(await Promise.all(cards), extras)
}

const ONE_RECORD = 'WHOIS records are shown for one event at a time: type one id after /threat whois.'

async function wholeCard(
  { pictures, memory, cases, originOf }: ThreatTools,
  context: CommandContext,
  { id, reading }: { id: string; reading: Reading },
  isPersonal: boolean,
) {
  const { fullEvent, redacted, readAt } = reading
  const isGuest = !(await isPrivy(context))
  const hasPicture = !isGuest && fullEvent.observedData?.website?.screenshotResourceUrl !== undefined
  const [{ picture, missingScopes } = {}, seenWith, found] = await Promise.all([
    hasPicture ? pictures.find(context, { id, reading, origin: originOf(context.environment) }) : undefined,
    memory.seenWith(context, id, reading),
    cases.of(context, id),
  ])
  const shown = isPersonal ? { ...redacted, event: fullEvent, owner: undefined, elsewhere: 0 } : redacted
  const card = threatCard(shown, {
    id,
    now: context.now,
    readAt,
    seenWith,
    ...caseOnCard(found),
    pictureNote: hasPicture && !picture ? noPictureNote(missingScopes) : undefined,
  })
  return {
    card,
    picture,
    whois: isPersonal
      ? whoisLines(fullEvent.observedData?.whois, { now: context.now, reported: fullEvent.date })
      : undefined,
    // Copies and files are under Details.
    offers: [
      ...(found && asksToLook(found) ? lookOffers(id) : []),
      found ? { label: 'Case', line: `/threat case ${id}` } : { label: 'Take', line: `/threat take ${id}` },
      { label: 'Details', line: `/threat details ${id}` },
      { label: 'Share to channel', line: `/threat ${id} --share` },
      { label: 'Copy values', line: `/threat copy ${id}` },
    ],
  }
}

/** Why a card of an event with a screenshot shows none. */
const noPictureNote = (missingScopes: readonly string[] | undefined): string =>
  missingScopes
    ? `no screenshot: Slack hasn’t granted ${missingScopes.join(' and ')}`
    : 'screenshot under Details'

/** What is news stands above the facts; the foot does not repeat it. */
function caseOnCard(found: ThreatCase | undefined) {
  const [news, caseState] = found ? [caseNews(found), caseStateWords(found)] : []
  return { news, caseState: caseState && news?.endsWith(caseState) ? undefined : caseState }
}

import { UserError } from '@signalman/runtime'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { MessageShortcut, VerbDeclaration } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { idsForMessage } from '../event-ids/message-ids.ts'
import { readEvents } from '../event-ids/read-events.ts'
import { isMember } from '../members-only.ts'
import { nextIds, parseIds, strangersNote } from '../parse.ts'
import type { Reading } from '../rules/reading.ts'
import type { ShownEvent } from '../rules/shown-event.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { threatCard } from '../views/card.ts'
import { cardsView, cardView } from '../views/card-message.ts'
import { caseNews, caseStateWords, withoutNames } from '../views/case-words.ts'
import type { ThreatTools } from './tools.ts'

/** **Look up threat event** in the menu of a message. */
export const lookUpShortcut: MessageShortcut = {
  callbackId: 'threat.look-up',
  command: 'threat',
  textFor: idsForMessage,
}

/** `/threat ID…` */
export function showCommand(threats: ThreatTools): VerbDeclaration {
  const { cases } = threats
  return {
    typed: '/threat ID…',
    does: 'Show threat events, safe to look at; IDs in any form',
    needs: 'viewer',
    shares: 'guarded',
    sharesName: isFull,
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    takesWords: true,
    flags: {
      full: {
        takes: 'switch',
        about:
          'With --share: also post the screenshot, who has the case, and your name. Guests in the channel see them.',
      },
    },
    shared: (context, args, at) =>
      cases.shared(context, parseIds(args.words).ids, { ...at, isFull: isFull(args) }),
    run: (context, args) => show(threats, context, args),
  }
}

const isFull = ({ flags }: Arguments): boolean => flags.full === true

/** Who can see an answer: only the person who asks, or everyone in the channel that it is shared to. */
type Audience = 'member' | 'guest' | 'channel' | 'full channel'

async function show(threats: ThreatTools, context: CommandContext, args: Arguments) {
  const { ids, behind, strangers } = parseIds(args.words)
  const { remarks, offers } = nextIds(behind)
  const { found, missed } = await readEvents(threats.reader, context, '/threat', ids).catch(
    (error: unknown) => {
      if (!(error instanceof UserError) || behind.length === 0) throw error
      throw new UserError([error.message, ...remarks].join(' '), [...offers, ...error.offers])
    },
  )
  const audience = await findAudience(context, args)
  const extras = {
    environment: context.environment,
    remarks: [...missed, ...strangersNote(strangers), ...remarks],
    offers,
  }
  const [only] = found
  if (only && found.length === 1) return cardView(await wholeCard(threats, context, only, audience), extras)
  const cards = found.map(async ({ id, reading }) => {
    const found = await caseFor(threats, context, id, audience)
    return threatCard(eventForAudience(audience, reading), {
      id,
      now: context.now,
      readAt: reading.readAt,
      ...caseSummary(found),
    })
  })
  return cardsView(await Promise.all(cards), extras)
}

async function findAudience(context: CommandContext, args: Arguments): Promise<Audience> {
  if (args.flags.share) return isFull(args) ? 'full channel' : 'channel'
  return (await isMember(context)) ? 'member' : 'guest'
}

const eventForAudience = (audience: Audience, { forMembers, facts }: Reading): ShownEvent =>
  audience === 'member' ? forMembers : facts

/** The case, with only what this audience may see. */
async function caseFor(
  { cases }: Pick<ThreatTools, 'cases'>,
  context: CommandContext,
  id: string,
  audience: Audience,
): Promise<ThreatCase | undefined> {
  const found = await cases.of(context, id)
  return found && audience === 'channel' ? withoutNames(found) : found
}

async function wholeCard(
  threats: ThreatTools,
  context: CommandContext,
  { id, reading }: { id: string; reading: Reading },
  audience: Audience,
) {
  const { pictures, memory, originOf } = threats
  const { fullEvent, readAt } = reading
  const hasPicture =
    (audience === 'member' || audience === 'full channel') &&
    fullEvent.observedData?.website?.screenshotResourceUrl !== undefined
  const [{ picture, missingScopes } = {}, seenWith, found] = await Promise.all([
    hasPicture ? pictures.find(context, { id, reading, origin: originOf(context.environment) }) : undefined,
    memory.seenWith(context, id, reading),
    caseFor(threats, context, id, audience),
  ])
  const card = threatCard(eventForAudience(audience, reading), {
    id,
    now: context.now,
    readAt,
    seenWith,
    ...caseSummary(found),
    pictureNote: hasPicture && !picture ? noPictureNote(missingScopes) : undefined,
  })
  return {
    card,
    picture,
    // Copying values and sending files are under Details.
    offers: [
      found ? { label: 'Case', line: `/threat case ${id}` } : { label: 'Take', line: `/threat take ${id}` },
      { label: 'Details', line: `/threat details ${id}` },
      { label: 'Share to channel', line: `/threat ${id} --share` },
      { label: 'Copy values', line: `/threat copy ${id}` },
      { label: 'Share with screenshot and names', line: `/threat ${id} --share --full` },
    ],
  }
}

/** Why the card of an event with a screenshot doesn't show it. */
const noPictureNote = (missingScopes: readonly string[] | undefined): string =>
  missingScopes
    ? `no screenshot: Slack hasn’t granted ${missingScopes.join(' and ')}`
    : 'screenshot under Details'

/** The news is above the facts, so the footer doesn't repeat it. */
function caseSummary(found: ThreatCase | undefined) {
  const [news, caseState] = found ? [caseNews(found), caseStateWords(found)] : []
  return { news, caseState: caseState && news?.endsWith(caseState) ? undefined : caseState }
}

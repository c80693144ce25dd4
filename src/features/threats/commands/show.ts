import { Question, UserError } from '@signalman/runtime'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { slot } from '../../../bot/grammar/slots.ts'
import type {
  CommandContext,
  Messaging,
  Requester,
  Rights,
  ServiceAccess,
} from '../../../bot/routes/command-context.ts'
import type { MessageShortcut, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { eventIdsAsText } from '../event-ids/message-ids.ts'
import { readEvents } from '../event-ids/read-events.ts'
import { isMember } from '../members-only.ts'
import { offerRemainingIds, otherWordsNote, parseIds } from '../parse.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import type { ShownEvent } from '../rules/shown-event.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { buildThreatCard } from '../views/card.ts'
import { cardsView, cardView } from '../views/card-message.ts'
import { describeCaseState, downNotice, withoutNames } from '../views/case-words.ts'
import type { ThreatDependencies } from './dependencies.ts'

/** The message shortcut **Look up threat event**. */
export const lookUpShortcut: MessageShortcut = {
  callbackId: 'threat.look-up',
  command: 'threat',
  textFor: eventIdsAsText,
}

/** `/threat ID…`: shows the cards of events. */
export function showCommand(threats: ThreatDependencies): VerbDeclaration {
  const { cases } = threats
  return {
    line: '/threat',
    slots: [slot('ids', 'event', { many: true, required: true, takesRest: true })],
    description: 'Show threat events, safe to look at; IDs in any form',
    needs: 'viewer',
    shares: 'guarded',
    sharesName: isFull,
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    flags: {
      // Only for the button that asks what to share.
      ask: 'switch',
      full: {
        type: 'switch',
        help: 'With --share: also post the screenshot, who has the case, and your name. Guests in the channel can see all of it.',
      },
    },
    onShared: (context, args, posted) =>
      cases.storeShare(context, parseIds(args.words).ids, { ...posted, isFull: isFull(args) }),
    run: (context, args) => show(threats, context, args),
  }
}

const isFull = ({ flags }: Arguments): boolean => flags.full === true

/** Who sees the cards: the person who asked (a member or a guest), or everyone in a channel. */
type Audience = 'member' | 'guest' | 'channel' | 'full channel'

async function show(threats: ThreatDependencies, context: CommandContext, args: Arguments) {
  const { ids, remaining, otherWords } = parseIds(args.words)
  if (args.flags.share && args.flags.ask) throw askWhatToShare(ids)
  const { notices, suggestions } = offerRemainingIds(remaining)
  const { events, failures } = await readEvents(threats.reader, context, ids).catch((error: unknown) => {
    if (!(error instanceof UserError) || remaining.length === 0) throw error
    throw new UserError([error.message, ...notices].join(' '), [...suggestions, ...error.suggestions])
  })
  const audience = await findAudience(context, args)
  const extras = {
    environment: context.environment,
    notices: [...failures, ...otherWordsNote(otherWords), ...notices],
    suggestions,
  }
  const [onlyEvent] = events
  if (onlyEvent && events.length === 1)
    return cardView(await buildSingleCard(threats, context, onlyEvent, audience), extras)
  const cards = events.map(async ({ id, loadedEvent }) => {
    const threatCase = await findVisibleCase(threats, context, id, audience)
    return buildThreatCard(eventForAudience(audience, loadedEvent), {
      id,
      now: context.now,
      readAt: loadedEvent.readAt,
      ...caseSummary(threatCase),
    })
  })
  return cardsView(await Promise.all(cards), extras)
}

const askWhatToShare = (ids: readonly string[]): Question =>
  new Question(
    'What should everyone in this channel see? Guests in it can see it, too. The screenshot can show personal data.',
    [
      { label: 'Only the facts', line: `/threat ${ids.join(' ')} --share` },
      { label: 'Also screenshot and names', line: `/threat ${ids.join(' ')} --share --full` },
    ],
  )

async function findAudience(context: Rights, args: Arguments): Promise<Audience> {
  if (args.flags.share) return isFull(args) ? 'full channel' : 'channel'
  return (await isMember(context)) ? 'member' : 'guest'
}

const eventForAudience = (audience: Audience, { forMembers, facts }: LoadedEvent): ShownEvent =>
  audience === 'member' ? forMembers : facts

/** Finds the case. Leaves out people's names in a channel, unless the card is shared with `--full`. */
async function findVisibleCase(
  { cases }: Pick<ThreatDependencies, 'cases'>,
  context: Requester & Rights,
  id: string,
  audience: Audience,
): Promise<ThreatCase | undefined> {
  const threatCase = await cases.find(context, id)
  return threatCase && audience === 'channel' ? withoutNames(threatCase) : threatCase
}

async function buildSingleCard(
  threats: ThreatDependencies,
  context: Requester & ServiceAccess & Rights & Messaging,
  { id, loadedEvent }: { id: string; loadedEvent: LoadedEvent },
  audience: Audience,
) {
  const { pictures, getOrigin } = threats
  const { fullEvent, readAt } = loadedEvent
  const hasPicture =
    (audience === 'member' || audience === 'full channel') &&
    fullEvent.observedData?.website?.screenshotResourceUrl !== undefined
  const [{ picture, missingScopes } = {}, threatCase] = await Promise.all([
    hasPicture
      ? pictures.find(context, { id, loadedEvent, origin: getOrigin(context.environment) })
      : undefined,
    findVisibleCase(threats, context, id, audience),
  ])
  const card = buildThreatCard(eventForAudience(audience, loadedEvent), {
    id,
    now: context.now,
    readAt,
    ...caseSummary(threatCase),
    pictureNote: hasPicture && !picture ? missingPictureNote(missingScopes) : undefined,
  })
  return {
    card,
    picture,
    // The buttons that send files are under Details.
    buttons: [
      threatCase
        ? { label: 'Case', line: `/threat case ${id}` }
        : await threats.cases.suggestTake(context, id),
      { label: 'Details', line: `/threat details ${id}` },
      // Guests can't share.
      ...(audience === 'guest' ? [] : [{ label: 'Share…', line: `/threat ${id} --share --ask` }]),
      { label: 'Copy values', line: `/threat copy ${id}` },
    ],
  }
}

/** Why the card of an event with a screenshot doesn't show it. */
const missingPictureNote = (missingScopes: readonly string[] | undefined): string =>
  missingScopes
    ? `no screenshot: Slack hasn’t granted ${missingScopes.join(' and ')}`
    : 'screenshot under Details'

/** The case's state for a card. If the notice above the facts already says it, the footer doesn't repeat it. */
function caseSummary(threatCase: ThreatCase | undefined) {
  const [notice, caseState] = threatCase ? [downNotice(threatCase), describeCaseState(threatCase)] : []
  return { notice, caseState: caseState && notice?.endsWith(caseState) ? undefined : caseState }
}

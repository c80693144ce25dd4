import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { slot } from '../../../bot/grammar/slots.ts'
import type { CommandContext, Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { MessageShortcut, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { isMember } from '../audience.ts'
import { toNewCase } from '../cases/steps.ts'
import { eventIdsAsText } from '../event-ids/message-ids.ts'
import { readEvents } from '../event-ids/read-events.ts'
import { offerRemainingIds, otherWordsNote, parseIds } from '../parse.ts'
import type { LoadedEvent } from '../rules/loaded-event.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { buildThreatCard } from '../views/card.ts'
import { cardsView, cardView } from '../views/card-message.ts'
import { describeState } from '../views/case.ts'
import type { ThreatDependencies } from './dependencies.ts'

/** The message shortcut **Look up threat event**. */
export const lookUpShortcut: MessageShortcut = {
  callbackId: 'threat.look-up',
  command: 'threat',
  textFor: eventIdsAsText,
}

/** `/threat ID…`: shows the cards of events. Sharing the card of one opens its case, so that it waits in the queue. */
export function showCommand(threats: ThreatDependencies): VerbDeclaration {
  return {
    line: '/threat',
    slots: [slot('ids', 'event', { many: true, required: true })],
    description: 'Show threat events, safe to look at; IDs in any form',
    needs: 'viewer',
    shares: true,
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    async onShared(context, { words }, { channelId, ts: messageTs, threadTs }) {
      const { workspaceId, enterpriseId, environment, now } = context
      const [eventId, ...others] = parseIds(words).ids
      // A message with several events isn't the card of any of them.
      if (eventId === undefined || others.length > 0) return
      await threats.threatCases.share({
        ...{ workspaceId, enterpriseId, environment, eventId, now },
        newCase: toNewCase(await threats.reader.load(context, eventId), eventId),
        card: { channelId, messageTs, threadTs },
      })
      threats.wake()
    },
    run: (context, args) => show(threats, context, args),
  }
}

async function show(threats: ThreatDependencies, context: CommandContext, { words, flags }: Arguments) {
  const { ids, otherWords, remaining } = parseIds(words)
  const { notices, suggestions } = offerRemainingIds(remaining)
  const { events, failures } = await readEvents(threats.reader, context, ids).catch((error: unknown) => {
    if (!(error instanceof UserError) || remaining.length === 0) throw error
    throw new UserError([error.message, ...notices].join(' '), [...suggestions, ...error.suggestions])
  })
  // A channel sees what guests see, because guests may read it.
  const isPrivate = flags.share !== true && (await isMember(context))
  const extras = {
    environment: context.environment,
    notices: [...failures, ...otherWordsNote(otherWords), ...notices],
    suggestions,
  }
  const buildCard = async (
    { id, loadedEvent }: { id: string; loadedEvent: LoadedEvent },
    pictureNote?: string,
  ) => {
    const threatCase = await findCase(threats, context, id)
    const card = buildThreatCard(isPrivate ? loadedEvent.forMembers : loadedEvent.facts, {
      id,
      now: context.now,
      readAt: loadedEvent.readAt,
      caseState: threatCase && describeState(threatCase),
      pictureNote,
    })
    return { card, threatCase }
  }
  const [onlyEvent] = events
  if (!onlyEvent || events.length > 1)
    return cardsView(
      (await Promise.all(events.map((event) => buildCard(event)))).map(({ card }) => card),
      extras,
    )
  const { id, loadedEvent } = onlyEvent
  const hasPicture =
    isPrivate && loadedEvent.fullEvent.observedData?.website?.screenshotResourceUrl !== undefined
  const { pictures, getOrigin } = threats
  const { picture, missingScopes } = hasPicture
    ? await pictures.find(context, { id, loadedEvent, origin: getOrigin(context.environment) })
    : {}
  const note = missingScopes
    ? `no screenshot: Slack hasn’t granted ${missingScopes.join(' and ')}`
    : 'screenshot under Details'
  const { card, threatCase } = await buildCard(onlyEvent, hasPicture && !picture ? note : undefined)
  const buttons = [
    threatCase && threatCase.state !== 'open'
      ? { label: 'Case', line: `/threat case ${id}` }
      : { label: 'Take', line: `/threat take ${id}` },
    { label: 'Details', line: `/threat details ${id}` },
    { label: 'Share', line: `/threat ${id} --share` },
    { label: 'Copy values', line: `/threat copy ${id}` },
  ]
  return cardView({ card, picture, buttons }, extras)
}

/** The case of an event. Undefined if there is none, if it can't be read now, or if the person is a guest. */
async function findCase(
  { threatCases, reportError }: ThreatDependencies,
  context: Requester & Rights,
  eventId: string,
): Promise<ThreatCase | undefined> {
  if (!(await isMember(context))) return undefined
  const { workspaceId, environment } = context
  return threatCases.find({ workspaceId, environment, eventId }).catch((error: unknown) => {
    reportError(error, 'Could not read the case of a threat event.')
    return undefined
  })
}

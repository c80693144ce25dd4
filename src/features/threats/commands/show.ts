import { UserError } from '@signalman/runtime'
import { parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import type { CommandContext, Requester, Rights } from '../../../bot/routes/command-context.ts'
import type { MessageShortcut, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { formatCount } from '../../../domain/wording.ts'
import { isMember, isTeamChannel } from '../audience.ts'
import { toNewCase } from '../cases/steps.ts'
import type { ThreatDependencies } from '../dependencies.ts'
import { eventIdsAsText } from '../event-ids/message-ids.ts'
import { loadEvent, readEvent, runForEach } from '../event-ids/read-events.ts'
import { createNoIdsError, parseIds } from '../parse.ts'
import { writeEventCommand } from '../rules/ids.ts'
import type { LoadedEvent } from '../rules/shown-event.ts'
import { toDomainKey } from '../rules/signals.ts'
import { buildThreatCard } from '../views/card.ts'
import { cardsView, cardView } from '../views/card-message.ts'
import { describeState, UNDECRYPTABLE } from '../views/case.ts'

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
    parameters: [parameter('ids', 'event', { many: true, required: true })],
    description: 'Show threat events, such as phishing, by their IDs; safe to look at',
    needs: 'viewer',
    guests: true,
    shares: true,
    example: '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    async onShared(context, { words }, { channelId, ts: messageTs, threadTs }) {
      const { workspaceId, environment, now } = context
      const [eventId, ...others] = parseIds(words).ids
      // A message with several events isn't the card of any of them.
      if (eventId === undefined || others.length > 0 || !isTeamChannel(channelId)) return
      const newCase = toNewCase(await loadEvent(context, eventId), eventId, now)
      const object = { object: `threat event ${eventId}`, objectName: newCase.event.lines[0] }
      await context.decide({ verb: '/threat', ...object, after: { case: 'shared' } }, (decisions) =>
        threats.threatCases.within(decisions).share({
          ...{ workspaceId, environment, eventId, now, newCase },
          card: { channelId, messageTs, threadTs },
        }),
      )
      threats.wake()
    },
    run: (context, args) => show(threats, context, args),
  }
}

async function show(threats: ThreatDependencies, context: CommandContext, { words, flags }: Arguments) {
  const { ids, otherWords, notes } = parseIds(words)
  if (ids.length === 0) throw createNoIdsError('', otherWords)
  const { values: events, failures } = await runForEach('show', ids, async (id) => ({
    id,
    loadedEvent: await readEvent(context, '/threat', id),
  })).catch((error: unknown) => {
    // Stays the same kind of error, because a missing token is explained by its kind.
    if (error instanceof UserError) error.message = [error.message, ...notes].join('\n')
    throw error
  })
  // A channel sees what guests see, because guests may read it.
  const isPrivate = flags.share !== true && isMember(context)
  const { environment } = context
  const buildCard = async ({ id, loadedEvent }: { id: string; loadedEvent: LoadedEvent }) => {
    const found = await findCases(threats, context, id, loadedEvent)
    const card = buildThreatCard(isPrivate ? loadedEvent.forMembers : loadedEvent.facts, {
      id,
      now: context.now,
      caseState: found && describeState(found.threatCase ?? { state: 'open', holder: undefined, steps: [] }),
    })
    return { card, found }
  }
  const extras = { environment, notices: [...failures, ...notes] }
  const [onlyEvent] = events
  if (!onlyEvent || events.length > 1)
    return cardsView(
      (await Promise.all(events.map(buildCard))).map(({ card }) => card),
      extras,
    )
  const { id } = onlyEvent
  const { card, found } = await buildCard(onlyEvent)
  const isTaken = found?.threatCase !== undefined && found.threatCase.state !== 'open'
  const buttons = [
    isTaken
      ? { label: 'Case', line: writeEventCommand('case', id) }
      : { label: 'Take', line: writeEventCommand('take', id), style: 'primary' as const },
    { label: 'Details', line: writeEventCommand('details', id) },
    { label: 'Share', line: writeEventCommand('', id, { flags: { share: true } }) },
    { label: 'Copy values', line: writeEventCommand('copy', id) },
  ]
  if (!found?.other || !isPrivate) return cardView({ card, buttons }, extras)
  const { other, others } = found
  const state = 'sealError' in other ? UNDECRYPTABLE : `${other.event.lines[0]} · ${describeState(other)}`
  const note =
    others === 1
      ? `Another open case has this domain: ${state}.`
      : `${formatCount(others)} other open cases have this domain. The most severe: ${state}.`
  const otherCase = { label: 'Other case', line: writeEventCommand('case', other.eventId) }
  return cardView(
    { card, buttons: [...buttons, otherCase] },
    { environment, notices: [note, ...extras.notices] },
  )
}

/** The case of an event, how many others of its domain are open, and the most severe of these. Undefined if they can't be read now, or if the person is a guest. */
async function findCases(
  { threatCases, log }: ThreatDependencies,
  context: Requester & Rights,
  eventId: string,
  { facts }: LoadedEvent,
) {
  if (!isMember(context)) return undefined
  const { workspaceId, environment } = context
  try {
    const threatCase = await threatCases.find({ workspaceId, environment, eventId })
    const domainKey = toDomainKey(facts.event.domain)
    if (domainKey === '') return { threatCase, others: 0 }
    const filter = { workspaceId, environment, domainKey, notEventId: eventId }
    const [others, [other]] = await Promise.all([
      threatCases.count(filter),
      threatCases.list({ ...filter, limit: 1 }),
    ])
    return { threatCase, others, other }
  } catch (err) {
    log.warn({ err }, 'Could not read the cases of a threat event.')
    return undefined
  }
}

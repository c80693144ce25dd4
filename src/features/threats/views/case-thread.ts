import { joinLines, type Line, literal, type Message, message, section } from '@signalman/slack'
import { readSnapshot, reportedAt } from '../rules/event-snapshot.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { withNotice } from './card.ts'
import { cardView } from './card-message.ts'
import { describeCaseState, downNotice, formatStep, withoutNames } from './case-words.ts'

/**
 * The card of a case in a channel, with the case's newest state. Includes names and the screenshot only if someone chose to show
 * them. Everyone in the channel sees the buttons. A click checks whether the person may use them. `watch`: what it says about the watch.
 */
export function caseCardView(fullCase: ThreatCase, isFull = false, watch?: Line | undefined): Message {
  const threatCase = isFull ? fullCase : withoutNames(fullCase)
  const { card, picture } = readSnapshot(threatCase)
  const { eventId: id, environment } = threatCase
  const [readAt, reported] = [new Date(card.readAt), reportedAt(threatCase)]
  return cardView(
    {
      card: {
        ...withNotice(card, downNotice(threatCase)),
        id,
        footer: joinLines(
          [
            ...(threatCase.state === 'down' ? [] : [describeCaseState(threatCase)]),
            ...(watch ? [watch] : []),
            ...(reported && reported <= readAt ? [['reported ', reported]] : []),
            ['as of ', readAt],
            ...card.notes,
            id,
          ],
          ' · ',
        ),
      },
      picture: isFull ? picture : undefined,
      buttons: [
        { label: 'Case', line: `/threat case ${id}` },
        { label: 'Details', line: `/threat details ${id}` },
        { label: 'Copy values', line: `/threat copy ${id}` },
        { label: 'Export', line: `/threat export ${id}` },
      ],
    },
    { environment },
  )
}

/** The steps that aren't in the thread yet, one per line; undefined if there are none. */
export function stepsView(fullCase: ThreatCase): Message | undefined {
  const threatCase = fullCase.card?.isFull ? fullCase : withoutNames(fullCase)
  const unposted = threatCase.steps.filter(({ version }) => version > threatCase.postedVersion)
  if (unposted.length === 0) return undefined
  const lines = unposted.map((step) => formatStep(threatCase, step))
  return message(lines.map(literal).join('\n'), section(lines.join('\n')))
}

/** Tells a person that the card's channel no longer accepts messages, and what that means for their step. */
export function detachedView(threatCase: ThreatCase, reason: string, isStepUnposted: boolean): Message {
  const { lines } = readSnapshot(threatCase).card
  const outcome = isStepUnposted
    ? 'Your step wasn’t posted.'
    : 'Signalman can’t update the card of a threat case anymore.'
  const sentence = `${outcome} ${reason} The case of ${lines[0] ?? threatCase.eventId} is saved. To post it in another channel, share its card there.`
  return message(literal(sentence), section(sentence))
}

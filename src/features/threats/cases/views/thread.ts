import { literal, type Message, message, say, section } from '@signalman/slack'
import { cardView } from '../../card/views.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { aboutOf } from '../about-case.ts'
import { caseStateWords, stepWords } from './words.ts'

/** The card of a case in its channel, as of its newest step. A press of its buttons checks the person's rights. */
export function caseCardView(found: ThreatCase): Message {
  const { card, picture } = aboutOf(found)
  const id = found.eventId
  return cardView(
    {
      card: { ...card, id, foot: [caseStateWords(found), ...card.notes, id].join(' · ') },
      picture,
      offers: [
        { label: 'Case', line: `/threat case ${id}` },
        { label: 'Details', line: `/threat details ${id}` },
        { label: 'Copy values', line: `/threat copy ${id}` },
        { label: 'Export', line: `/threat export ${id}` },
      ],
    },
    { environment: found.environment },
  )
}

/** The steps that the thread was not told of yet, a line each; undefined when there are none. */
export function stepsView(found: ThreatCase): Message | undefined {
  const lines = found.steps
    .filter(({ version }) => version > found.toldVersion)
    .map((step) => stepWords(found, step))
  if (lines.length === 0) return undefined
  const { holder } = found
  const isBack = found.steps.some(
    ({ version, kind, by }) => version > found.toldVersion && kind === 'reopen' && !by,
  )
  // The holder is mentioned, since nobody pressed anything. The id is Slack's own.
  const call =
    isBack && holder && /^[UW][A-Z0-9]+$/.test(holder.userId) ? `<@${holder.userId}> has this case.` : ''
  return message(
    [...lines.map(literal), ...(call ? [call] : [])].join('\n'),
    section(lines.join('\n')),
    call ? [say(call)] : [],
  )
}

/** For the person who took the newest step, when the channel takes no messages any more. */
export function displacedView(found: ThreatCase, why: string): Message {
  const { lines } = aboutOf(found).card
  const sentence = `The case of ${lines[0] ?? found.eventId} is kept, but its channel was not told: ${why} The next step that somebody takes in another channel shows it there.`
  return message(literal(sentence), section(sentence))
}

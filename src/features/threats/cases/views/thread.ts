import { section } from '../../../../blocks/layout.ts'
import { type Message, message } from '../../../../blocks/message.ts'
import { literal } from '../../../../blocks/text.ts'
import type { ThreatCase } from '../../../../store/store.ts'
import { cardView } from '../../card/views.ts'
import { aboutOf } from '../about-case.ts'
import { standingWords, stepWords } from './words.ts'

/** The card of a case in its channel, as of its newest step: whoever presses is asked for their rights. */
export function caseCardView(found: ThreatCase): Message {
  const { card, picture } = aboutOf(found)
  const id = found.eventId
  return cardView(
    {
      card: { ...card, id, foot: [standingWords(found), ...card.notes, id].join(' · ') },
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

/** The steps that a thread has not been told of yet, a line for each; undefined where there is none. */
export function stepsView(found: ThreatCase): Message | undefined {
  const lines = found.steps
    .filter(({ version }) => version > found.toldVersion)
    .map((step) => stepWords(found, step))
  if (lines.length === 0) return undefined
  return message(lines.map(literal).join('\n'), section(lines.join('\n')))
}

/** To whoever took the newest step, where the channel takes nothing any more. */
export function displacedView(found: ThreatCase, why: string): Message {
  const { lines } = aboutOf(found).card
  const sentence = `The case of ${lines[0] ?? found.eventId} is kept, but its channel was not told: ${why} The next step that somebody takes in another channel shows it there.`
  return message(literal(sentence), section(sentence))
}

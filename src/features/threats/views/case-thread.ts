import { joined, literal, type Message, message, section } from '@signalman/slack'
import { readAbout, reportedAt } from '../rules/about-case.ts'
import type { ThreatCase } from '../rules/threat-case.ts'
import { withNews } from './card.ts'
import { cardView } from './card-message.ts'
import { caseNews, caseStateWords, stepWords, withoutNames } from './case-words.ts'

/**
 * The card of a case in a channel, showing the newest step. Includes names and the screenshot only if someone asked for that. Its
 * buttons check permissions.
 */
export function caseCardView(whole: ThreatCase, isFull = false): Message {
  const found = isFull ? whole : withoutNames(whole)
  const { card, picture } = readAbout(found)
  const { eventId: id, environment } = found
  const [readAt, reported] = [new Date(card.readAt), reportedAt(found)]
  return cardView(
    {
      card: {
        ...withNews(card, caseNews(found)),
        id,
        foot: joined(
          [
            ...(found.state === 'down' ? [] : [caseStateWords(found)]),
            ...(reported && reported <= readAt ? [['reported ', reported]] : []),
            ['as of ', readAt],
            ...card.notes,
            id,
          ],
          ' · ',
        ),
      },
      picture: isFull ? picture : undefined,
      offers: [
        { label: 'Case', line: `/threat case ${id}` },
        { label: 'Details', line: `/threat details ${id}` },
        { label: 'Copy values', line: `/threat copy ${id}` },
        { label: 'Export', line: `/threat export ${id}` },
      ],
    },
    { environment },
  )
}

/** The steps that aren't in the thread yet, one per line; undefined when there are none. */
export function stepsView(whole: ThreatCase): Message | undefined {
  const found = whole.place?.isFull ? whole : withoutNames(whole)
  const untold = found.steps.filter(({ version }) => version > found.toldVersion)
  if (untold.length === 0) return undefined
  const lines = untold.map((step) => stepWords(found, step))
  return message(lines.map(literal).join('\n'), section(lines.join('\n')))
}

/** For the person who took the newest step, if the channel no longer accepts messages. */
export function displacedView(found: ThreatCase, why: string): Message {
  const { lines } = readAbout(found).card
  const sentence = `Your step wasn’t posted. ${why} The case of ${lines[0] ?? found.eventId} is saved. The next step that someone takes in another channel posts it there.`
  return message(literal(sentence), section(sentence))
}

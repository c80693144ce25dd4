import {
  actions,
  commandButton,
  joined,
  literal,
  type Message,
  message,
  say,
  section,
} from '@signalman/slack'
import { withNews } from '../../card/card.ts'
import { cardView } from '../../card/views.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import { aboutOf, reportedAt } from '../about-case.ts'
import { asksToLook } from '../case-steps.ts'
import { caseNews, caseStateWords, lookOffers, stepWords } from './words.ts'

/** The card of a case in its channel, as of its newest step. A press of its buttons checks the person's rights. */
export function caseCardView(found: ThreatCase): Message {
  const { card, picture } = aboutOf(found)
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
      picture,
      offers: [
        ...(asksToLook(found) ? lookOffers(id) : []),
        { label: 'Case', line: `/threat case ${id}` },
        { label: 'Details', line: `/threat details ${id}` },
        { label: 'Copy values', line: `/threat copy ${id}` },
        { label: 'Export', line: `/threat export ${id}` },
      ],
    },
    { environment },
  )
}

/** The steps that the thread was not told of yet, a line each; undefined when there are none. */
export function stepsView(found: ThreatCase): Message | undefined {
  const untold = found.steps.filter(({ version }) => version > found.toldVersion)
  if (untold.length === 0) return undefined
  const lines = untold.map((step) => stepWords(found, step))
  const { holder, eventId } = found
  const isAsked = asksToLook(found) && untold.some(({ kind }) => kind === 'unreachable')
  const isBack = untold.some(({ kind, by }) => kind === 'reopen' && !by)
  // The holder is mentioned where nobody pressed anything. The id is Slack's own.
  const call =
    (isBack || isAsked) && holder && /^[UW][A-Z0-9]+$/.test(holder.userId)
      ? `<@${holder.userId}> has this case.`
      : ''
  return message(
    [...lines.map(literal), ...(call ? [call] : [])].join('\n'),
    section(lines.join('\n')),
    call ? [say(call)] : [],
    isAsked ? actions(...lookOffers(eventId).map(({ label, line }) => commandButton(label, line))) : [],
  )
}

/** For the person who took the newest step, when the channel takes no messages any more. */
export function displacedView(found: ThreatCase, why: string): Message {
  const { lines } = aboutOf(found).card
  const sentence = `The channel of your case was not told: ${why} The case of ${lines[0] ?? found.eventId} is kept; the next step that somebody takes in another channel shows it there.`
  return message(literal(sentence), section(sentence))
}

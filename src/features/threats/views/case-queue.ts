import { formatElapsed } from '@signalman/runtime'
import { actions, clip, commandButton, commandMenu, context, type Message, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { writeFields } from '../../../bot/typed/fields.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import type { Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { QUEUE, type QueueFilters } from '../parse.ts'
import { readAbout } from '../rules/about-case.ts'
import { CASE_STATES } from '../rules/case-steps.ts'
import type { ThreatCase, UnopenedCase } from '../rules/threat-case.ts'
import { caseNews, caseStateWords, STATE_NAMES } from './case-words.ts'

/** A row of the queue. If its content can't be decrypted, it has only the unencrypted part. */
type ListedCase = ThreatCase | UnopenedCase

export interface QueueAsked extends QueueFilters {
  environment: Environment
}

interface QueuePage {
  cases: readonly ListedCase[]
  /** The number of the page shown, which is the last one if a later one was requested. */
  page: number
  total: number
  /** The count stops at this many. */
  most: number
}

export const PAGE_SIZE = 10

const queueLine = ({ environment, page = 1, ...asked }: QueueAsked): string =>
  [`/threat queue --env ${environment}`, ...writeFields(QUEUE, { ...asked, ...(page > 1 && { page }) })].join(
    ' ',
  )

/** Open cases, most severe and oldest first. */
export function queueView({ cases, page, total, most }: QueuePage, asked: QueueAsked, now: Date): Message {
  const { environment, state, mine } = asked
  // There may be more cases than were counted.
  const hasNext = total >= most ? cases.length === PAGE_SIZE : page * PAGE_SIZE < total
  const to = (changed: Partial<QueueAsked>): string => queueLine({ ...asked, page: 1, ...changed })
  return listPage({
    title: countWords({ total, most }, asked),
    environment,
    place: placeWords({ page, total, most }, asked),
    rows: cases.map((one) => section(caseLines(one, now))),
    previous: page > 1 ? to({ page: page - 1 }) : undefined,
    next: hasNext ? to({ page: page + 1 }) : undefined,
    here: to({ page }),
    controls: [
      ...(cases.length > 0 ? [commandMenu('Open a case…', cases.map(caseChoice), { inPlace: false })] : []),
      commandMenu('Show…', [
        { label: 'All open', value: to({ state: undefined, mine: undefined }), chosen: !state && !mine },
        { label: 'Mine', value: to({ state: undefined, mine: true }), chosen: !state && mine === true },
        ...CASE_STATES.map((one) => ({
          label: STATE_NAMES[one],
          value: to({ state: one }),
          chosen: one === state,
        })),
      ]),
    ],
    now,
  })
}

/** `25 open threat cases`, `1 of your open threat cases`. */
function countWords({ total, most }: Pick<QueuePage, 'total' | 'most'>, { state, mine }: QueueAsked): string {
  const what = `${state ? STATE_NAMES[state] : 'open'} threat`
  if (total === 0) return `${mine ? 'You have no' : 'There are no'} ${what} cases`
  const many = total >= most ? `${grouped(most)} or more` : grouped(total)
  return `${mine ? 'You have ' : ''}${many} ${what} ${total === 1 ? 'case' : 'cases'}`
}

function placeWords({ page, total, most }: Omit<QueuePage, 'cases'>, { state }: QueueAsked): string {
  if (total === 0)
    return state ? 'Choose another state below.' : 'Take a threat event on its card to open a case.'
  const place = total < most ? describePage(page, Math.ceil(total / PAGE_SIZE)) : `page ${page}`
  return ['most severe and oldest first', place].filter(Boolean).join(' · ')
}

function caseLines(found: ListedCase, now: Date): string {
  if ('unopened' in found)
    return `Threat event ${found.eventId}\n${STATE_NAMES[found.state]} · its case can’t be decrypted`
  const { verdict, lines } = readAbout(found).card
  return [
    verdict,
    `${lines[0] ?? found.eventId}`,
    `${caseNews(found) ?? caseStateWords(found)} · first step ${formatElapsed(found.openedAt, now)} ago`,
  ].join('\n')
}

function caseChoice(found: ListedCase): { label: string; value: string } {
  const { eventId, environment } = found
  const about = 'unopened' in found ? undefined : readAbout(found).card.lines[0]
  return { label: clip(about ?? eventId, 75), value: `/threat case ${eventId} --env ${environment}` }
}

const caseRow = ({ eventId, environment }: ListedCase, text: string): KnownBlock =>
  section(
    text,
    commandButton('Case', `/threat case ${eventId} --env ${environment}`, { spoken: `Case ${eventId}` }),
  )

/** The cases that concern one person. */
export interface HomeCases {
  mine: readonly ListedCase[]
  /** How many cases are open in each environment, counted up to `most`. */
  open: readonly { environment: Environment; count: number }[]
  most: number
}

/** Threat cases in App Home; empty if there are none. */
export function homeCaseBlocks({ mine, open, most }: HomeCases, now: Date): KnownBlock[] {
  const waiting = open.filter(({ count }) => count > 0)
  if (mine.length === 0 && waiting.length === 0) return []
  const many = waiting.map(
    ({ environment, count }) =>
      `${count >= most ? `${grouped(most)} or more cases` : counted(count, 'case')} open${environment === 'ote' ? ' in OTE' : ''}`,
  )
  return [
    context([mine.length === 0 ? 'You have no threat case' : 'Your threat cases', ...many].join(' · ')),
    ...mine.map((one) => caseRow(one, caseLines(one, now))),
    ...actions(
      ...(mine.length > 0
        ? [commandButton('All of mine', `/threat queue --mine --env ${mine[0]?.environment}`)]
        : []),
      ...waiting.map(({ environment }) =>
        commandButton(environment === 'ote' ? 'Queue in OTE' : 'Queue', `/threat queue --env ${environment}`),
      ),
    ),
  ]
}

import { formatElapsed } from '@signalman/runtime'
import { actions, clip, commandButton, commandMenu, context, type Message, section } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { writeFields } from '../../../bot/typed/fields.ts'
import { describePage, listPage } from '../../../bot/views/list-page.ts'
import type { Environment } from '../../../domain/environment.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { QUEUE_FIELDS, type QueueFilters } from '../parse.ts'
import { CASE_STATES } from '../rules/case-steps.ts'
import { readSnapshot } from '../rules/event-snapshot.ts'
import { MAX_COUNTED_CASES, type ThreatCase, type UndecryptableCase } from '../rules/threat-case.ts'
import { describeCaseState, downNotice, STATE_NAMES } from './case-words.ts'

/** A case in a list. Cases that can't be decrypted are listed, too. */
type ListedCase = ThreatCase | UndecryptableCase

export interface QueueRequest extends QueueFilters {
  environment: Environment
}

interface QueuePage {
  cases: readonly ListedCase[]
  /** The requested page, or the last one if there are fewer pages. */
  page: number
  /** Counted up to `MAX_COUNTED_CASES`. */
  total: number
}

export const PAGE_SIZE = 10

const queueLine = ({ environment, page = 1, ...request }: QueueRequest): string =>
  [
    `/threat queue --env ${environment}`,
    ...writeFields(QUEUE_FIELDS, { ...request, ...(page > 1 && { page }) }),
  ].join(' ')

/** A page of the case queue, most severe and oldest first. */
export function queueView({ cases, page, total }: QueuePage, request: QueueRequest, now: Date): Message {
  const { environment, state, mine } = request
  // There may be more cases than were counted.
  const hasNext = total >= MAX_COUNTED_CASES ? cases.length === PAGE_SIZE : page * PAGE_SIZE < total
  const linkTo = (changed: Partial<QueueRequest>): string => queueLine({ ...request, page: 1, ...changed })
  return listPage({
    title: queueTitle(total, request),
    environment,
    subtitle: queueSubtitle({ page, total }, request),
    rows: cases.map((threatCase) => section(caseLines(threatCase, now))),
    previous: page > 1 ? linkTo({ page: page - 1 }) : undefined,
    next: hasNext ? linkTo({ page: page + 1 }) : undefined,
    refreshLine: linkTo({ page }),
    controls: [
      ...(cases.length > 0 ? [commandMenu('Open a case…', cases.map(caseChoice), { inPlace: false })] : []),
      commandMenu('Show…', [
        { label: 'All open', value: linkTo({ state: undefined, mine: undefined }), chosen: !state && !mine },
        { label: 'Mine', value: linkTo({ state: undefined, mine: true }), chosen: !state && mine === true },
        ...CASE_STATES.map((listedState) => ({
          label: STATE_NAMES[listedState],
          value: linkTo({ state: listedState }),
          chosen: listedState === state,
        })),
      ]),
    ],
    now,
  })
}

/** `25 open threat cases`, `You have 1 open threat case`. */
function queueTitle(total: number, { state, mine }: QueueRequest): string {
  const caseKind = `${state ? STATE_NAMES[state] : 'open'} threat`
  if (total === 0) return `${mine ? 'You have no' : 'There are no'} ${caseKind} cases`
  const countText = formatCount(total) + (total >= MAX_COUNTED_CASES ? ' or more' : '')
  return `${mine ? 'You have ' : ''}${countText} ${caseKind} ${total === 1 ? 'case' : 'cases'}`
}

function queueSubtitle({ page, total }: Omit<QueuePage, 'cases'>, { state }: QueueRequest): string {
  if (total === 0)
    return state ? 'Choose another state below.' : 'Take a threat event on its card to open a case.'
  const position =
    total < MAX_COUNTED_CASES ? describePage(page, Math.ceil(total / PAGE_SIZE)) : `page ${page}`
  return ['most severe and oldest first', position].filter(Boolean).join(' · ')
}

function caseLines(listedCase: ListedCase, now: Date): string {
  if ('sealError' in listedCase)
    return `Threat event ${listedCase.eventId}\n${STATE_NAMES[listedCase.state]} · its case can’t be decrypted`
  const { verdict, lines } = readSnapshot(listedCase).card
  return [
    `${lines[0] ?? listedCase.eventId}`,
    verdict,
    `${downNotice(listedCase) ?? describeCaseState(listedCase)} · first step ${formatElapsed(listedCase.openedAt, now)} ago`,
  ].join('\n')
}

function caseChoice(listedCase: ListedCase): { label: string; value: string } {
  const { eventId, environment } = listedCase
  const firstLine = 'sealError' in listedCase ? undefined : readSnapshot(listedCase).card.lines[0]
  return { label: clip(firstLine ?? eventId, 75), value: `/threat case ${eventId} --env ${environment}` }
}

const caseRow = ({ eventId, environment }: ListedCase, text: string): KnownBlock =>
  section(
    text,
    commandButton('Case', `/threat case ${eventId} --env ${environment}`, {
      accessibilityLabel: `Case ${eventId}`,
    }),
  )

/** How many cases an environment has, counted up to `MAX_COUNTED_CASES`. */
interface CaseCount {
  environment: Environment
  count: number
}

/** The cases in a person's App Home. */
export interface HomeCases {
  /** The first of the person's cases, in any environment. */
  shown: readonly ListedCase[]
  /** How many open cases the person has. */
  mine: readonly CaseCount[]
  /** How many cases are open. */
  open: readonly CaseCount[]
}

const inEnvironment = (text: string, environment: Environment): string =>
  environment === 'ote' ? `${text} in OTE` : text

const countText = ({ environment, count }: CaseCount, state: string): string =>
  inEnvironment(
    `${count >= MAX_COUNTED_CASES ? `${formatCount(count)} or more cases` : pluralize(count, 'case')} ${state}`,
    environment,
  )

/** Threat cases in App Home; empty if there are none. The buttons lead to the cases that aren't shown. */
export function homeCaseBlocks({ shown, mine, open }: HomeCases, now: Date): KnownBlock[] {
  const mineCounts = mine.filter(({ count }) => count > 0)
  const openCounts = open.filter(({ count }) => count > 0)
  if (mineCounts.length === 0 && openCounts.length === 0) return []
  const total = mineCounts.reduce((sum, { count }) => sum + count, 0)
  return [
    context(
      [
        total === 0 ? 'You have no threat case' : 'Your threat cases',
        ...(total > shown.length ? mineCounts.map((count) => countText(count, 'yours')) : []),
        ...openCounts.map((count) => countText(count, 'open')),
      ].join(' · '),
    ),
    ...shown.map((threatCase) =>
      caseRow(threatCase, `${caseLines(threatCase, now)}${threatCase.environment === 'ote' ? ' · OTE' : ''}`),
    ),
    ...actions(
      ...mineCounts.map(({ environment }) =>
        commandButton(inEnvironment('All of mine', environment), `/threat queue --mine --env ${environment}`),
      ),
      ...openCounts.map(({ environment }) =>
        commandButton(inEnvironment('Queue', environment), `/threat queue --env ${environment}`),
      ),
    ),
  ]
}

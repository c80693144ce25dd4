import { formatElapsed } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  context,
  date,
  type Fact,
  joinLines,
  type Line,
  lines,
  type Message,
  oneLine,
  table,
  textElement,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { checkAddress, checkName, statusEmoji } from '../../../bot/views/check-facts.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import type { OnIt, Outage } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import type { ListedOutage } from '../rules/card.ts'
import {
  type CardHead,
  getStateOnCard,
  type MultiCheckModel,
  type OutageState,
  type ShownSilence,
} from '../rules/describe-card.ts'
import type { OutageGroup } from '../rules/grouping.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import { describeCoverage, describeEnd, describeSubject, formatSubject, joinParts } from './words.ts'

const MAX_TEXT = 120
/** The most checks to list as text, one per line. */
const MAX_LINES = 20

/** A card about many checks: a table if the workspace supports it, otherwise lines. */
export function multiCheckView(model: MultiCheckModel): Message {
  const { rows, checkCount, downCount, environment } = model
  // A replaced reminder lists nothing.
  const lineList = rows.length > 0 ? listOutages(rows, checkCount, SEE_TIMELINE) : []
  const tableBlock = outagesTable(rows)
  // The first row of the table is its header.
  const remaining = rows.length > 0 ? checkCount - (tableBlock.rows.length - 1) : 0
  const moreBlocks =
    remaining > 0
      ? [context(`${pluralize(remaining, 'more health check')} not shown here. ${SEE_TIMELINE}.`)]
      : []
  const isOver = downCount === 0
  return card({
    headline: [formatTitle(model), ...formatSince(model)],
    notes: isOver ? [] : runbookLines(model),
    facts: [...headFacts(model), ...onItFacts(model)],
    body: [rows.length > 0 ? [tableBlock] : [], moreBlocks],
    classicBody: () => [lineList.length > 0 ? [lines(...lineList)] : []],
    bodyText: lineList,
    smallPrint: environment === 'ote' ? ['OTE test environment'] : [],
    controls: [...takedownButtons(rows), ...cardControls(model, isOver, { kind: 'all' }, [])],
    moreControls: [
      commandButton('Show', '/hc list --status UNHEALTHY'),
      commandButton('History', '/hc history'),
      timelineButton(model),
      ...handOverButtons(model),
    ],
  })
}

const MAX_CASES = 3

/** If a takedown check is down, the page may be gone. These buttons open its case, so that someone can confirm the takedown. */
const takedownButtons = (rows: readonly ListedOutage[]): Button[] =>
  rows
    .filter((outage) => getStateOnCard(outage) === 'down')
    .flatMap(({ check }) => takedownQuestion(check) ?? [])
    .slice(0, MAX_CASES)
    .map(({ showCase: { label, line } }) => commandButton(label, line))

const formatSince = ({ reason, at }: MultiCheckModel): readonly [string, Date] => [
  reason === 'down' ? ' · since ' : ' · as of ',
  at,
]

/** Says that nothing is down anymore. Avoids “up again” if a check was deleted or is being installed. */
function describeRecovery({ checkCount, haveAllRecovered }: MultiCheckModel): string {
  if (haveAllRecovered) return checkCount === 1 ? 'is up again' : 'are all up again'
  return checkCount === 1 ? 'isn’t down anymore' : 'aren’t down anymore'
}

/** A card with this many checks is titled as a storm. */
const STORM_TITLE_SIZE = 5

/** Why outages are posted again. */
const REPOST_TITLES: Readonly<Record<'silence-over' | 'still-down' | 'resumed' | 'reminder', string>> = {
  'silence-over': 'No longer silenced',
  'still-down': 'Still down',
  resumed: 'Signalman can post here again',
  reminder: 'Reminder',
}

/** The name of the first check if the count is 1, because open outages come first. Otherwise, how many checks. */
const nameChecks = ({ rows: [first], environment }: MultiCheckModel, count: number): string =>
  `${count === 1 && first ? checkName(first.check) : pluralize(count, 'health check')}${environmentSuffix(environment)}`

/** `Shop checkout is down (1 of 2)`, or `2 of 5 health checks are down`. */
function describeDown(model: MultiCheckModel): string {
  const { checkCount, downCount } = model
  const isPart = checkCount > downCount
  if (downCount === 1)
    return `${nameChecks(model, 1)} is down${isPart ? ` (1 of ${formatCount(checkCount)})` : ''}`
  return `${isPart ? `${formatCount(downCount)} of ` : ''}${nameChecks(model, checkCount)} are down`
}

function formatTitle(model: MultiCheckModel): string {
  const { checkCount, downCount, movedCount, reason } = model
  const checks = nameChecks(model, checkCount)
  if (reason === 'replaced') return '⚪ Reminder: see the newer one below'
  if (downCount === 0 && movedCount > 0) return `⚪ ${checks}: see the newer message below`
  if (downCount === 0) return `🟢 ${checks} ${describeRecovery(model)}`
  const emoji = statusEmoji('UNHEALTHY')
  if (reason !== 'down') return `${emoji} ${REPOST_TITLES[reason]}: ${describeDown(model)}`
  const stormText = checkCount >= STORM_TITLE_SIZE ? 'Storm: ' : ''
  const stillText = `, ${formatCount(downCount)} still ${downCount === 1 ? 'is' : 'are'}`
  return `${emoji} ${stormText}${checks} went down${downCount === checkCount ? '' : stillText}`
}

function headFacts({ endedAt, at, reason, groupedBy, groups = [], checkCount }: MultiCheckModel): Fact[] {
  return [
    ['Ended', endedAt],
    ['Lasted', endedAt && reason === 'down' ? formatElapsed(at, endedAt) : undefined],
    [groupedBy === 'host' ? 'By host' : 'By name', describeGroups(groups, checkCount)],
  ]
}

function describeGroups(groups: readonly OutageGroup[], total: number): string | undefined {
  if (groups.length === 0) return undefined
  const rest = groups.reduce((left, group) => left - group.total, total)
  const shown = groups.map((group) => `${clip(group.label, 60)} (${formatCount(group.total)})`)
  return [...shown, ...(rest > 0 ? [`${formatCount(rest)} more`] : [])].join(', ')
}

function outagesTable(rows: readonly ListedOutage[]) {
  return table(
    ['State', 'Name', 'Target', 'Since', 'Lasted', 'On it'],
    rows.map((outage) => [
      formatState(outage),
      clip(checkName(outage.check), MAX_TEXT),
      clip(checkAddress(outage.check), MAX_TEXT),
      outage.startedAt,
      outage.endedAt ? formatElapsed(outage.startedAt, outage.endedAt) : '',
      outage.onIt && outage.listed === 'here' ? getPersonName(outage.onIt) : '',
    ]),
  )
}

const STATES: Readonly<Record<OutageState, string>> = {
  down: `${statusEmoji('UNHEALTHY')} Down`,
  recovered: '🟢 Up again',
  installing: '🟡 Being installed',
  deleted: '⚪ Deleted',
  unseen: '⚪ Watching ended',
  unwatched: '⚪ Not watched here',
  moved: '➡️ In a newer message',
}

const formatState = (outage: ListedOutage | Outage): string =>
  `${STATES[getStateOnCard({ listed: 'here', isSilenced: false, ...outage })]}${'isSilenced' in outage && outage.isSilenced && !outage.endedAt ? ' · silenced' : ''}`

/** Points to the timeline, because `/hc list` leaves out deleted checks and checks of the other environment. */
const SEE_TIMELINE = 'Timeline on this card has all of them'

/** The first outages, one per line, and how many more there are. `where` says where to find them. */
export function listOutages(rows: readonly Outage[], total: number, where: string): Line[] {
  const shown = rows.slice(0, MAX_LINES).map(formatOutageLine)
  const remaining = total - shown.length
  return [...shown, ...(remaining > 0 ? [`and ${formatCount(remaining)} more. ${where}.`] : [])]
}

/** `🟢 Up again · Shop checkout (HTTPS shop.example.com) was down from today 2:18 AM, for 24 s`. */
export function formatOutageLine(outage: Outage): readonly (string | Date)[] {
  const { check, startedAt, endedAt, isBaseline } = outage
  const target = checkAddress(check)
  // The start of a baseline outage is unknown.
  const [seenText, atLeastText] = isBaseline ? ['seen ', 'at least '] : ['', '']
  const name = `${formatState(outage)} · ${clip(checkName(check), MAX_TEXT)}${target ? ` (${clip(target, MAX_TEXT)})` : ''}`
  return endedAt
    ? [
        `${name} was ${seenText}down from `,
        startedAt,
        `, for ${atLeastText}${formatElapsed(startedAt, endedAt)}`,
      ]
    : [`${name} since ${atLeastText}`, startedAt]
}

type CardWithButtons = Pick<CardHead, 'cardId' | 'version' | 'onIt' | 'hasUnattended' | 'silence'>

const formatCardCommand = (verb: string, { cardId, version }: CardWithButtons): string =>
  `/hc ${verb} ${quoted(cardId)} --seen ${version}`

/** The card's buttons, most useful first. Everyone sees all of them. A click checks whether the person may use it. */
export function cardControls(
  model: CardWithButtons,
  isOver: boolean,
  subject: SilenceSubject,
  diagnoseButtons: readonly Button[],
): Button[] {
  if (isOver) return []
  const { silence, hasUnattended, onIt: [first] = [] } = model
  const mute =
    silence?.kind === 'mute' ? unmuteButton(silence) : commandButton('Mute', formatMuteCommand(subject))
  const acknowledge = formatCardCommand('watch-ack', model)
  if (hasUnattended || !first) return [commandButton('I’m on it', acknowledge), mute, ...diagnoseButtons]
  return [...diagnoseButtons, mute, commandButton('Take over', `${acknowledge} --over ${quoted(first.by)}`)]
}

/** Buttons for the person who is on the outages. */
export const handOverButtons = (model: CardWithButtons): Button[] =>
  model.onIt
    ? [
        commandButton('Step down', formatCardCommand('watch-step-down', model)),
        commandButton('Hand over', formatCardCommand('watch-hand-over', model)),
      ]
    : []

/** A command that asks how long to mute. */
export const formatMuteCommand = (subject: SilenceSubject): string =>
  `/hc mute ${quoted(formatSubject(subject))}`

/** A button that ends the mute that the card shows, and no other. */
const unmuteButton = ({ planId, subject }: ShownSilence): Button =>
  commandButton('Unmute', `/hc unmute ${quoted(planId)}`, {
    accessibilityLabel: `Unmute ${describeSubject(subject)}`,
  })

export const formatTimelineCommand = (cardId: string): string => `/hc timeline ${quoted(cardId)}`

export const timelineButton = ({ cardId }: Pick<CardHead, 'cardId'>): Button =>
  commandButton('Timeline', formatTimelineCommand(cardId))

/** Runbook links, shown above the facts. */
export const runbookLines = ({ runbooks = [] }: Pick<CardHead, 'runbooks'>): Line[] =>
  runbooks.map((url): Line => ['Runbook: ', { type: 'link', url }])

/** The card's last facts: who is on it, its silence, who is paged next, and when the channel stopped watching. */
export function onItFacts({
  onIt,
  silence,
  nextCall,
  unwatchedAt,
}: Pick<CardHead, 'onIt' | 'silence' | 'nextCall' | 'unwatchedAt'>): Fact[] {
  return [
    ['On it', onIt && joinLines(onIt.map(formatOnIt), '; ')],
    [silence?.kind === 'maintenance' ? 'Maintenance' : 'Muted', silence && describeSilence(silence)],
    [
      'Paged next',
      nextCall && [
        textElement(`${clip(oneLine(nextCall.names), MAX_TEXT)}, `),
        date(nextCall.at),
        textElement(', unless someone is on it'),
      ],
    ],
    ['Not watched here', unwatchedAt && [textElement('since '), date(unwatchedAt)]],
  ]
}

/** Describes the silence. Leaves out its channel, because that is the card's channel unless the silence covers every channel. */
const describeSilence = (silence: ShownSilence): Line =>
  joinParts(
    ...describeCoverage(silence, [silence.channelId]),
    ', ',
    ...describeEnd(silence.to),
    ...(silence.reason ? [`: ${clip(oneLine(silence.reason), MAX_TEXT)}`] : []),
  )

export const formatOnIt = (person: OnIt): Line => [
  textElement(`${getPersonName(person)}, since `),
  date(person.at),
]

/** A name, never a mention: you're never @-mentioned for your own action. */
export const getPersonName = ({ by, name }: Pick<OnIt, 'by' | 'name'>): string => name || by

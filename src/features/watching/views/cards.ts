import { formatElapsed } from '@signalman/runtime'
import {
  actions,
  card,
  clip,
  commandButton,
  formatDate,
  type Line,
  lines,
  lineText,
  literal,
  type Message,
  message,
  mrkdwnSection,
  textElement,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { checkAddress, checkName, describeGaps, statusEmoji } from '../../../bot/views/check-facts.ts'
import { ENVIRONMENT_NAMES, type Environment, environmentSuffix } from '../../../domain/environment.ts'
import { measureDowntime } from '../../../domain/outages/observe.ts'
import type { PollFailure } from '../../../domain/outages/outage.ts'
import { quoted, writePattern } from '../../../domain/quoting.ts'
import { takedownQuestion } from '../../../domain/takedown-checks.ts'
import { formatCount, joinNames, pluralize } from '../../../domain/wording.ts'
import type { ListedIncident } from '../rules/card.ts'
import type { CardModel, ShownSilence } from '../rules/describe-card.ts'
import { isBlindness, type Mention, type PostReason } from '../rules/incident.ts'
import type { SilenceSubject } from '../rules/silence.ts'
import { getPersonName, joinAll, MAX_TEXT, movedLines, statusLines } from './card-status.ts'
import { ENDINGS, formatDowntime } from './outages.ts'
import {
  describeTense,
  formatBlindTitle,
  formatChanged,
  formatFall,
  formatLastSeen,
  lastSeenLines,
  UNREACHABLE_REASONS,
} from './unseen.ts'
import { describeSubject, formatSubject } from './words.ts'

/** The most checks to list as text, one per line. */
const MAX_LINES = 20
const MAX_CASES = 3

/** Renders a card or a page. */
export function cardView(model: CardModel): Message {
  if (model.kind === 'page') return pageView(model)
  const [only] = model.rows
  const blindness = model.rows.find(isBlindness)
  if (model.total === 0) return blindness ? blindView(model, blindness) : emptyView(model)
  return only && model.total === 1 && !blindness ? singleView(model, only) : listView(model)
}

/** Why incidents are posted again. */
const REASON_TEXTS: Readonly<Record<PostReason, string>> = {
  down: '',
  recovered: '',
  'silence-over': 'No longer silenced: ',
  'still-down': 'Still down: ',
  resumed: 'Signalman can post here again: ',
}

/** The state of an incident, such as `🔴 Down`. */
function formatState(incident: ListedIncident): string {
  const { closed, isDown, up, falls, isSilenced } = incident
  if (isBlindness(incident)) return isDown ? '⚫ Can’t be seen' : '🟢 Can be seen again'
  if (closed) return `${ENDINGS[closed.ending].emoji} ${ENDINGS[closed.ending].title}`
  const up_ = up?.isInstalling ? '🟡 Being installed' : '🟢 Up'
  const state = isDown ? `${statusEmoji('UNHEALTHY')} Down${falls > 1 ? ' again' : ''}` : up_
  return `${state}${isSilenced ? ' · silenced' : ''}`
}

/** `Shop checkout`, or the checks of an environment. */
const nameIncident = ({
  check,
  environment,
}: {
  check: ListedIncident['check']
  environment: Environment
}): string => (check.uuid === '' ? `Health checks in ${ENVIRONMENT_NAMES[environment]}` : checkName(check))

/** A card about one check. While it isn't over, it shows what people need to act; afterwards, a single line. */
function singleView(model: CardModel, incident: ListedIncident): Message {
  const { environment } = model
  const { check, isDown, closed, openedAt, falls, onIt } = incident
  const id = quoted(check.uuid)
  const subject = { kind: 'check', uuid: check.uuid, name: check.name } as const
  const address = checkAddress(check)
  const question = isDown ? takedownQuestion(check) : undefined
  const person = closed && onIt ? [` · ${getPersonName(onIt)} was on it`] : []
  return card({
    headline: model.unseen
      ? [formatLastSeen(environment, incident), ' · I haven’t seen it since ', model.unseen.since]
      : [formatSingleTitle(model, incident), ...formatTimes(incident), ...person],
    notes: [
      ...(question
        ? ['The page may be hidden from Signalman. Check from another network before you answer.']
        : []),
      ...(address && !closed ? [address] : []),
      ...(model.unseen ? lastSeenLines(model.unseen, incident) : []),
      ...(falls > 1 && isDown ? [[`Went down ${formatCount(falls)} times since `, openedAt]] : []),
      ...statusLines(model),
      ...runbookLines(model),
      ...movedLines(model),
    ],
    smallPrint: [...closingLines(incident, address), ...testNote(environment)],
    controls: [
      ...(question?.answers ?? []).map(({ label, line }) => commandButton(label, line)),
      ...cardControls(
        model,
        subject,
        question || !isDown ? [] : [commandButton('Diagnose', `/hc diagnose ${id}`)],
      ),
    ],
    moreControls: [
      commandButton('History', `/hc history ${id}`),
      commandButton('Show', `/hc show ${id}`),
      ...minorMuteButton(model, subject),
      ...handOverButtons(model),
    ],
  })
}

/** Whether it was already down when watching began, or when polls worked again. */
const hasUnknownStart = ({ isBaseline, falls, fell }: ListedIncident): boolean =>
  falls === 1 && (isBaseline || fell.unseenSince !== undefined)

/** When it closes, or from when to when it was down. */
function closingLines(incident: ListedIncident, address: string): Line[] {
  const { isDown, closed, openedAt, fell, up } = incident
  const from: Line = ['From ', openedAt, hasUnknownStart(incident) ? ' or earlier' : '']
  const to: Line = [
    ' to ',
    up?.at ?? openedAt,
    up?.unseenSince ? ' at the latest' : '',
    ...describeGaps(fell.gaps),
  ]
  if (closed) return [[...from, ...to], ...(address ? [address] : [])]
  // Without the time, because polls that say nothing put it off.
  return up && !isDown ? ['Closes if it stays up for 10 minutes.'] : []
}

/** Since when it is down or up, and how long it was down. */
function formatTimes(incident: ListedIncident): readonly (string | Date)[] {
  const { isDown, closed, openedAt, up, falls } = incident
  if (isDown) return [' · ', ...formatFall(incident, 'since')]
  const downtime = measureDowntime(incident)
  const wasDown = downtime
    ? `was down ${formatDowntime(downtime)}`
    : `was down ${formatCount(falls)} times within ${formatElapsed(openedAt, up?.at ?? openedAt)}`
  return up && !closed ? [' · ', ...formatChanged(up, 'since'), `, ${wasDown}`] : [` · ${wasDown}`]
}

function formatSingleTitle({ reason, environment }: CardModel, incident: ListedIncident): string {
  const { check, isDown, closed, falls, up } = incident
  const name = `${checkName(check)}${environmentSuffix(environment)}`
  const question = takedownQuestion(check)
  const site = question && `${question.site}${environmentSuffix(environment)}`
  if (isDown && site) return `⚪ ${site} can’t be reached. Is it down?`
  if (isDown)
    return `${statusEmoji('UNHEALTHY')} ${REASON_TEXTS[reason]}${name} is down${falls > 1 ? ' again' : ''}`
  if (closed?.ending === 'deleted') return `⚪ ${name} was deleted`
  if (closed?.ending === 'unseen') return `⚪ ${name} was down when watching ended`
  if (closed?.ending === 'installing' || up?.isInstalling) return `🟡 ${name} is being installed`
  if (site) return `🔴 ${site} is up again`
  return `🟢 ${name} is up again`
}

/** A card about many checks: the names in the first line, then one line for each. */
function listView(model: CardModel): Message {
  const { rows, total, environment, openCount, downCount, unseen } = model
  return card({
    headline: unseen
      ? [formatBlindTitle(environment), ' · since ', unseen.since]
      : [formatListTitle(model), ' · as of ', model.at],
    notes: [
      ...(unseen
        ? [
            UNREACHABLE_REASONS[unseen.failure],
            `When I last saw the checks on this card, ${downCount === 0 ? 'none' : `${formatCount(downCount)} of ${formatCount(total)}`} ${downCount < 2 && downCount > 0 ? 'was' : 'were'} down.`,
          ]
        : []),
      ...statusLines(model),
      ...runbookLines(model),
      ...movedLines(model),
      ...groupLines(model),
    ],
    body: [lines(...listIncidents(model))],
    smallPrint: testNote(environment),
    controls: [...takedownButtons(rows), ...cardControls(model, { kind: 'all' }, [])],
    moreControls: [
      commandButton('Show', '/hc list --status UNHEALTHY'),
      commandButton('History', '/hc history'),
      ...minorMuteButton(model, { kind: 'all' }),
      ...(openCount > 0 ? handOverButtons(model) : []),
    ],
  })
}

/** `Shop checkout, Group wiki, and 3 more are down`; with `(5 of 7)` if the card also lists checks that aren't down. */
function formatListTitle({ total, downCount, reason, environment, rows, endings }: CardModel): string {
  const suffix = environmentSuffix(environment)
  if (downCount > 0) {
    const named = rows.filter((incident) => !isBlindness(incident) && incident.isDown).slice(0, MAX_NAMED)
    const names = named.map(({ check }) => clip(checkName(check), MAX_TITLE_NAME))
    const more = downCount - names.length
    const list = joinNames(more > 0 ? [...names, `${formatCount(more)} more`] : names)
    const share = downCount < total ? ` (${formatCount(downCount)} of ${formatCount(total)})` : ''
    return `${statusEmoji('UNHEALTHY')} ${REASON_TEXTS[reason]}${list}${suffix} ${downCount === 1 ? 'is' : 'are'} down${share}`
  }
  const checks = `${pluralize(total, 'health check')}${suffix}`
  return `${endings.includes('unseen') ? '⚪' : '🟢'} ${checks} ${describeEndings(endings, total)}`
}

/** How incidents that aren’t down ended. What nobody watches anymore may still be down. */
function describeEndings(endings: CardModel['endings'], total: number): string {
  const [isOrAre, wasOrWere] = total === 1 ? ['is', 'was'] : ['are', 'were']
  if (endings.includes('unseen'))
    return endings.length === 1
      ? `${wasOrWere} down when watching ended`
      : `${isOrAre}n’t down anymore, or ${wasOrWere} down when watching ended`
  if (endings.length > 1 || !endings.includes('recovered')) return `${isOrAre}n’t down anymore`
  return total === 1 ? 'is up again' : 'are all up again'
}

/** The most checks to name in a title. The lines below have the others. */
const MAX_NAMED = 2
const MAX_TITLE_NAME = 60

/** A card from which everything has gone to newer ones. */
const emptyView = (model: CardModel): Message =>
  card({
    headline: `⚪ Nothing is listed here anymore${environmentSuffix(model.environment)}`,
    notes: movedLines(model),
    controls: [commandButton('History', '/hc history')],
  })

const FIXED_BY_TOKEN: ReadonlySet<PollFailure> = new Set(['unauthorized', 'not-connected', 'refused'])

/** A card about an environment whose checks can't be seen. */
function blindView(model: CardModel, { isDown, fell, up, failure = 'unreachable' }: ListedIncident): Message {
  const { environment } = model
  return card({
    headline: isDown
      ? [formatBlindTitle(environment), ' · since ', fell.at]
      : [
          `🟢 I can see the health checks${environmentSuffix(environment)} again`,
          ` · after ${formatElapsed(fell.at, up?.at ?? fell.at)}`,
        ],
    notes: [
      isDown ? UNREACHABLE_REASONS[failure] : `The reason was: ${UNREACHABLE_REASONS[failure]}`,
      ...statusLines(model),
      ...movedLines(model),
    ],
    smallPrint: [
      isDown
        ? `Until I can, no outage${environmentSuffix(environment)} is posted here, and nobody is paged about one. No news doesn’t mean that everything is up.`
        : 'Outages that began and ended during this time weren’t detected.',
      ...testNote(environment),
    ],
    controls: [
      ...(isDown && FIXED_BY_TOKEN.has(failure)
        ? [commandButton('Store a token', `/hc connect --env ${environment}`)]
        : []),
      ...(isDown ? onItButtons(model) : []),
    ],
    moreControls: [commandButton('Summary', '/hc'), ...handOverButtons(model)],
  })
}

export const formatMention = ({ id, isGroup }: Mention): string => (isGroup ? `<!subteam^${id}>` : `<@${id}>`)

/** Since when a page's outages have waited for someone. Of several, the page names the longest wait. */
export const describeWait = (since: Date, total: number): string =>
  `${total === 1 ? 'It' : 'At least one of them'} has waited for someone since ${formatDate(since)}.`

/** `Shop checkout is down. It has waited for someone since today 2:18 AM.` */
function describePaged({
  page,
  rows,
  endings,
  total,
  downCount,
  openCount,
  hasUnattended,
  environment,
  unseen,
}: CardModel): string {
  const [first] = rows
  const checks = first && total === 1 ? literal(checkName(first.check)) : pluralize(total, 'health check')
  const named = `${checks}${environmentSuffix(environment)}`
  const be = describeTense(total, unseen)
  const when = unseen ? ` when I last saw ${total === 1 ? 'it' : 'them'}` : ''
  if (downCount === 0)
    return openCount > 0 ? `${named} ${be} up${when}.` : `${named} ${describeEndings(endings, total)}.`
  const down =
    downCount < total
      ? `${named} were down, and ${formatCount(downCount)} still ${describeTense(downCount, unseen)}${when}.`
      : `${named} ${be} down${when}.`
  return page && hasUnattended ? `${down} ${describeWait(page.since, total)}` : down
}

/** A page: mentions people, names exactly what it is about, and lets them take exactly that. */
function pageView(model: CardModel): Message {
  const { page, downCount, onIt } = model
  const mentions = page?.mentions ?? []
  const people = onIt.length > 0 ? ` On it: ${literal(onIt.map(getPersonName).join(', '))}.` : ''
  const instead = [...new Set(mentions.flatMap(({ insteadOf }) => insteadOf ?? []))]
  const insteadText =
    instead.length > 0 ? ` This goes to you because Slack can’t notify ${literal(instead.join(', '))}.` : ''
  const text = `${mentions.map(formatMention).join(' ')} ${describePaged(model)}${people}${insteadText}`
  const list = listIncidents(model)
  return message(
    [text, ...list.map(lineText)].join('\n'),
    mrkdwnSection(text),
    lines(...list),
    ...actions(...(downCount > 0 ? onItButtons(model) : [])),
  )
}

function listIncidents({ rows, total, environment, unseen }: CardModel): Line[] {
  const shown = rows
    .slice(0, MAX_LINES)
    .map((incident) => formatIncidentLine(incident, environment, unseen !== undefined))
  const remaining = total + rows.filter(isBlindness).length - shown.length
  return [...shown, ...(remaining > 0 ? [`and ${formatCount(remaining)} more`] : [])]
}

/** `🔴 Shop checkout · since today 2:18 AM · Bea is on it`. The title says that it's down. */
function formatIncidentLine(incident: ListedIncident, environment: Environment, isUnseen: boolean): Line {
  const { check, isDown, closed, onIt } = incident
  const isPast = isUnseen && !closed && !isBlindness(incident)
  const name = textElement(clip(nameIncident({ check, environment }), MAX_TEXT), { bold: true })
  const person = onIt && !closed ? ` · ${clip(getPersonName(onIt), MAX_TEXT)} is on it` : ''
  return joinAll(
    formatMark(incident, isPast),
    [name],
    isDown ? formatSince(incident, isPast) : formatPast(incident),
    person,
  )
}

/** What a line begins with. `isPast`: the check was seen before, and can't be seen now. */
function formatMark(incident: ListedIncident, isPast: boolean): string {
  if (isPast) return incident.isDown ? '⚫ Was down · ' : '⚫ Was up · '
  return incident.isDown && !isBlindness(incident)
    ? `${statusEmoji('UNHEALTHY')} `
    : `${formatState(incident)} · `
}

function formatSince(incident: ListedIncident, isPast: boolean): Line {
  const { falls, isSilenced } = incident
  const fall = formatFall(incident, isPast ? 'from' : 'since')
  return joinAll(falls > 1 ? ' · again ' : ' · ', fall, isSilenced ? ' · silenced' : '')
}

function formatPast(incident: ListedIncident): Line {
  const { openedAt, up, isBaseline, falls } = incident
  const past = isBlindness(incident)
    ? ' couldn’t be seen'
    : ` was ${isBaseline || hasUnknownStart(incident) ? 'seen ' : ''}down`
  const downtime = isBlindness(incident) ? undefined : measureDowntime(incident)
  const lasted = formatElapsed(openedAt, up?.at ?? openedAt)
  return falls > 1
    ? [`${past} ${formatCount(falls)} times from `, openedAt, `, within ${lasted}`]
    : [`${past} from `, openedAt, `, for ${downtime ? formatDowntime(downtime) : lasted}`]
}

/** What most of the checks have in common, if there are too many to list. */
function groupLines({ groups = [], groupedBy, downCount, total }: CardModel): Line[] {
  if (total <= MAX_LINES || groups.length === 0) return []
  const rest = groups.reduce((left, group) => left - group.total, downCount)
  const shown = groups.map((group) => `${clip(group.label, 60)} (${formatCount(group.total)})`)
  const all = [...shown, ...(rest > 0 ? [`${formatCount(rest)} more`] : [])].join(', ')
  return [`By ${groupedBy === 'host' ? 'host' : 'name'}: ${all}`]
}

/** If a takedown check is down, the page may be gone. These buttons open its case, so that someone can confirm the takedown. */
const takedownButtons = (rows: readonly ListedIncident[]): Button[] =>
  rows
    .filter(({ isDown }) => isDown)
    .flatMap(({ check }) => takedownQuestion(check) ?? [])
    .slice(0, MAX_CASES)
    .map(({ showCase: { label, line } }) => commandButton(label, line))

const testNote = (environment: Environment): Line[] => (environment === 'ote' ? ['OTE test environment'] : [])

const formatCardCommand = (
  verb: string,
  { cardId, version }: Pick<CardModel, 'cardId' | 'version'>,
): string => `/hc ${verb} ${quoted(cardId)} --seen ${version}`

/** **I’m on it**, or **Take over** if somebody is on everything that is down. Nothing if somebody is on what came up again. */
function onItButtons(model: CardModel): Button[] {
  const acknowledge = formatCardCommand('watch-ack', model)
  const [first] = model.onIt
  if (model.hasUnattended) return [commandButton('I’m on it', acknowledge)]
  return first ? [commandButton('Take over', `${acknowledge} --over ${quoted(first.by)}`)] : []
}

/** The card's buttons, most useful first. Everyone sees all of them. A click checks whether the person may use it. */
function cardControls(
  model: CardModel,
  subject: SilenceSubject,
  diagnoseButtons: readonly Button[],
): Button[] {
  if (model.openCount === 0) return []
  const mute = isMuteMinor(model) ? [] : [muteButton(model, subject)]
  const onIt = onItButtons(model)
  return model.hasUnattended ? [...onIt, ...mute, ...diagnoseButtons] : [...diagnoseButtons, ...mute, ...onIt]
}

/** Whether what the card lists is up again, so that muting it isn't the next step. */
const isMuteMinor = ({ openCount, downCount, hasUnattended }: CardModel): boolean =>
  openCount > 0 && downCount === 0 && !hasUnattended

const minorMuteButton = (model: CardModel, subject: SilenceSubject): Button[] =>
  isMuteMinor(model) ? [muteButton(model, subject)] : []

const muteButton = ({ silence }: CardModel, subject: SilenceSubject): Button =>
  silence?.kind === 'mute' ? unmuteButton(silence) : commandButton('Mute…', formatMuteCommand(subject))

/** Buttons for the person who is on the incidents. */
const handOverButtons = (model: CardModel): Button[] =>
  model.onIt.length > 0
    ? [
        commandButton('Step down', formatCardCommand('watch-step-down', model)),
      ]
    : []

/** A command that asks how long to mute. */
export const formatMuteCommand = (subject: SilenceSubject): string =>
  `/hc mute ${writePattern(formatSubject(subject))}`

/** A button that ends the mute that the card shows, and no other. */
const unmuteButton = ({ planId, subject }: ShownSilence): Button =>
  commandButton('Unmute', `/hc unmute ${quoted(planId)}`, {
    accessibilityLabel: `Unmute ${describeSubject(subject)}`,
  })

/** Runbook links, shown above the facts. */
const runbookLines = ({ runbooks }: Pick<CardModel, 'runbooks'>): Line[] =>
  runbooks.map((url): Line => ['Runbook: ', { type: 'link', url }])

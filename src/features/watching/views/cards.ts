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
import { checkAddress, checkName, NO_CAUSE, statusEmoji } from '../../../bot/views/check-facts.ts'
import { describeDown, describeOnIt } from '../../../bot/views/down.ts'
import { ENVIRONMENT_NAMES, environmentSuffix } from '../../../domain/environment.ts'
import { getWasOnIt, type Incident, isNoData } from '../../../domain/outages/incident.ts'
import type { OnIt, OutageEnding, WasOnIt } from '../../../domain/outages/outage.ts'
import {
  formatDownFor,
  formatDownSince,
  formatInAll,
  formatWasDown,
  formatWereDown,
  getFall,
} from '../../../domain/outages/spell.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, joinNames, pluralize } from '../../../domain/wording.ts'
import type { NextPage } from '../rules/channel/state.ts'
import { formatResponders } from '../rules/page-step.ts'
import { listRunbooks } from '../rules/runbook.ts'
import type { Said } from '../rules/said.ts'
import type { ShownPost } from '../rules/shown-post.ts'
import { findSilenced } from '../rules/silence.ts'
import { personButtons, stepDownLine, takeButtons } from './on-it-buttons.ts'
import { describeUnseen, incidentName, UNSEEN_REASONS } from './words.ts'

/** The most checks to list as text, one per line, and to name in a title. */
const MAX_LINES = 20
const MAX_NAMED = 2
const MAX_TEXT = 120
const MAX_TITLE_NAME = 60
/** What is said of the names fits behind them, also where they are full of characters to escape. */
const MAX_NAMES_LENGTH = 1200

export const ENDINGS: Readonly<Record<OutageEnding, { emoji: string; word: string; words: string }>> = {
  recovered: { emoji: '🟢', word: 'is up again', words: 'are up again' },
  installing: {
    emoji: '🟡',
    word: 'isn’t down, but not seen up yet',
    words: 'aren’t down, but not seen up yet',
  },
  deleted: { emoji: '⚪', word: 'was deleted', words: 'were deleted' },
  unseen: { emoji: '⚪', word: 'was down when watching ended', words: 'were down when watching ended' },
}

/** How an incident that isn't down has ended, or would end now. */
const getEnding = ({ ending, isInstalling }: Incident): OutageEnding =>
  ending ?? (isInstalling ? 'installing' : 'recovered')

/** How these have ended, or would end now. What nobody sees anymore may be down. */
function describeEndings(incidents: readonly Incident[]): { emoji: string; words: string } {
  const endings = new Set(incidents.map(getEnding))
  const [ending = 'recovered', another] = endings
  const { emoji, word, words } = ENDINGS[ending]
  if (!another) return { emoji, words: incidents.length === 1 ? word : words }
  return endings.has('unseen')
    ? { emoji: '⚪', words: 'aren’t watched anymore' }
    : { emoji: '🟢', words: 'aren’t down anymore' }
}

/**
 * A card: the names of what is down in the first line, who is on it, and one line for each check. `userId`: who alone reads it, in its
 * thread.
 */
export function cardView(shown: ShownPost, userId?: string): Message {
  const { incidents, unseen, post } = shown
  const [noData] = incidents.filter(isNoData)
  const checks = incidents.filter((incident) => !isNoData(incident))
  const [only] = checks
  const isSingle = only !== undefined && checks.length === 1 && !noData
  const open = incidents.filter(({ closedAt }) => !closedAt)
  const address = isSingle ? checkAddress(only.check) : ''
  return card({
    headline: formatTitle(shown, checks, noData),
    notes: [
      ...(noData?.isDown && noData.failure ? [UNSEEN_REASONS[noData.failure]] : []),
      ...(unseen && !noData && open.length > 0 ? [describeUnseen(unseen)] : []),
      ...(address ? [address] : []),
      ...(post.unlisted ? [describeUnlisted(post.unlisted)] : []),
      ...statusLines(shown, open),
      ...listRunbooks(
        open.map(({ check }) => check),
        shown.watches,
      ).map((url): Line => ['Runbook: ', { type: 'link', url }]),
    ],
    body: isSingle || incidents.length === 1 ? [] : [lines(...listIncidents(shown))],
    smallPrint: [
      ...(userId !== undefined && checks.some(({ isDown }) => isDown) ? [NO_CAUSE] : []),
      ...listSmallPrint(shown, noData, open.length === 0),
    ],
    controls: controls(shown, open, userId),
    moreControls: [
      ...(isSingle
        ? [
            commandButton('History', `/hc history ${quoted(only.check.uuid)}`),
            commandButton('Show', `/hc show ${quoted(only.check.uuid)}`),
          ]
        : [
            commandButton('History', '/hc history'),
            commandButton('What is down', '/hc list --status UNHEALTHY'),
          ]),
      ...(userId === undefined && open.some(({ isDown, onIt }) => isDown && onIt)
        ? [commandButton('Step down', stepDownLine(post.id))]
        : []),
    ],
  })
}

const describeUnlisted = (count: number): string =>
  `${pluralize(count, 'more health check')} ${count === 1 ? 'is' : 'are'} down that this channel doesn’t list.`

function listSmallPrint(
  { target, post, at }: ShownPost,
  noData: Incident | undefined,
  isOver: boolean,
): Line[] {
  return [
    ...(noData?.isDown
      ? ['Until I can, no outage is posted here. No news doesn’t mean that everything is up.']
      : []),
    ...(target.environment === 'ote' ? ['OTE test environment'] : []),
    ...(isOver ? [['As of ', post.closedAt ?? at] as const] : []),
  ]
}

function formatTitle(
  { target: { environment }, alreadyDown }: ShownPost,
  checks: readonly Incident[],
  noData: Incident | undefined,
): Line {
  const suffix = environmentSuffix(environment)
  if (noData && checks.length === 0)
    return noData.isDown
      ? [`⚫ I can’t see the health checks${suffix} · `, ...formatDownSince(noData)]
      : `🟢 I can see the health checks${suffix} again ·${formatAfter([noData], true)}`
  if (checks.length === 0) return `⚪ This channel doesn’t watch this anymore${suffix}`
  const down = checks.filter(({ isDown }) => isDown)
  const [only] = checks
  if (only && checks.length === 1) return formatSingle(only, suffix, alreadyDown.has(only.id))
  if (down.length === 0) {
    const { emoji, words } = describeEndings(checks)
    return `${emoji} ${pluralize(checks.length, 'health check')}${suffix} ${words}`
  }
  const names = down.slice(0, MAX_NAMED).map(({ check }) => clip(checkName(check), MAX_TITLE_NAME))
  const more = down.length - names.length
  const list = joinNames(more > 0 ? [...names, `${formatCount(more)} more`] : names)
  const share =
    down.length < checks.length ? ` (${formatCount(down.length)} of ${formatCount(checks.length)})` : ''
  const already = down.every(({ id }) => alreadyDown.has(id)) ? 'already ' : ''
  return `${statusEmoji('UNHEALTHY')} ${list}${suffix} ${down.length === 1 ? 'is' : 'are'} ${already}down${share}`
}

function formatSingle(incident: Incident, suffix: string, isAlready: boolean): Line {
  const { check, isDown, downs } = incident
  const name = `${checkName(check)}${suffix}`
  if (isDown)
    return [
      `${statusEmoji('UNHEALTHY')} ${name} is down${downs.length > 1 ? ' again' : ''}`,
      isAlready ? ' · already down when the watch began, ' : ' · ',
      ...formatDownSince(incident),
    ]
  const { emoji, words } = describeEndings([incident])
  return [`${emoji} ${name} ${words}`, ` · was down ${formatWasDown(incident)}${wasOnIt(incident)}`]
}

const wasOnIt = ({ onIt }: Incident): string =>
  onIt ? ` · ${clip(onIt.name || onIt.by, MAX_TEXT)} was on it` : ''

function announcePage(
  { names, at }: NextPage,
  [only, another]: readonly Incident[],
  nextPaged: ShownPost['nextPaged'] = { names },
): readonly Line[] {
  const inAll = only && !another ? formatInAll(only, at) : undefined
  const when = [at, inAll ? `, after ${inAll}.` : '.']
  return 'nobody' in nextPaged
    ? [` ${clip(nextPaged.nobody, MAX_TEXT)}, so the owner of the watch or an admin gets a page `, ...when]
    : [` Pages ${clip(nextPaged.names, MAX_TEXT)} `, ...when]
}

function statusLines({ post, silences, nextPaged }: ShownPost, open: readonly Incident[]): Line[] {
  const down = open.filter(({ isDown }) => isDown)
  if (down.length === 0) return open.length > 0 ? ['Closes after 30 minutes without another outage.'] : []
  const people = new Map(down.flatMap(({ onIt }) => (onIt ? [[onIt.by, onIt]] : [])))
  const free = down.filter(({ onIt }) => !onIt).length
  const whom = people.size === 0 ? 'it' : free === 1 ? 'the other one' : 'the others'
  const { nextPage } = post
  const silenced = down.map(({ check }) => findSilenced(silences, check))
  // From the first end on, not everything is silenced.
  const [silence] = silenced.includes(undefined)
    ? []
    : silenced.toSorted((one, other) => Number(one?.until) - Number(other?.until))
  const next = nextPage ? announcePage(nextPage, down, nextPaged) : []
  return [
    ...[...people.values()].map((onIt): Line => [...describeOnIt(onIt), '.']),
    ...(free > 0 ? [[`Nobody is on ${whom}.`, ...next]] : []),
    ...(silence
      ? [[silence.silence.isMaintenance ? 'In maintenance until ' : 'Muted until ', silence.until] as const]
      : []),
  ]
}

/** Down ones first, in the order of the title. */
function listIncidents({ incidents, alreadyDown, target: { environment } }: ShownPost): Line[] {
  const down = incidents.filter(({ isDown }) => isDown)
  const rows = [...down, ...incidents.filter(({ isDown }) => !isDown)]
  const shown = rows.slice(0, MAX_LINES).map((incident): Line => {
    const { check, isDown, onIt } = incident
    const name = check.uuid === '' ? `Health checks in ${ENVIRONMENT_NAMES[environment]}` : checkName(check)
    const bold = textElement(clip(name, MAX_TEXT), { bold: true })
    if (isDown)
      return [
        `${statusEmoji('UNHEALTHY')} `,
        bold,
        alreadyDown.has(incident.id) ? ' · already down ' : ' · ',
        // That nobody is on the others stands above the list.
        onIt ? describeDown({ ...getFall(incident), onIt }) : formatDownSince(incident),
      ]
    return [
      `${ENDINGS[getEnding(incident)].emoji} `,
      bold,
      ` was down ${formatWasDown(incident)}, from `,
      incident.openedAt,
      wasOnIt(incident),
    ]
  })
  const rest = rows.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${formatCount(rest)} more`] : [])]
}

function controls(
  { post, watches }: ShownPost,
  open: readonly Incident[],
  userId: string | undefined,
): Button[] {
  if (open.length === 0) return []
  const checks = open.filter((incident) => !isNoData(incident))
  const down = checks.filter(({ isDown }) => isDown)
  const [only, another] = down.length > 0 ? down : checks
  const onIt =
    userId === undefined
      ? onItButtons(post.id, open)
      : personButtons({ id: post.id, down: open.filter(({ isDown }) => isDown) }, userId)
  const others = [
    ...(watches.some(({ page }) => page) && down.length > 0
      ? [commandButton('Page now', `/hc watch-page ${quoted(post.id)}`)]
      : []),
    ...(another
      ? [muteButton(post.id, checks.length)]
      : only
        ? [commandButton('Mute…', `/hc mute ${quoted(only.check.uuid)}`)]
        : []),
  ]
  // Whoever has just taken everything isn't offered first to take it over.
  const isFree = open.some((incident) => incident.isDown && !incident.onIt)
  return isFree || userId !== undefined ? [...onIt, ...others] : [...others, ...onIt]
}

/** Mutes what the card lists, one by one. If that is a lot, everything. */
const muteButton = (id: string, count: number): Button =>
  count > MAX_LINES
    ? commandButton('Mute this channel…', '/hc mute all')
    : commandButton('Mute all…', `/hc watch-mute ${quoted(id)}`)

const onItButtons = (id: string, open: readonly Incident[]): Button[] =>
  takeButtons({ id, down: open.filter(({ isDown }) => isDown) })

const formatMentions = ({ responders = [] }: ShownPost['post']): string[] =>
  responders.map(({ id, name, isGroup }) =>
    id === undefined ? literal(name) : isGroup ? `<!subteam^${id}>` : `<@${id}>`,
  )

/** `ts`: the message, if it was sent. */
type ShownNote = ShownPost & { readonly ts?: string | undefined }

/**
 * A note: names what is down with nobody on it, or down again, and mentions people if it's a page. Once it was sent, it says what is so
 * now, since a phone's notification opens it.
 */
export function noteView(shown: ShownNote, cards: readonly string[] = []): Message {
  const { post, incidents, unseen, ts } = shown
  const isOpen = incidents.some(({ closedAt }) => !closedAt)
  // Newer notes name what isn't over.
  const isOutdated = post.closedAt !== undefined && isOpen
  const now = isOutdated
    ? [`⚪ There are newer messages about ${nameIncidents(incidents)}.`]
    : describeNow(shown)
  const asked = post.askedBy && ts === undefined ? [`${literal(post.askedBy)} paged you.`] : []
  const asOfText =
    unseen && ts !== undefined && isOpen && !isOutdated ? [lineText(describeUnseen(unseen))] : []
  const text = [...formatMentions(post), ...now, ...asked, ...asOfText, ...linkCards(cards)].join(' ')
  const down = isOutdated ? [] : incidents.filter(({ isDown }) => isDown)
  // Whoever was asked to take it over can. Others find that on the card.
  const isOffered = ts === undefined || post.askedBy !== undefined || down.some(({ onIt }) => !onIt)
  return message(text, mrkdwnSection(text), ...actions(...(isOffered ? onItButtons(post.id, down) : [])))
}

const linkCards = (cards: readonly string[]): string[] =>
  cards.map((url, index) => `<${url}|${cards.length > 1 ? `Card ${index + 1}` : 'Card'}>`)

/** A page to the owner of a watch, whose channel accepts no messages, or has nobody whom it pages. It isn't edited, so it says as of when it is. */
export function ownerPageView(shown: ShownPost, isPaused: boolean): Message {
  const { post, incidents, target, at } = shown
  const whom = literal(formatResponders(post.responders ?? []))
  const who = post.askedBy ? `${literal(post.askedBy)} asked to page` : 'Signalman would have paged'
  const text = [
    ...describeNow(shown),
    `${who} ${whom} in <#${target.channelId}>, but Slack ${isPaused ? 'accepted no messages' : 'couldn’t notify them'} there.`,
    `As of ${formatDate(at)}.`,
  ].join(' ')
  return message(text, mrkdwnSection(text), ...actions(...onItButtons(post.id, incidents)))
}

/** What is down and for how long, who is on it, and what is up again. Its first words have to do on a lock screen. */
function describeNow(shown: ShownNote): string[] {
  const { post, incidents, target, ts } = shown
  const suffix = environmentSuffix(target.environment)
  if (incidents.length === 0) return [`⚪ This channel doesn’t watch this anymore${suffix}.`]
  // What is sent tells also who was on it until now, and mentions whoever is.
  const toName = ts === undefined ? mention : ({ by, name }: OnIt) => literal(name || by)
  const [down, up] = [true, false].map((is) => incidents.filter(({ isDown }) => isDown === is)) as [
    Incident[],
    Incident[],
  ]
  const free = down.filter(({ onIt }) => !onIt)
  const left =
    ts === undefined
      ? free
          .map((incident) => ({ ...incident, wasOnIt: getWasOnIt(incident) }))
          .filter(({ wasOnIt }) => wasOnIt)
      : []
  const taken = Map.groupBy(down, ({ onIt }) => onIt?.by)
  taken.delete(undefined)
  return [
    ...(free.length > 0
      ? [`${nameDown(shown, free)}, and nobody is on ${itOrThem(free)}${left.length > 0 ? ' now' : ''}.`]
      : []),
    ...(['relapse', 'stepped-down', 'left'] as const).flatMap((because) =>
      describeLeft(
        left.filter(({ wasOnIt }) => wasOnIt?.because === because),
        because,
        { isAll: left.length === free.length, isPage: post.responders !== undefined },
      ),
    ),
    ...[...taken.values()].map(
      (alike) =>
        `${nameDown(shown, alike)}. ${namePeople(alike, ['is', 'are'], toName)} on ${itOrThem(alike)}.`,
    ),
    ...(up.length > 0 ? [describeUp(up, suffix, toName)] : []),
  ]
}

/** `🔴 web-1 has been down for 10 min`, or `🔴 web-1, web-2, and 3 more have been down for up to 10 min`. */
function nameDown({ target, at, ts }: ShownNote, incidents: readonly Incident[]): string {
  const name = `${statusEmoji('UNHEALTHY')} ${nameIncidents(incidents)}${environmentSuffix(target.environment)}`
  const [only, another] = incidents
  const single = another ? undefined : only
  const down = single && single.downs.length > 1 ? 'down again' : 'down'
  // An edit is read long after it. Each of several has its own time, which the card says.
  const since = ts === undefined ? formatDownFor(incidents, at) : single && lineText(formatDownSince(single))
  const inAll = single && ts === undefined ? formatInAll(single, at) : undefined
  const total = inAll ? `, ${inAll}` : ''
  if (since === undefined) return `${name} ${another ? 'are' : 'is'} ${down}${total}`
  return `${name} ${another ? 'have' : 'has'} been ${down} ${ts === undefined ? 'for ' : ''}${since}${total}`
}

/** Who was on it. Whoever was on it until it went down again is mentioned, but a page mentions only whom it pages. */
function describeLeft(
  incidents: readonly Incident[],
  because: WasOnIt['because'],
  { isAll, isPage }: { isAll: boolean; isPage: boolean },
): string[] {
  const mentions = because === 'relapse' && !isPage
  const people = new Set(
    incidents.flatMap(({ wasOnIt: was }) => (was ? [mentions ? `<@${was.by}>` : literal(was.name)] : [])),
  )
  if (people.size === 0) return []
  const [who, what] = [joinNames([...people]), isAll ? itOrThem(incidents) : nameIncidents(incidents)]
  const were = people.size === 1 ? 'was' : 'were'
  if (because === 'stepped-down') return [`${who} stepped down${isAll ? '' : ` from ${what}`}.`]
  if (because === 'relapse') return [`${who} ${were} on ${what} before.`]
  return [`${who} ${were} on ${what}, and can’t be anymore.`]
}

function nameIncidents(incidents: readonly Incident[]): string {
  const listed = incidents
    .slice(0, MAX_LINES)
    .map(({ check }) => literal(clip(incidentName(check), MAX_TITLE_NAME)))
  const names = listed.filter((_, index) => listed.slice(0, index + 1).join('').length <= MAX_NAMES_LENGTH)
  const more = incidents.length - names.length
  return joinNames(more > 0 ? [...names, `${formatCount(more)} more`] : names)
}

const itOrThem = ({ length }: readonly Incident[]): string => (length === 1 ? 'it' : 'them')

const mention = ({ by }: OnIt): string => `<@${by}>`

/** `@Ann was`, or `@Ann and @Bo were`. */
function namePeople(
  incidents: readonly Incident[],
  [one, several]: readonly [string, string],
  toName: (onIt: OnIt) => string = mention,
): string {
  const people = [...new Set(incidents.flatMap(({ onIt }) => (onIt ? [toName(onIt)] : [])))]
  return people.length === 0 ? '' : `${joinNames(people)} ${people.length === 1 ? one : several}`
}

export function upView({ incidents, target }: ShownPost): Message {
  const text = describeUp(incidents, environmentSuffix(target.environment), mention)
  return message(text, mrkdwnSection(text))
}

function describeUp(incidents: readonly Incident[], suffix: string, toName: (onIt: OnIt) => string): string {
  const [first] = incidents
  const people = namePeople(incidents, ['was', 'were'], toName)
  const taken = incidents.filter(({ onIt }) => onIt)
  const isOne = incidents.length === 1
  const isRecovered = incidents.every((incident) => getEnding(incident) === 'recovered')
  const { emoji, words } = describeEndings(incidents)
  const sentence =
    isOne && first && isNoData(first)
      ? `I can see the health checks${suffix} again`
      : `${nameIncidents(incidents)}${suffix} ${words}`
  return [
    `${emoji} ${sentence}${formatAfter(incidents, isRecovered)}.`,
    ...(people
      ? [`${people} on ${taken.length === incidents.length ? itOrThem(incidents) : nameIncidents(taken)}.`]
      : []),
  ].join(' ')
}

/** ` after 4 min`, ` after being down (or not seeing them) 3 times within 2 h`, ` after up to 4 min`, or `, was down 4 min`. */
function formatAfter(incidents: readonly Incident[], isRecovered: boolean): string {
  const [only, another] = incidents
  const lasted = only && !another ? formatWasDown(only) : formatWereDown(incidents)
  if (!another && !isRecovered) return `, was down ${lasted}`
  const isAgain = only && !another && only.downs.length > 1
  return ` after ${isAgain ? (isNoData(only) ? 'not seeing them ' : 'being down ') : ''}${lasted}`
}

export function saidView(content: string): Message {
  // Cast: only Signalman writes this column.
  const { line, button } = JSON.parse(content) as Said
  return message(
    lineText(line),
    lines(line),
    ...actions(...(button ? [commandButton(button.label, button.line)] : [])),
  )
}

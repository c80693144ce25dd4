import { lasted } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  context,
  date,
  type Fact,
  joined,
  type Line,
  lines,
  type Message,
  oneLine,
  table,
  words,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { checkAddress, checkName, statusSign } from '../../../bot/views/check-facts.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { Acknowledgement } from '../rules/card.ts'
import type { CardHead, ManyModel, MuteShown } from '../rules/describe-card.ts'
import type { OutageGroup } from '../rules/grouping.ts'
import type { MuteSubject } from '../rules/watch.ts'
import { subjectName, subjectTyped, UNWATCHED } from './words.ts'

type StormModel = Extract<ManyModel, { kind: 'storm' }>
type StillDownModel = Exclude<ManyModel, StormModel>

const CELL = 120
/** In the notification and in classic blocks, where each takes a line of its own. */
const LINES = 20

/** A card about many checks at once: a table of them where the workspace takes tables, lines elsewhere. */
export function manyView(model: ManyModel): Message {
  const { rows, total, stillDown, unwatchedAt, environment } = model
  // One that a newer reminder follows shows none, and no more than none.
  const told = rows.length > 0 ? linesOf(rows, total) : []
  const drawn = outagesTable(rows)
  const left = rows.length > 0 ? total - (drawn.rows.length - 1) : 0
  const more =
    left > 0 ? [context(`${counted(left, 'more health check')} not shown here: /hc list has them.`)] : []
  const isOver = stillDown === 0 || unwatchedAt !== undefined
  return card({
    answer: [titleOf(model), ...sinceOf(model)],
    notes: isOver ? [] : runbookLines(model),
    facts: [...headFacts(model), ...acknowledgementFacts(model, stillDown === 0)],
    body: [rows.length > 0 ? [drawn] : [], more],
    classicBody: () => [told.length > 0 ? [lines(...told)] : []],
    bodyText: told,
    small: environment === 'ote' ? ['OTE test environment'] : [],
    controls: cardControls(model, isOver, { kind: 'all' }, []),
    more: [
      commandButton('Show', '/hc list --status UNHEALTHY'),
      commandButton('History', '/hc history'),
      timelineButton(model),
    ],
  })
}

/** A summary is as of its time; what came up again since is said beside it. */
function sinceOf(model: ManyModel): readonly [string, Date] {
  if (model.kind === 'storm') return [' · since ', model.since]
  const { reason, stillDown, total, at } = model
  if (reason === 'resumed') return [' · not told since ', at]
  if (reason === 'replaced' || stillDown === total) return [' · as of ', at]
  return [stillDown === 0 ? ' · down as of ' : ` · of ${grouped(total)} as of `, at]
}

const titleOf = (model: ManyModel): string =>
  model.kind === 'storm' ? stormTitle(model) : stillDownTitle(model)

/** Of what is over: what was deleted, or is being installed again, is not up. */
function overWords({ total, areUp }: ManyModel, are: string): string {
  const isOne = total === 1
  if (areUp) return `${isOne ? 'is' : are} up again`
  return `${isOne ? 'is not' : 'none is'} down any more`
}

function stormTitle(model: StormModel): string {
  const { total, stillDown, environment, unwatchedAt } = model
  const checks = `${counted(total, 'health check')}${badgeOf(environment)} went down`
  if (stillDown === 0) return `🟢 Storm over: ${checks}, and ${overWords(model, 'all are')}`
  const still = `${stillDown === total ? 'all of them' : grouped(stillDown)} still`
  if (unwatchedAt) return `⚪ Storm: ${checks}, ${still} ${stillDown === 1 ? 'was' : 'were'} ${UNWATCHED}`
  return `${statusSign('UNHEALTHY')} Storm: ${checks}, ${still} ${stillDown === 1 ? 'is' : 'are'}`
}

function stillDownTitle(model: StillDownModel): string {
  const { rows, total, stillDown, environment, reason, unwatchedAt, areUp } = model
  // What is down stands first: of one alone it says which.
  const [first] = rows
  const checks = (count: number): string =>
    `${count === 1 && first ? checkName(first.check) : counted(count, 'health check')}${badgeOf(environment)}`
  if (reason === 'replaced') return `⚪ Still down then: ${checks(total)}. A newer reminder says how it is.`
  const went = reason === 'resumed' ? ` went down while nothing could be told here, and` : ''
  if (stillDown === 0)
    return `🟢 ${areUp || went || total === 1 ? checks(total) : `Of ${checks(total)}`}${went} ${overWords(model, went ? 'all are' : 'are')}`
  if (unwatchedAt)
    return `⚪ ${checks(stillDown)} ${stillDown === 1 ? 'was' : 'were'} still down ${UNWATCHED}`
  if (reason !== 'resumed')
    return `${statusSign('UNHEALTHY')} ${STILL_DOWN[reason]}: ${checks(stillDown)} still down`
  const still = stillDown === total ? '' : ` ${grouped(stillDown)} of them`
  return `${statusSign('UNHEALTHY')} ${checks(total)}${went}${still} still ${stillDown === 1 ? 'is' : 'are'} down`
}

const STILL_DOWN = {
  'mute-ended': 'A mute has ended',
  'maintenance-over': 'Maintenance is over',
  reminder: 'Reminder',
} as const

function headFacts(model: ManyModel): Fact[] {
  if (model.kind === 'still-down') return [['Over', model.overAt]]
  const { since, overAt, groupedBy, groups, total } = model
  return [
    ['Over', overAt],
    ['Lasted', overAt && lasted(since, overAt)],
    [groupedBy === 'host' ? 'By host' : 'By name', groupWords(groups, total)],
  ]
}

function groupWords(groups: readonly OutageGroup[], total: number): string | undefined {
  if (groups.length === 0) return undefined
  const rest = groups.reduce((left, group) => left - group.total, total)
  const shown = groups.map((group) => `${clip(group.label, 60)} (${grouped(group.total)})`)
  return [...shown, ...(rest > 0 ? [`${grouped(rest)} more`] : [])].join(', ')
}

function outagesTable(rows: readonly Outage[]) {
  return table(
    ['State', 'Name', 'Target', 'Since', 'Lasted'],
    rows.map((outage) => [
      stateOf(outage),
      clip(checkName(outage.check), CELL),
      clip(checkAddress(outage.check), CELL),
      outage.startedAt,
      outage.endedAt ? lasted(outage.startedAt, outage.endedAt) : '',
    ]),
  )
}

const OVER: Readonly<Record<NonNullable<Outage['ending']>, string>> = {
  recovered: '🟢 Up again',
  installing: '🟡 Being installed',
  deleted: '⚪ Deleted',
  unseen: '⚪ Not watched',
}

function stateOf({ endedAt, ending, status }: Outage): string {
  if (endedAt) return OVER[ending ?? 'recovered']
  return `${statusSign(status)} Down`
}

/** The first of them, a line each, and how many more of `total`. */
export function linesOf(rows: readonly Outage[], total: number): Line[] {
  const shown = rows.slice(0, LINES).map(outageLine)
  const left = total - shown.length
  return [...shown, ...(left > 0 ? [`and ${grouped(left)} more: /hc list has them`] : [])]
}

/** `🟢 Up again · Shop checkout (HTTPS shop.example.com) was down from today 2:18 AM, for 24 s`. */
export function outageLine(outage: Outage): readonly (string | Date)[] {
  const { check, startedAt, endedAt, isBaseline } = outage
  const target = checkAddress(check)
  // When that began, nobody saw.
  const [seen, least] = isBaseline ? ['seen ', 'at least '] : ['', '']
  const name = `${stateOf(outage)} · ${clip(checkName(check), CELL)}${target ? ` (${clip(target, CELL)})` : ''}`
  return endedAt
    ? [`${name} was ${seen}down from `, startedAt, `, for ${least}${lasted(startedAt, endedAt)}`]
    : [`${name} since ${least}`, startedAt]
}

type Controlled = Pick<CardHead, 'cardId' | 'acknowledged' | 'muted'>

/** What can be done about what a card tells, the next thing first. Everybody sees it, and each press checks the person's rights. */
export function cardControls(
  { cardId, acknowledged, muted }: Controlled,
  isOver: boolean,
  subject: MuteSubject,
  looks: readonly Button[],
): Button[] {
  if (isOver) return []
  const mute =
    muted && muted.because === undefined ? unmuteButton(muted) : commandButton('Mute', muteLine(subject))
  const take = `/hc watch-ack ${quoted(cardId)}`
  if (acknowledged)
    return [...looks, mute, commandButton('Take over', `${take} --over ${quoted(acknowledged.by)}`)]
  return [commandButton('I’m on it', take), mute, ...looks]
}

/** Asks how long to mute. */
export const muteLine = (subject: MuteSubject): string => `/hc mute ${quoted(subjectTyped(subject))}`

/** Ends the mute that the card names, and no other. */
const unmuteButton = ({ id, about }: MuteShown): Button =>
  commandButton('Unmute', `/hc unmute ${quoted(id)}`, { spoken: `Unmute ${subjectName(about)}` })

type Answered = Pick<CardHead, 'acknowledged' | 'alsoOnIt' | 'muted' | 'call' | 'unwatchedAt'>

export const timelineLine = (cardId: string): string => `/hc timeline ${quoted(cardId)}`

export const timelineButton = ({ cardId }: Pick<CardHead, 'cardId'>): Button =>
  commandButton('Timeline', timelineLine(cardId))

/** Above all facts: what to do. */
export const runbookLines = ({ runbooks = [] }: Pick<CardHead, 'runbooks'>): Line[] =>
  runbooks.map((url): Line => ['Runbook: ', { type: 'link', url }])

/** The last lines of a card: who is on it, until when it is muted, and since when it is not watched. */
export function acknowledgementFacts(answered: Answered, isOver: boolean): Fact[] {
  const { acknowledged, alsoOnIt = [], muted, call, unwatchedAt } = answered
  return [
    [
      isOver ? 'Was on it' : 'On it',
      acknowledged && joined([acknowledged, ...alsoOnIt].map(personSince), '; '),
    ],
    [muted?.because === undefined ? 'Muted' : 'Maintenance', muted && muteWords(muted)],
    [
      'Called next',
      call && [
        words(`${clip(oneLine(call.names), CELL)}, `),
        date(call.at),
        words(', unless somebody is on it'),
      ],
    ],
    ['Not watched here', unwatchedAt && [words('since '), date(unwatchedAt)]],
  ]
}

const muteWords = ({ about, until, because }: MuteShown): Line => [
  words(`${subjectName(about)}, until `),
  until ? date(until) : words('somebody ends it'),
  ...(because ? [words(`: ${clip(oneLine(because), CELL)}`)] : []),
]

const personSince = (taken: Acknowledgement): Line => [
  words(`${personName(taken)}, since `),
  date(taken.at),
  ...(taken.from ? [words(`, taken over from ${taken.from}`)] : []),
]

/** A name, never a mention: nobody is notified of what they did themselves. */
export const personName = ({ by, name }: Acknowledgement): string => name || by

import { durationWords, lasted } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  type Fact,
  type Line,
  lines,
  type Message,
  oneLine,
  utc,
} from '@signalman/slack'
import { checkAddress, checkName } from '../../../bot/views/check-facts.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { StillDownReason } from '../rules/card.ts'
import { statusOfMany } from '../rules/describe-card.ts'
import { eachInSlices, type Slices } from '../rules/slices.ts'
import { happened } from '../views/cards.ts'
import { checkLine, downFacts, downWords, outageWords, worstLines } from '../views/history.ts'
import { DOWN_WORDS, FELL_WORDS, STILL_WORDS, subjectName, TIME_WORDS, WAS_WORDS } from '../views/words.ts'
import type { Report, ReportEvent, ReportedCard } from './rules.ts'
import { checksOf } from './rules.ts'

export interface ShownReport {
  report: Report
  /** Of which it is; undefined for a stretch of time. */
  card: ReportedCard | undefined
  environment: Environment
  now: Date
  /** The line that asked for it. */
  line: string
}

const EVENTS = 20

/** What happened, in a message: first how much of it, then when, then who, then in order. */
export function reportView(shown: ShownReport): Message {
  const { report, card: of, environment, line } = shown
  const { events, span } = report
  const left = events.length - EVENTS
  const told = events
    .slice(0, EVENTS)
    .map((event): Line => [event.at, `  ${eventWords(event, { isShort: true })}`])
  const rest = left > 0 ? [`and ${grouped(left)} more: the file has all of them`] : []
  return card({
    answer: [`${answerOf(report, of)}${badgeOf(environment)}`, ' · from ', span.from, ' to ', span.to],
    facts: factsOf(shown),
    body: [told, uptimeLines(report)].map((all, at) => lines(...all, ...(at === 0 ? rest : []))),
    small: notesOf(report),
    controls: [
      commandButton('As a file', `${line} --file`),
      commandButton('Share to channel', `${line} --share`),
      commandButton('History', '/hc history'),
    ],
  })
}

function answerOf(report: Report, of: ReportedCard | undefined): string {
  const { sum, span } = report
  const outages = of?.outages ?? []
  const checks = checksOf(outages)
  const [only] = checks
  const isDown = sum.stillDown.length > 0
  const fell = statusOfMany(outages)
  const status = fell === 'INSTALLING' ? fell : 'UNHEALTHY'
  const still = status === 'INSTALLING' ? `${DOWN_WORDS[status]} after` : 'has been down for'
  if (only && checks.length === 1 && outages.length === 1)
    return `${checkName(only)} ${isDown ? still : WAS_WORDS[status]} ${lasted(span.from, span.to)}`
  if (only && checks.length === 1)
    return `${checkName(only)} ${WAS_WORDS[status]} ${counted(outages.length, 'time')}, ${durationWords(sum.downMs)} in all${isDown ? `, and is ${STILL_WORDS[status]} now` : ''}`
  if (of)
    return `${counted(checks.length, 'health check')} ${FELL_WORDS[fell]} together${stillWords(sum, checks.length)}`
  return sum.checks.length === 0
    ? quietWords(report)
    : `${outageWords(sum)}, ${STILL_WORDS[sum.status]} ${downWords(sum)}`
}

function quietWords({ sum, isOfWatched }: Report): string {
  if (sum.observedMs === 0) return `Nothing was watched, so nobody knows what ${FELL_WORDS[sum.status]}`
  return `Nothing ${isOfWatched ? 'that is watched here ' : ''}${FELL_WORDS[sum.status]}`
}

/** Of a card: what goes on, goes on until now. */
function stillWords({ stillDown }: Report['sum'], total: number): string {
  const many = stillDown.length
  if (many === 0) return ''
  return `, and ${many === total ? 'all are' : `${grouped(many)} ${many === 1 ? 'is' : 'are'}`} still ${STILL_WORDS[statusOfMany(stillDown)]}`
}

/** Whether the answer says all of the time that counts; of one outage it says from when to when. */
function saysHowLong({ sum, span }: Report, of: ReportedCard | undefined): boolean {
  if (!of || checksOf(of.outages).length > 1) return !of
  return of.outages.length > 1 || lasted(span.from, span.to) === durationWords(sum.downMs)
}

function factsOf({ report, card: of, now }: Pick<ShownReport, 'report' | 'card' | 'now'>): Fact[] {
  const { sum, events, span, gaps, planned, muted, untold } = report
  const taken = events.filter(({ what }) => what === 'acknowledged')
  const gapMs = gaps.reduce((ms, { from, to }) => ms + to.getTime() - from.getTime(), 0)
  const after = (when: Date): string => `${lasted(span.from, when)} after it fell`
  const [told] = events.filter(({ what }) => what === 'told')
  const calls = events.filter(({ what }) => what === 'called').length
  const [first] = taken
  const last = taken.at(-1)
  const then = last === first ? '' : `; in the end ${last?.byName ?? ''}`
  return [
    [
      'Target',
      of && checksOf(of.outages).length === 1
        ? checkAddress(of.outages[0]?.check ?? { uuid: '', name: '' }) || undefined
        : undefined,
    ],
    ...downFacts(sum, undefined, saysHowLong(report, of)),
    ['Told here', of && (told ? [told.at, `, ${after(told.at)}`] : 'not yet')],
    ['On it', of && (first ? [`${first.byName ?? ''}, ${after(first.at)}${then}`] : 'nobody')],
    ['Called', calls > 0 ? counted(calls, 'time') : undefined],
    [
      'Not told here',
      untold > 0
        ? `${grouped(untold)} of ${counted(sum.outages, ...TIME_WORDS[sum.status])}: muted, in maintenance, over too soon, or not watched here`
        : undefined,
    ],
    ['Planned', plannedList(planned)],
    ['Muted', plannedList(muted)],
    [
      'Not seen',
      gaps.length > 0
        ? `${durationWords(gapMs)} in ${counted(gaps.length, 'stretch', 'stretches')}: what happened then nobody saw`
        : undefined,
    ],
    stillFact(report, now),
  ]
}

/** As of the end of its time, which may be long over. */
const stillFact = ({ sum, span }: Report, now: Date): Fact => [
  `Still ${STILL_WORDS[statusOfMany(sum.stillDown)]}${span.to < now ? ' then' : ''}`,
  sum.stillDown.length > 0 ? counted(sum.stillDown.length, 'health check') : undefined,
]

const PLANNED = 3

const plannedList = (all: Report['muted']): Line | undefined =>
  all.length > 0
    ? [
        ...all.slice(0, PLANNED).flatMap((one, index) => [index > 0 ? '; ' : '', ...plannedParts(one)]),
        ...(all.length > PLANNED ? [`; ${grouped(all.length - PLANNED)} more`] : []),
      ]
    : undefined

const plannedParts = ({ about, from, to }: Report['muted'][number]): (string | Date)[] => [
  `${subjectName(about)}, `,
  from,
  ...(to ? [' to ', to] : [' on']),
]

const NAME = 80

const RETOLD: Readonly<Record<StillDownReason, string>> = {
  'mute-ended': 'Told when a mute ended',
  'maintenance-over': 'Told when maintenance was over',
  resumed: 'Told when the channel could be told again',
  reminder: 'Reminded',
  replaced: 'Reminded',
}

function eventWords(event: ReportEvent, { isShort = false } = {}): string {
  const { what, check, names, reason = 'reminder', many = 0, look } = event
  const name = check ? clip(oneLine(checkName(check)), NAME) : ''
  if (what === 'told') return `💬 Told in the channel: ${many > 1 ? counted(many, 'health check') : name}`
  if (what === 'retold') return `🔔 ${RETOLD[reason]}: ${counted(many, 'health check')}`
  if (what === 'called') return `📣 Called: ${oneLine(names ?? '')}`
  return happened({ ...event, what, look: look && { ...look, ...(isShort && { detail: '' }) } })
}

function uptimeLines({ uptimes }: Report): string[] {
  return uptimes.checks.length === 0
    ? []
    : [uptimeTitle(uptimes), ...worstLines(uptimes, ': the file has all of them')]
}

const uptimeTitle = ({ status, from, to }: Report['uptimes']): string =>
  `${status === 'INSTALLING' ? 'Installing' : 'Uptime'} in ${lasted(from, to)}, of the time that was observed`

function notesOf({ isCut, isOfWatched, sum }: Report): string[] {
  return [
    isOfWatched ? 'This is about what is watched here, and what was told here.' : '',
    isCut ? 'There were more outages than are counted here: those that began last are.' : '',
    sum.observedMs === 0
      ? 'Nothing was observed in this time.'
      : 'Only the time in which the service was asked and answered counts as up or down.',
  ].filter(Boolean)
}

/** The same as a Markdown file, with all of it: times are of UTC. */
export function* reportFile(shown: ShownReport): Slices<string> {
  const { report, card: of, environment, now } = shown
  const plainWords = (value: Line | undefined): string =>
    [value]
      .flat()
      .map((part) => (part instanceof Date ? utc(part) : String(part)))
      .join('')
  const { events, gaps, planned, muted, uptimes, span } = report
  const written = [
    `# ${plain(answerOf(report, of))}${badgeOf(environment)}`,
    '',
    `From ${utc(span.from)} to ${utc(span.to)}. Written ${utc(now)}.`,
    '',
    ...factsOf(shown).flatMap(([label, value]) =>
      value === undefined ? [] : [`- ${label}: ${plain(plainWords(value))}`],
    ),
  ]
  function* list<T>(head: string, items: readonly T[], wordsOf: (item: T) => string): Slices<void> {
    if (items.length > 0) written.push('', `## ${head}`, '')
    yield* eachInSlices(items, (item) => written.push(`- ${plain(wordsOf(item))}`))
  }
  yield* list('What happened', events, (event) => `${event.at.toISOString()} ${eventWords(event)}`)
  yield* list('Not seen', gaps, ({ from, to }) => `${from.toISOString()} to ${to.toISOString()}`)
  yield* list('Maintenance', planned, (one) => plainWords(plannedParts(one)))
  yield* list('Muted', muted, (one) => plainWords(plannedParts(one)))
  yield* list(uptimeTitle(uptimes), uptimes.checks, checkLine)
  return [...written, '', ...notesOf(report), ''].join('\n')
}

/** Text from outside means nothing in Markdown. */
const plain = (text: string): string => oneLine(text).replace(/[\\`*_{}[\]<>#|!~]/g, '\\$&')

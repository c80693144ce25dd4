import type { KnownBlock } from '@slack/types'
import { checkAddress, checkName } from '../../../blocks/checks.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { utc } from '../../../blocks/dates.ts'
import { type Fact, factLines, facts } from '../../../blocks/facts.ts'
import { context, header, section } from '../../../blocks/layout.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import { type Message, newOrClassic } from '../../../blocks/message.ts'
import { table } from '../../../blocks/table.ts'
import { clip, literal } from '../../../blocks/text.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { StillDownModel, StormModel } from '../../../domain/watching/card-model.ts'
import type { OutageGroup } from '../../../domain/watching/grouping.ts'
import type { Outage } from '../../../domain/watching/outage.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import { cardButtons } from './card-buttons.ts'
import { DOWN_SIGN, lasted } from './check-words.ts'
import { acknowledgementFacts } from './who-is-on-it.ts'

type ManyModel = StormModel | StillDownModel

const CELL = 120
/** In the notification and in classic blocks, where each takes a line of its own. */
const LINES = 20
const GROUPS = 8

/** A card about many checks at once: a table of them where the workspace takes tables, lines elsewhere. */
export function manyView(model: ManyModel): Message {
  const { rows, total } = model
  const title = titleOf(model)
  const entries: Fact[] = [...headFacts(model), ...acknowledgementFacts(model)]
  const head: KnownBlock[] = [header(title), facts(entries)]
  const foot = buttons(model)
  const lines = linesOf(rows, total)
  const drawn = outagesTable(rows)
  const left = total - (drawn.rows.length - 1)
  const more =
    left > 0 ? [context(`${counted(left, 'more health check')} not shown here: /hc list has them.`)] : []
  return newOrClassic(
    literal([title, factLines(entries), ...lines].join('\n')),
    [head, rows.length > 0 ? [drawn] : [], more, foot],
    () => [head, lines.length > 0 ? [section(clip(lines.join('\n'), LIMITS.sectionText))] : [], foot],
  )
}

function buttons(model: ManyModel): KnownBlock[] {
  const { cardId, environment, acknowledged, stillDown, unwatchedAt, muted } = model
  const state = {
    cardId,
    environment,
    isTaken: acknowledged !== undefined,
    isOver: stillDown === 0 || unwatchedAt !== undefined,
    isMuted: muted !== undefined,
  }
  return cardButtons(state, { kind: 'all' }, commandButton('Show', '/hc list --status UNHEALTHY'))
}

const titleOf = (model: ManyModel): string =>
  model.kind === 'storm' ? stormTitle(model) : stillDownTitle(model)

function stormTitle({ total, stillDown, environment }: StormModel): string {
  const checks = `${counted(total, 'health check')}${badgeOf(environment)} went down`
  if (stillDown === 0)
    return `🟢 Storm over: ${checks}, and ${total === 1 ? 'is' : 'all are'} up again or gone`
  const still = stillDown === total ? 'all of them' : grouped(stillDown)
  return `🔴 Storm: ${checks}, ${still} still ${stillDown === 1 ? 'is' : 'are'}`
}

function stillDownTitle({ total, stillDown, environment, reason }: StillDownModel): string {
  if (stillDown > 0)
    return `🔴 ${STILL_DOWN[reason]}: ${counted(stillDown, 'health check')}${badgeOf(environment)} still down`
  const checks = `${counted(total, 'health check')}${badgeOf(environment)}`
  return `🟢 ${checks} that ${total === 1 ? 'was' : 'were'} down ${total === 1 ? 'is' : 'are'} up again or gone`
}

const STILL_DOWN: Readonly<Record<StillDownModel['reason'], string>> = {
  'mute-ended': 'A mute has ended',
  reminder: 'Reminder',
  resumed: 'Told here again',
}

function headFacts(model: ManyModel): Fact[] {
  if (model.kind === 'still-down')
    return [
      ['As of', model.at],
      ['Over', model.overAt],
    ]
  const { since, overAt, groupedBy, groups } = model
  return [
    ['Since', since],
    ['Over', overAt],
    ['Lasted', overAt && lasted(since, overAt)],
    [groupedBy === 'host' ? 'By host' : 'By name', groupWords(groups) || undefined],
  ]
}

function groupWords(groups: readonly OutageGroup[]): string {
  const named = groups.filter(({ label }) => label !== '')
  const shown = named.slice(0, GROUPS).map(({ label, total }) => `${clip(label, 60)} (${grouped(total)})`)
  const rest = groups.reduce((sum, { total }) => sum + total, 0) - sumOf(named.slice(0, GROUPS))
  if (shown.length === 0) return ''
  return [...shown, ...(rest > 0 ? [`${grouped(rest)} more`] : [])].join(', ')
}

const sumOf = (groups: readonly OutageGroup[]): number => groups.reduce((sum, { total }) => sum + total, 0)

function outagesTable(rows: readonly Outage[]) {
  return table(
    ['State', 'Name', 'Target', 'Down since (UTC)', 'Lasted'],
    rows.map((outage) => [
      stateOf(outage),
      clip(checkName(outage.check), CELL),
      clip(checkAddress(outage.check), CELL),
      utc(outage.startedAt).replace(' UTC', ''),
      outage.endedAt ? lasted(outage.startedAt, outage.endedAt) : '',
    ]),
  )
}

const OVER: Readonly<Record<NonNullable<Outage['ending']>, string>> = {
  recovered: '🟢 Up again',
  deleted: '⚪ Deleted',
  unseen: '⚪ Not watched',
}

function stateOf({ endedAt, ending, status }: Outage): string {
  if (endedAt) return OVER[ending ?? 'recovered']
  return `${DOWN_SIGN[status]} ${status === 'UNHEALTHY' ? 'Down' : 'Installing'}`
}

/** The first of them, a line each, and how many more of `total`. */
export function linesOf(rows: readonly Outage[], total: number): string[] {
  const shown = rows.slice(0, LINES).map(outageLine)
  const left = total - shown.length
  return [...shown, ...(left > 0 ? [`and ${grouped(left)} more: /hc list has them`] : [])]
}

export function outageLine(outage: Outage): string {
  const { check, startedAt, endedAt } = outage
  const target = checkAddress(check)
  const when = endedAt
    ? `from ${utc(startedAt)}, for ${lasted(startedAt, endedAt)}`
    : `since ${utc(startedAt)}`
  return `${stateOf(outage)} · ${clip(checkName(check), CELL)}${target ? ` (${clip(target, CELL)})` : ''} ${when}`
}

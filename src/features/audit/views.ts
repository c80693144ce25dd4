import type { AuditEntry, AuditFold, AuditOutcome } from '@signalman/durable'
import {
  actions,
  clip,
  commandButton,
  context,
  date,
  header,
  literal,
  type Message,
  message,
  oneLine,
  paragraph,
  person,
  richText,
  section,
  utc,
  words,
} from '@signalman/slack'
import type { KnownBlock, RichTextElement } from '@slack/types'
import { counted } from '../../domain/wording.ts'
import { type AuditFilters, filterFlags, filtersLine } from './parse.ts'

export interface AuditPage {
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** Rows before this one are on the next page; undefined on the last one. */
  before: number | undefined
  /** True when rows that are alike are not folded. */
  isUnfolded: boolean
  /** False on the first page. */
  isLater: boolean
}

/** A page of the audit log, newest first. */
export function auditView({ folds, filters, before, isUnfolded, isLater }: AuditPage): Message {
  const flags = [filterFlags(filters), isUnfolded && '--unfolded'].filter(Boolean).join(' ')
  const line = (more = '') => ['/hc audit', flags, more].filter(Boolean).join(' ')
  const narrowed = filtersLine(filters)
  const title = 'Who did what'
  const notes = [
    ...(narrowed ? [`Only: ${narrowed}`] : []),
    ...(folds.length === 0 ? ['Nothing in the audit log fits.'] : []),
  ]
  const buttons = [
    ...(isLater ? [commandButton('Newest', line(), { inPlace: true })] : []),
    ...(before === undefined ? [] : [commandButton('Older', line(`--before ${before}`), { inPlace: true })]),
    ...(isLater ? [] : [commandButton('Refresh', line(), { inPlace: true })]),
    ...(folds.length === 0 ? [] : [commandButton('Export', line('--export'))]),
  ]
  return message(
    [title, ...notes.map(literal), ...folds.map(foldText)].join('\n'),
    header(title),
    notes.map((note) => context(note)),
    folds.map(foldBlock),
    actions(...buttons),
  )
}

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ begun',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}

const OBJECT = 200

const USER_ID = /^[UW][A-Z0-9]{5,}$/

const objectOf = ({ object }: AuditEntry): string => (object ? clip(oneLine(object), OBJECT) : '')

/** How many rows were folded into this one, and the line that shows each. */
const alikeOf = ({ entry, rows }: AuditFold): string =>
  rows === 1
    ? ''
    : `${counted(rows, 'row')} like it, by one act or job; each of them: /hc audit --reference ${entry.reference}`

/** Folded rows as plain text. */
export function foldText(fold: AuditFold): string {
  const { entry } = fold
  const { at, actor, channelId, verb, outcome, reference, sequence, before, after } = entry
  const who = USER_ID.test(actor.userId) ? `<@${actor.userId}>` : literal(actor.userId)
  const what = [verb, objectOf(entry), OUTCOMES[outcome], changeLine(before, after)]
    .filter(Boolean)
    .join(' – ')
  const where = channelId && /^[CDG][A-Z0-9]+$/.test(channelId) ? ` in <#${channelId}>` : ''
  return `${utc(at)} ${who}${where}: ${literal(what)} (${sequence}, reference ${literal(reference)})${fold.rows === 1 ? '' : ` – ${literal(alikeOf(fold))}`}`
}

/** Folded rows as a block. */
export function foldBlock(fold: AuditFold): KnownBlock {
  const { entry } = fold
  const { at, actor, verb, outcome, reference, sequence, before, after } = entry
  const change = changeLine(before, after)
  return richText(
    paragraph(
      ...[date(at), words('  '), whoElement(actor.userId), words('  ')],
      words(verb, { bold: true }),
      words(`  ${OUTCOMES[outcome]}`),
      ...(entry.object ? [words(`\n${objectOf(entry)}`)] : []),
      ...(change ? [words(`\n${change}`)] : []),
      words(`\nRow ${sequence}, reference ${reference}`, { italic: true }),
      ...whereElements(entry.channelId),
      ...(fold.rows === 1 ? [] : [words(`\n${alikeOf(fold)}`)]),
    ),
  )
}

const whoElement = (userId: string): RichTextElement =>
  USER_ID.test(userId) ? person(userId) : words(userId)

function whereElements(channelId: string | undefined): RichTextElement[] {
  if (!channelId || !/^[CG][A-Z0-9]+$/.test(channelId)) return []
  return [words(', in ', { italic: true }), { type: 'channel', channel_id: channelId }]
}

const VALUE = 80
const WHOLE = 400

/** What an act changed, on one line of at most 400 characters: the fields that differ, old → new. */
export function changeLine(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const fields = isRecord(before ?? {}) && isRecord(after ?? {})
  const line = fields ? fieldLines(asRecord(before), asRecord(after)) : pair(before, after)
  return clip(line, WHOLE)
}

function fieldLines(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${pair(before[key], after[key])}`)
    .join('; ')
}

function pair(before: unknown, after: unknown): string {
  if (before === undefined) return shown(after)
  return after === undefined ? `was ${shown(before)}` : `${shown(before)} → ${shown(after)}`
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : clip(value.map(shown).join(', '), VALUE)
  if (isRecord(value)) return clip(`(${fieldLines({}, value)})`, VALUE)
  return clip(oneLine(String(value)), VALUE) || '(empty)'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

/** The direct message while the file is made. */
export function exportingView(rows: number): Message {
  const sentence = `Exporting ${counted(rows, 'row')} of the audit log…`
  return message(sentence, section(sentence))
}

/** The direct message above the file. */
export function exportedView(rows: number, filters: AuditFilters): Message {
  const narrowed = filtersLine(filters)
  const sentence = `${counted(rows, 'row')} of the audit log, oldest first, one JSON object a line.${narrowed ? ` Only: ${narrowed}.` : ''}`
  return message(literal(sentence), section(sentence))
}

/** The answer in the place where it was asked for. */
export function sentView(rows: number): Message {
  const sentence = `The file with ${counted(rows, 'row')} is in your direct messages with Signalman.`
  return message(sentence, section(sentence))
}

import type { AuditFold, AuditOutcome } from '@signalman/durable'
import { isRecord } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  joinLines,
  type Line,
  lines,
  type Message,
  message,
  oneLine,
  person,
  section,
  textElement,
} from '@signalman/slack'
import type { Button } from '@slack/types'
import { cmd } from '../../../domain/command-names.ts'
import { formatCount, pluralize } from '../../../domain/wording.ts'
import { type AuditFilters, describeFilters, formatFilters } from '../parse.ts'
import { actionLine, asRecord, MAX_OBJECT_LENGTH, USER_ID } from './sentences.ts'

export interface AuditPage {
  /** The entries. A fold is an entry that stands for several similar ones. */
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** The next page starts before this row. Undefined on the last page. */
  before: number | undefined
  /** True if similar entries are shown one by one. */
  isUngrouped: boolean
  /** False on the first page. */
  isOlderPage: boolean
  /** Whether to show row numbers, references, and changed values. */
  hasDetails: boolean
  /** Whether these are the person's own entries. Then there are no buttons for details and export, which only admins can use. */
  isOwn?: boolean
}

export function auditView(auditPage: AuditPage): Message {
  const { folds, filters, before, isUngrouped, isOlderPage, hasDetails, isOwn = false } = auditPage
  const typedFilters = isOwn ? { ...filters, userId: undefined } : filters
  const flags = [isOwn && '--mine', formatFilters(typedFilters), isUngrouped && '--ungrouped']
    .filter(Boolean)
    .join(' ')
  const details = hasDetails ? '--details' : ''
  const formatCommand = (...more: string[]) => ['/hc audit', flags, ...more].filter(Boolean).join(' ')
  const { userId, ...others } = filters
  const filterLines = [userId && !isOwn ? ['by ', person(userId)] : [], describeFilters(others)].filter(
    ({ length }) => length > 0,
  )
  const inPlace = { inPlace: true }
  return card({
    headline: [
      formatTitle(auditPage),
      ...(filterLines.length > 0 ? [' · only ', ...[joinLines(filterLines)].flat()] : []),
    ],
    notes: folds.length === 0 && !filters.withIntents && !isOwn ? [ONLY_STARTED_NOTE] : [],
    body: folds.map((fold) => lines(...foldLines(fold, hasDetails))),
    controls: [
      ...(before === undefined
        ? []
        : [commandButton('Older', formatCommand(details, `--before ${before}`), inPlace)]),
      isOlderPage
        ? commandButton('Newest', formatCommand(details), inPlace)
        : commandButton('Refresh', formatCommand(details), inPlace),
      ...(folds.length === 0 ? wholeButton(filterLines.length > 0, isOwn) : []),
      ...(folds.length === 0 || isOwn ? [] : adminButtons(formatCommand, hasDetails)),
    ],
  })
}

/** For a list that is empty because of its filters. */
const wholeButton = (isFiltered: boolean, isOwn: boolean): Button[] =>
  isFiltered ? [commandButton('All entries', isOwn ? '/hc audit --mine' : '/hc audit')] : []

/** Counts all entries of the page, also those that are shown as similar to another one. */
function formatTitle({ folds, isOlderPage, isOwn }: AuditPage): string {
  const total = folds.reduce((sum, { rows }) => sum + rows, 0)
  if (total === 0) return 'No audit entries match'
  if (isOlderPage) return `${pluralize(total, 'earlier entry', 'earlier entries')}, newest first`
  const prefix = isOwn ? 'Your last' : 'The last'
  return total === 1 ? `${prefix} entry` : `${prefix} ${countEntries(total)}, newest first`
}

const ONLY_STARTED_NOTE: Line = [
  'Changes that have started but not ended aren’t listed. To see them, add ',
  textElement('--intents', { code: true }),
  '.',
]

const countEntries = (count: number): string => pluralize(count, 'entry', 'entries')

const adminButtons = (formatCommand: (...more: string[]) => string, hasDetails: boolean) => [
  hasDetails
    ? commandButton('Without details', formatCommand(''), { inPlace: true })
    : commandButton('Details', formatCommand('--details'), { inPlace: true }),
  commandButton('Export', formatCommand('--export')),
]

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ started',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}

const channelLine = (channelId = ''): Line =>
  /^[CG][A-Z0-9]+$/.test(channelId) ? [' · ', { type: 'channel', channel_id: channelId }] : []

/** Two lines per entry: who did what, and then the outcome, time, and channel. */
function foldLines(fold: AuditFold, hasDetails: boolean): Line[] {
  const { entry, rows } = fold
  const author = USER_ID.test(entry.actor.userId)
    ? person(entry.actor.userId)
    : textElement(entry.actor.userId, { bold: true })
  return [
    joinLines([author, ...actionLine(entry)], []),
    joinLines(
      [
        `${OUTCOMES[entry.outcome]} · `,
        entry.at,
        channelLine(entry.channelId),
        rows === 1 ? [] : ` · and ${formatCount(rows - 1)} similar`,
      ],
      [],
    ),
    ...(hasDetails ? detailLines(fold) : []),
  ]
}

/** The verb, object, and changed values as stored in the log. */
function detailLines({ entry, rows }: AuditFold): Line[] {
  const { verb, object = '', before, after, sequence, reference } = entry
  const change = changeLine(before, after)
  return [
    [cmd(verb), object && ` ${clip(oneLine(object), MAX_OBJECT_LENGTH)}`, change && ` – ${change}`],
    `Row ${sequence}, reference ${reference}${rows === 1 ? '' : `. To see each of them, type ${cmd('/hc audit')} --reference ${reference}`}`,
  ]
}

const MAX_VALUE_LENGTH = 80
const MAX_CHANGE_LENGTH = 400

/** The fields that changed, old → new, on one line of at most 400 characters. */
export function changeLine(before: unknown, after: unknown): string {
  if (before === undefined && after === undefined) return ''
  const areRecords = isRecord(before ?? {}) && isRecord(after ?? {})
  const line = areRecords ? formatFields(asRecord(before), asRecord(after)) : formatChange(before, after)
  return clip(line, MAX_CHANGE_LENGTH)
}

function formatFields(before: Record<string, unknown>, after: Record<string, unknown>): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${formatChange(before[key], after[key])}`)
    .join('; ')
}

function formatChange(before: unknown, after: unknown): string {
  if (before === undefined) return formatValue(after)
  return after === undefined ? `was ${formatValue(before)}` : `${formatValue(before)} → ${formatValue(after)}`
}

function formatValue(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : clip(value.map(formatValue).join(', '), MAX_VALUE_LENGTH)
  if (isRecord(value)) return clip(`(${formatFields({}, value)})`, MAX_VALUE_LENGTH)
  return clip(oneLine(String(value)), MAX_VALUE_LENGTH) || '(empty)'
}

/** The sentence above the file. */
export function describeExport(rows: number, filters: AuditFilters): string {
  const filterText = describeFilters(filters)
  return `${pluralize(rows, 'row')} of the audit log, oldest first, one JSON object per line.${filterText ? ` Filtered by: ${filterText}.` : ''}`
}

/** The reply in the place where the export was requested. */
export function sentView(rows: number): Message {
  const sentence = `Signalman sent you a DM with the file of ${pluralize(rows, 'row')}.`
  return message(sentence, section(sentence))
}

import type { KnownBlock, RichTextElement } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { utc } from '../../../blocks/dates.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { date, paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { counted } from '../../../domain/wording.ts'
import type { AuditEntry, AuditFold, AuditOutcome } from '../../../store/store.ts'
import { type AuditFilters, filtersLine, flagsOf } from '../parse.ts'
import { changeLine } from './change.ts'

const OUTCOMES: Readonly<Record<AuditOutcome, string>> = {
  begun: '⏳ begun',
  done: '✅ done',
  refused: '⛔ refused',
  failed: '❌ failed',
  unknown: '❓ outcome unknown',
}
const OBJECT = 200
const USER_ID = /^[UW][A-Z0-9]{5,}$/

export interface AuditPage {
  folds: readonly AuditFold[]
  filters: AuditFilters
  /** Rows before this one are on the next page; undefined on the last one. */
  before: number | undefined
  /** True where it was asked to see each row for itself. */
  isUnfolded: boolean
  /** False on the first page. */
  isLater: boolean
}

/** A page of the audit log, newest first. */
export function auditView({ folds, filters, before, isUnfolded, isLater }: AuditPage): Message {
  const flags = [flagsOf(filters), isUnfolded && '--unfolded'].filter(Boolean).join(' ')
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

const objectOf = ({ object }: AuditEntry): string => (object ? clip(oneLine(object), OBJECT) : '')

/** How many rows one stands for, and how to see each. */
const alikeOf = ({ entry, rows }: AuditFold): string =>
  rows === 1
    ? ''
    : `${counted(rows, 'row')} like it, by one act or job; each of them: /hc audit --reference ${entry.reference}`

function foldText(fold: AuditFold): string {
  const { entry } = fold
  const { at, actor, channelId, verb, outcome, reference, sequence, before, after } = entry
  const who = USER_ID.test(actor.userId) ? `<@${actor.userId}>` : literal(actor.userId)
  const what = [verb, objectOf(entry), OUTCOMES[outcome], changeLine(before, after)]
    .filter(Boolean)
    .join(' – ')
  const where = channelId && /^[CDG][A-Z0-9]+$/.test(channelId) ? ` in <#${channelId}>` : ''
  return `${utc(at)} ${who}${where}: ${literal(what)} (${sequence}, reference ${literal(reference)})${fold.rows === 1 ? '' : ` – ${literal(alikeOf(fold))}`}`
}

function foldBlock(fold: AuditFold): KnownBlock {
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

/** In the direct messages, while the file is made. */
export function exportingView(rows: number): Message {
  const sentence = `Exporting ${counted(rows, 'row')} of the audit log…`
  return message(sentence, section(sentence))
}

/** In the direct messages, above the file. */
export function exportedView(rows: number, filters: AuditFilters): Message {
  const narrowed = filtersLine(filters)
  const sentence = `${counted(rows, 'row')} of the audit log, oldest first, one JSON object a line.${narrowed ? ` Only: ${narrowed}.` : ''}`
  return message(literal(sentence), section(sentence))
}

/** Where it was asked for. */
export function sentView(rows: number): Message {
  const sentence = `The file with ${counted(rows, 'row')} is in your direct messages with Signalman.`
  return message(sentence, section(sentence))
}

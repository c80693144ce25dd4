import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions, context, header } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { literal } from '../../../blocks/text.ts'
import type { AuditFold } from '../../../store/store.ts'
import { type AuditFilters, filtersLine, flagsOf } from '../parse.ts'
import { foldBlock, foldText } from './entries.ts'

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

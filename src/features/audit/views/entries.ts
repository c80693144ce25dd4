import type { KnownBlock, RichTextElement } from '@slack/types'
import { utc } from '../../../blocks/dates.ts'
import { date, paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { counted } from '../../../domain/wording.ts'
import type { AuditEntry, AuditFold, AuditOutcome } from '../../../store/store.ts'
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

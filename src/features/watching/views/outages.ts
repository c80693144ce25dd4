import { formatElapsed } from '@signalman/runtime'
import { clip, type Line } from '@signalman/slack'
import { checkAddress, checkName, statusEmoji } from '../../../bot/views/check-facts.ts'
import type { Outage, OutageEnding } from '../../../domain/outages/outage.ts'
import { formatCount } from '../../../domain/wording.ts'

const MAX_TEXT = 120
/** The most checks to list as text, one per line. */
const MAX_LINES = 20

const ENDED: Readonly<Record<OutageEnding, string>> = {
  recovered: '🟢 Up again',
  installing: '🟡 Being installed',
  deleted: '⚪ Deleted',
  unseen: '⚪ Watching ended',
}

/** The first outages, one per line, and how many more there are. `where` says where to find them. */
export function listOutages(rows: readonly Outage[], total: number, where: string): Line[] {
  const shown = rows.slice(0, MAX_LINES).map(formatOutageLine)
  const remaining = total - shown.length
  return [...shown, ...(remaining > 0 ? [`and ${formatCount(remaining)} more. ${where}.`] : [])]
}

/** `🟢 Up again · Shop checkout (HTTPS shop.example.com) was down from today 2:18 AM, for 24 s`. */
export function formatOutageLine(outage: Outage): readonly (string | Date)[] {
  const { check, startedAt, endedAt, ending, isBaseline, downs } = outage
  const target = checkAddress(check)
  const state = endedAt ? ENDED[ending ?? 'recovered'] : `${statusEmoji('UNHEALTHY')} Down`
  const name = `${state} · ${clip(checkName(check), MAX_TEXT)}${target ? ` (${clip(target, MAX_TEXT)})` : ''}`
  // The start of a baseline outage is unknown.
  const [seenText, atLeastText] = isBaseline ? ['seen ', 'at least '] : ['', '']
  const timesText = downs.length > 1 ? `, ${formatCount(downs.length)} times` : ''
  return endedAt
    ? [
        `${name} was ${seenText}down from `,
        startedAt,
        `, for ${atLeastText}${formatElapsed(startedAt, endedAt)}${timesText}`,
      ]
    : [`${name} since ${atLeastText}`, startedAt, ...(timesText ? [timesText] : [])]
}

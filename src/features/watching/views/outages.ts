import { formatDuration } from '@signalman/runtime'
import { clip, type Line } from '@signalman/slack'
import { checkAddress, checkName, describeGaps, statusEmoji } from '../../../bot/views/check-facts.ts'
import type { Downtime, Outage, OutageEnding, Unseen } from '../../../domain/outages/outage.ts'
import { formatCount } from '../../../domain/wording.ts'

const MAX_TEXT = 120
/** The most checks to list as text, one per line. */
const MAX_LINES = 20

export const ENDINGS: Readonly<Record<OutageEnding, { emoji: string; title: string; word: string }>> = {
  recovered: { emoji: '🟢', title: 'Up again', word: 'up' },
  installing: { emoji: '🟡', title: 'Being installed', word: 'being installed' },
  deleted: { emoji: '⚪', title: 'Deleted', word: 'deleted' },
  unseen: { emoji: '⚪', title: 'Watching ended', word: 'no longer watched' },
}

const describeEnding = ({ endedAt, ending = 'recovered' }: Outage) => (endedAt ? ENDINGS[ending] : DOWN)
const DOWN = { emoji: statusEmoji('UNHEALTHY'), title: 'Down', word: 'still down' }

/** The first outages, one per line, and how many more there are. `where` says where to find them. */
export function listOutages(rows: readonly Outage[], total: number, where: string): Line[] {
  const shown = rows.slice(0, MAX_LINES).map(formatOutageLine)
  const remaining = total - shown.length
  return [...shown, ...(remaining > 0 ? [`and ${formatCount(remaining)} more. ${where}.`] : [])]
}

/** `4 min`, or `at least 4 min`. */
export const formatDowntime = ({ ms, isAtLeast }: Downtime): string =>
  `${isAtLeast ? 'at least ' : ''}${formatDuration(ms)}`

/** `down today 2:18 AM, up today 2:22 AM (4 min)`: an outage of a check that is named before it. */
export function formatOutageTimes(outage: Outage, now: Date, unseen?: Unseen): readonly (string | Date)[] {
  const { startedAt, endedAt, isBaseline, downs, gaps } = outage
  const isUnseen = unseen !== undefined && !endedAt
  const { ms, isAtLeast } = getDowntime(outage, unseen?.since ?? now)
  const word = isUnseen ? 'and when last seen' : describeEnding(outage).word
  const hasUnknownStart = isBaseline || downs[0]?.isFromLate
  const times = downs.length > 1 ? `, ${formatCount(downs.length)} times` : ''
  return [
    `${hasUnknownStart ? 'seen ' : ''}down `,
    startedAt,
    ...(downs.length > 1 ? [] : describeGaps(gaps)),
    ...(endedAt ? [`, ${downs.at(-1)?.isToLate ? 'seen ' : ''}${word} `, endedAt] : [`, ${word}`]),
    ` (${isAtLeast ? '> ' : ''}${formatDuration(ms)}${times})`,
  ]
}

/** How long it was down, or has been until `now`. If it went down several times, the time in which it did. */
function getDowntime(outage: Outage, now: Date): Downtime {
  const { downtime, startedAt, endedAt, isBaseline, downs } = outage
  if (downtime) return downtime
  const gaps = downs.length > 1 ? undefined : outage.gaps
  const ms = (endedAt ?? now).getTime() - startedAt.getTime() - (gaps?.ms ?? 0)
  return { ms: Math.max(0, ms), isAtLeast: isBaseline || downs[0]?.isFromLate === true || gaps !== undefined }
}

/** `🟢 down today 2:18 AM, up today 2:22 AM (4 min)`. */
export const formatOutageRow = (outage: Outage, now: Date, unseen?: Unseen): readonly (string | Date)[] => [
  `${unseen && !outage.endedAt ? '⚫' : describeEnding(outage).emoji} `,
  ...formatOutageTimes(outage, now, unseen),
]

/** `🟢 Up again · Shop checkout (HTTPS shop.example.com) was down from today 2:18 AM, for 24 s`. */
function formatOutageLine(outage: Outage): readonly (string | Date)[] {
  const { check, startedAt, endedAt, isBaseline, downs, gaps } = outage
  const { emoji, title } = describeEnding(outage)
  const target = checkAddress(check)
  const name = `${emoji} ${title} · ${clip(checkName(check), MAX_TEXT)}${target ? ` (${clip(target, MAX_TEXT)})` : ''}`
  const hasUnknownStart = isBaseline || downs[0]?.isFromLate === true
  const timesText = downs.length > 1 ? `, ${formatCount(downs.length)} times` : ''
  return endedAt
    ? [
        `${name} was ${hasUnknownStart ? 'seen ' : ''}down from `,
        startedAt,
        `, for ${formatDowntime(getDowntime(outage, endedAt))}${timesText}`,
      ]
    : [
        `${name} since ${hasUnknownStart ? 'at least ' : ''}`,
        startedAt,
        ...describeGaps(gaps),
        ...(timesText ? [timesText] : []),
      ]
}

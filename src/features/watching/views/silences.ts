import { card, clip, commandButton, type Line, lineText, type Message, oneLine } from '@signalman/slack'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, joinNames } from '../../../domain/wording.ts'
import type { Said } from '../rules/said.ts'
import { findWindow, type Silence } from '../rules/silence.ts'
import { describeSubject, joinParts, listChannels } from './words.ts'

export const MAINTENANCE_EFFECT =
  'Outages during maintenance aren’t reported and don’t count against uptime. When it ends, Signalman posts what went down meanwhile and is still down.'
const MUTE_EFFECT =
  'When it ends, Signalman posts what went down meanwhile and is still down. Cards that are already here stay up to date.'

const ONLY_HERE = 'This is for this channel only.'

/** Says if it does nothing, because the channel doesn't watch it, and where to do it instead. */
function describeReach(channelId: string, watchedIn: readonly string[]): Line {
  if (watchedIn.includes(channelId)) return ONLY_HERE
  const notWatched = 'This is for this channel only, which doesn’t watch it.'
  if (watchedIn.length === 0) return notWatched
  return [`${notWatched} Type the same where it’s watched: `, ...listChannels(watchedIn), '.']
}

/** `🔕 Muted: shop* until … · by Max`, or `🔧 Maintenance: shop* from … until … · every week · by Max · database upgrade`. */
export function formatSilence(silence: Silence, now: Date): Line {
  const { isMaintenance, subject, environment, channelId, every, ownerName, reason } = silence
  const window = findWindow(silence, now)
  return joinParts(
    `${isMaintenance ? '🔧 Maintenance' : '🔕 Muted'}: ${describeSubject(subject)}${environmentSuffix(environment)}`,
    channelId === undefined ? ' in every channel' : '',
    ...(window && window.from > now ? [' from ', window.from] : []),
    ...(window ? [' until ', window.to] : []),
    ...[
      every && `every ${every}`,
      `by ${clip(oneLine(ownerName), 60)}`,
      reason && clip(oneLine(reason), 200),
    ].flatMap((part) => (part ? [` · ${part}`] : [])),
  )
}

const MAX_LISTED = 5

/** The first silences, one a line, and how many more there are. */
export const formatSilences = (silences: readonly Silence[], now: Date): readonly Line[] => [
  ...silences.slice(0, MAX_LISTED).map((silence) => formatSilence(silence, now)),
  ...(silences.length > MAX_LISTED ? [`And ${formatCount(silences.length - MAX_LISTED)} more.`] : []),
]

/** The answer after checks were muted, or maintenance was planned. It says what else silences the channel. */
export const silencedView = (
  silence: Silence,
  {
    others,
    replaced,
    watchedIn,
    now,
  }: {
    others: readonly Silence[]
    replaced: Silence | undefined
    /** The channels with a watch that is about it. */
    watchedIn: readonly string[]
    now: Date
  },
): Message =>
  card({
    headline: formatSilence(silence, now),
    notes: [
      ...(replaced ? [['It replaces your mute until ', replaced.to, '.'] as const] : []),
      ...(others.length > 0 ? ['Also in force here:'] : []),
      ...formatSilences(others, now),
      silence.isMaintenance ? MAINTENANCE_EFFECT : MUTE_EFFECT,
      ...(silence.channelId === undefined ? [] : [describeReach(silence.channelId, watchedIn)]),
    ],
    controls: [
      commandButton(silence.isMaintenance ? 'Cancel it' : 'Unmute', `/hc unmute ${quoted(silence.id)}`),
      silence.channelId === undefined || watchedIn.includes(silence.channelId)
        ? commandButton('All silences', '/hc watches')
        : commandButton('All watches', '/hc watches --all'),
    ],
  })

/** What everyone in the channel reads about a silence that somebody began or ended. */
export const saidSilence = (silence: Silence, now: Date, endedBy?: string): Said => ({
  text: lineText(
    endedBy === undefined
      ? formatSilence(silence, now)
      : `🔔 ${clip(oneLine(endedBy), 60)} ended ${silence.isMaintenance ? 'maintenance' : 'the mute'} of ${describeSubject(silence.subject)}${environmentSuffix(silence.environment)}.`,
  ),
  ...(endedBy === undefined && {
    button: {
      label: silence.isMaintenance ? 'Cancel it' : 'Unmute',
      line: `/hc unmute ${quoted(silence.id)}`,
    },
  }),
})

/** `the mute of web-* by Max` */
export const nameSilence = ({ isMaintenance, subject, ownerName }: Silence): string =>
  `${isMaintenance ? 'maintenance' : 'the mute'} of ${describeSubject(subject)} by ${clip(oneLine(ownerName), 60)}`

/** The answer after silences ended: which ended, and which still apply. */
export const endedView = (ended: readonly Silence[], remaining: readonly Silence[], now: Date): Message =>
  card({
    headline: `Ended: ${joinNames(ended.map(nameSilence))}.`,
    notes: [...(remaining.length > 0 ? ['Still in force here:'] : []), ...formatSilences(remaining, now)],
    controls: [
      ...listEndings(remaining).map(({ label, line }) => commandButton(label, line)),
      commandButton('Watches', '/hc watches'),
    ],
  })

export const MAX_ENDINGS = 3

/** Buttons that end the first few silences. */
export const listEndings = (silences: readonly Silence[]): { label: string; line: string }[] =>
  silences.slice(0, MAX_ENDINGS).map(({ id, subject }) => ({
    label: `End it for ${describeSubject(subject)}`,
    line: `/hc unmute ${quoted(id)}`,
  }))

import { card, clip, commandButton, type Line, lineElements, type Message, oneLine } from '@signalman/slack'
import { formatMoment, toZoned } from '../../../domain/dates/zoned.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { formatCount, formatList } from '../../../domain/wording.ts'
import type { Said } from '../rules/said.ts'
import { findWindow, type Silence } from '../rules/silence.ts'
import type { MatchingChecks } from '../rules/watch.ts'
import { describeChannel, describeMatching, describeSubject, joinParts, listNames } from './words.ts'

export const MAINTENANCE_EFFECT =
  'During maintenance, outages aren’t posted, nobody is paged, and uptime doesn’t count it. When it ends, Signalman posts what went down during it and is still down, unless something else silences that.'
/** People who type `pause` may expect more. */
const MUTE_EFFECT =
  'Nobody is paged meanwhile. The service still checks and sends emails. When the mute ends, Signalman posts what went down during it and is still down, unless something else silences that.'

/** `🔕 Muted: shop* until … · by Max`, or `🔧 Maintenance: shop* from … until … · every week · by Max · database upgrade`. */
export function formatSilence(silence: Silence, now: Date, what = describeSubject(silence.subject)): Line {
  const { isMaintenance, environment, channelId, every, ownerName, reason } = silence
  const window = findWindow(silence, now)
  const where = channelId === undefined ? ' in every channel' : ''
  return [
    `${isMaintenance ? '🔧 Maintenance' : '🔕 Muted'}: ${what}${environmentSuffix(environment)}${where}`,
    joinParts(
      ...(window && window.from > now ? [' from ', window.from] : []),
      ...(window ? [' until ', window.to] : []),
      ...[
        every && `every ${every}`,
        `by ${clip(oneLine(ownerName), 60)}`,
        reason && clip(oneLine(reason), 200),
      ].flatMap((part) => (part ? [` · ${part}`] : [])),
    ),
  ]
}

const MAX_LISTED = 5
/** What has ended isn't in a list anymore: beyond these, the audit log has it. */
const MAX_ENDED = 10

export const formatSilences = (silences: readonly Silence[], now: Date): readonly Line[] => [
  ...silences.slice(0, MAX_LISTED).map((silence) => formatSilence(silence, now)),
  ...(silences.length > MAX_LISTED ? [`And ${formatCount(silences.length - MAX_LISTED)} more.`] : []),
]

/** The answer after checks were muted, or maintenance was planned. The channel reads that, too, with a button to end it. */
export function silencedView(
  silences: readonly [Silence, ...Silence[]],
  {
    down,
    matching,
    here,
    now,
  }: {
    /** The names of what is down and from now on silenced. */
    down: readonly string[]
    matching?: MatchingChecks | undefined
    here: string | undefined
    now: Date
  },
): Message {
  const [silence] = silences
  const { channelId, isMaintenance } = silence
  const isHere = channelId !== undefined && channelId === here
  return card({
    headline: formatSilence(silence, now, nameSubjects(silences)),
    notes: [
      ...(down.length > 0
        ? [
            `Down now: ${listNames(down)}. Nobody is paged about ${down.length === 1 ? 'it' : 'them'} until then.`,
          ]
        : []),
      ...describeMatching(matching),
      joinParts(
        ...(channelId === undefined ? [] : ['This is for ', describeChannel(channelId, here), ' only. ']),
        isMaintenance ? MAINTENANCE_EFFECT : MUTE_EFFECT,
      ),
    ],
    controls: [...(isHere ? [] : [endButton(silence)]), commandButton(MUTES.label, MUTES.line)],
  })
}

const nameSubjects = (silences: readonly Silence[]): string =>
  listNames(silences.map(({ subject }) => describeSubject(subject)))

const endLine = ({ id }: Silence): string => `/hc unmute ${quoted(id)}`
const endLabel = ({ isMaintenance }: Silence): string => (isMaintenance ? 'Cancel it' : 'Unmute')
const endButton = (silence: Silence) => commandButton(endLabel(silence), endLine(silence))

const MUTES = { label: 'Watches and mutes', line: '/hc watches' }

/** What everyone in the channel reads about what somebody silenced: `🔕 Muted: web-1, web-2 until 14:00 · by Bea`. */
export function saidSilenced(silences: readonly [Silence, ...Silence[]], now: Date): Said {
  const [first, another] = silences
  return {
    line: lineElements(formatSilence(first, now, nameSubjects(silences))),
    button: another ? MUTES : { label: endLabel(first), line: endLine(first) },
  }
}

export const saidEnded = (silences: readonly Silence[], now: Date, endedBy: string): Said => ({
  line: lineElements(`🔔 ${clip(oneLine(endedBy), 60)} ended ${nameSilences(silences, now, endedBy)}.`),
})

/** Names each once, although several may have the same name. */
export const nameSilences = (silences: readonly Silence[], now: Date, endedBy?: string): string =>
  formatList(
    [...new Set(silences.map((silence) => nameSilence(silence, now, endedBy)))],
    MAX_ENDED,
    (name) => name,
  )

/** `the mute of web-* by Max`, `the planned maintenance of everything, every week, by Max`. Whoever ends their own isn't named twice. */
function nameSilence(silence: Silence, now: Date, endedBy?: string): string {
  const { isMaintenance, subject, environment, every, ownerName } = silence
  const window = findWindow(silence, now)
  const planned = window && window.from > now ? 'planned ' : ''
  const by = endedBy === ownerName ? '' : `${every ? ',' : ''} by ${clip(oneLine(ownerName), 60)}`
  const repeats = every ? `, every ${every}` : ''
  return `the ${planned}${isMaintenance ? 'maintenance' : 'mute'} of ${describeSubject(subject)}${environmentSuffix(environment)}${repeats}${by}`
}

/** Names silences of one kind in the audit log. */
export const nameObject = (silences: readonly Silence[]): string =>
  `${silences[0]?.isMaintenance ? 'maintenance' : 'mute'} ${silences.map(({ id }) => id).join(', ')}`

export const endedSilencesView = (
  ended: readonly Silence[],
  remaining: readonly Silence[],
  now: Date,
): Message =>
  card({
    headline: `Ended: ${nameSilences(ended, now)}.`,
    notes: [...(remaining.length > 0 ? ['Still in force here:'] : []), ...formatSilences(remaining, now)],
    controls: [
      ...listEndings(remaining, now).map(({ label, line }) => commandButton(label, line)),
      commandButton('Watches', '/hc watches'),
    ],
  })

/** ` from Nov 30, 22:00`, or of a mute ` (ends Nov 30, 22:00)`, because two plans, or two mutes, may differ in nothing else. */
function formatDifference({ isMaintenance, timeZone, ...silence }: Silence, now: Date): string {
  const window = findWindow({ timeZone, ...silence }, now)
  const format = (at: Date): string => formatMoment(toZoned(at, timeZone))
  if (!window) return ''
  return isMaintenance ? ` from ${format(window.from)}` : ` (ends ${format(window.to)})`
}

const MAX_ENDINGS = 3
const MAX_LABEL = 75

/** `End bank* from Nov 30, 22:00`, `Unmute web-* (ends Nov 30, 22:00)`. Short, because a phone shows about 30 characters of a button. */
export function nameEnding(silence: Silence, now: Date): { label: string; line: string } {
  const { isMaintenance, subject, environment } = silence
  const rest = `${environmentSuffix(environment)}${formatDifference(silence, now)}`
  const start = `${isMaintenance ? 'End' : 'Unmute'} ${describeSubject(subject)}`
  return { label: `${clip(start, MAX_LABEL - rest.length)}${rest}`, line: endLine(silence) }
}

export const listEndings = (silences: readonly Silence[], now: Date): { label: string; line: string }[] =>
  silences.slice(0, MAX_ENDINGS).map((silence) => nameEnding(silence, now))

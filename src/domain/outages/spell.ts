import { formatDuration, MINUTE_MS } from '@signalman/runtime'
import { formatCount } from '../wording.ts'
import { getFallTime, getRiseTime, type Incident, MAX_DOWNS, sumDownMs, wasDownAtFirst } from './incident.ts'

// All words for since when something is down or up, and for how long: every message and answer uses these.

/** A time that may have begun earlier than anybody saw, or ended earlier. */
interface Bounds {
  readonly isAtLeast?: boolean | undefined
  readonly isAtMost?: boolean | undefined
}

/** `since ` or `since at least `, and the time. */
export const formatSince = ({ at, isAtLeast }: Bounds & { readonly at: Date }): readonly [string, Date] => [
  isAtLeast ? 'since at least ' : 'since ',
  at,
]

/** `4 min`, `at least 4 min`, `at most 4 min`, `about 4 min`, or `under 1 min`: minutes, because polls are that far apart. */
export function formatLasted(ms: number, { isAtLeast = false, isAtMost = false }: Bounds = {}): string {
  if (ms < MINUTE_MS && !isAtLeast) return 'under 1 min'
  const bound = isAtLeast ? (isAtMost ? 'about ' : 'at least ') : isAtMost ? 'at most ' : ''
  return `${bound}${formatDuration(ms)}`
}

/** When it last went down. It may have been earlier if nobody looked before. */
export const getFall = (incident: Incident): { at: Date; isAtLeast: boolean } => ({
  at: getFallTime(incident),
  isAtLeast: wasDownAtFirst(incident) || incident.downs.at(-1)?.isAtLeast === true,
})

/** `since 9:00`, of what is down. */
export const formatDownSince = (incident: Incident): readonly [string, Date] => formatSince(getFall(incident))

/** How long what is down has been down: `4 min`, or of several `up to 4 min`. Undefined if that is less than a minute. */
export function formatDownFor(incidents: readonly Incident[], now: Date): string | undefined {
  const falls = incidents.map(getFall)
  const longestMs = Math.max(...falls.map(({ at }) => now.getTime() - at.getTime()))
  if (longestMs < MINUTE_MS) return undefined
  const [only, another] = falls
  return only && !another ? formatLasted(longestMs, only) : `up to ${formatDuration(longestMs)}`
}

const getBounds = ({ isBaseline, downs, ending }: Incident): Bounds => ({
  isAtLeast: isBaseline || downs[0]?.isAtLeast || ending === 'unseen',
  isAtMost: downs.at(-1)?.seenTo !== undefined,
})

/** How long what is down again has been down since the outage began: `10 min in all`. Pages are due by that. */
export function formatInAll(incident: Incident, at: Date): string | undefined {
  const ms = sumDownMs(incident, at.getTime())
  if (incident.downs.length < 2 || ms < MINUTE_MS) return undefined
  return `${formatLasted(ms, { isAtLeast: getBounds(incident).isAtLeast })} in all`
}

const getLastedMs = ({ openedAt, ...incident }: Incident): number =>
  (getRiseTime(incident) ?? openedAt).getTime() - openedAt.getTime()

/** Of many falls, the oldest aren't remembered one by one. */
export const countFalls = ({ downs }: Pick<Incident, 'downs'>): string =>
  `${downs.length >= MAX_DOWNS ? 'at least ' : ''}${formatCount(downs.length)}`

/** How long what is up again was down: `4 min`, or `3 times within 2 h`. */
export const formatWasDown = (incident: Incident): string =>
  incident.downs.length > 1
    ? `${countFalls(incident)} times within ${formatLasted(getLastedMs(incident))}`
    : formatLasted(getLastedMs(incident), getBounds(incident))

/** How long each of several was down: `up to 4 min`, or `at least 2 min`. */
export function formatWereDown(incidents: readonly Incident[]): string {
  const lasted = incidents.map(getLastedMs)
  if (!incidents.some((incident) => getBounds(incident).isAtLeast))
    return Math.max(...lasted) < MINUTE_MS ? formatLasted(0) : `up to ${formatLasted(Math.max(...lasted))}`
  return formatLasted(Math.min(...lasted), { isAtLeast: true })
}

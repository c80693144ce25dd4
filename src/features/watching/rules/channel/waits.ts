import { getSeenToMs, wasDownAtFirst } from '../../../../domain/outages/incident.ts'
import type { ChannelIncident, Facts, Known, Matched, Waits } from './state.ts'

const NOT_WAITED: Waits = { ms: 0, pages: {} }

/** The watches that an incident was down before: as the channel knows, or all of them if it was down at the first poll. */
export const listAlreadyDown = (known: Known, { incident, matching, older }: Matched): readonly string[] =>
  known.get(incident.id)?.alreadyDown ?? (wasDownAtFirst(incident) ? matching.map(({ id }) => id) : older)

/** What was down when a watch was saved, and is new to it, isn't paged about until it's down again: then that watch begins to count. */
export function markAlreadyDown(facts: Facts, known: Known, matched: readonly Matched[]): ChannelIncident[] {
  const { savedId } = facts.channel
  return matched.flatMap((one) => {
    const { incident, older } = one
    const own = known.get(incident.id)
    if (!own) return []
    const isNew = savedId !== undefined && older.includes(savedId) && !own.alreadyDown.includes(savedId)
    const alreadyDown = isNew ? [...own.alreadyDown, savedId] : own.alreadyDown
    if (alreadyDown.length === (incident.isDown ? own.alreadyDown.length : 0)) return []
    if (incident.isDown) return [{ ...own, alreadyDown }]
    const waits = follow(facts, one, own)
    const begun = alreadyDown.map((id) => [id, { atMs: waits?.ms, count: 0 }])
    const pages = { ...waits?.pages, ...Object.fromEntries(begun) }
    return [{ ...own, alreadyDown: [], waits: waits && { ...waits, pages } }]
  })
}

export const followWaits = (facts: Facts, known: Known, matched: readonly Matched[]): ChannelIncident[] =>
  matched.flatMap((one) => {
    const own = known.get(one.incident.id)
    const waits = own && follow(facts, one, own)
    return own && waits !== own.waits ? [{ ...own, waits }] : []
  })

/**
 * It begins again when somebody was on it, and stands still while it's up, nobody may read the channel, or it's silenced. What begins and ends
 * while nobody looks is taken away once somebody does.
 */
function follow(
  { nowMs, channel, isUnseen, seenSinceMs, lastOkMs }: Facts,
  { incident, isSilenced }: Matched,
  { waits = NOT_WAITED }: Pick<ChannelIncident, 'waits'>,
): Waits | undefined {
  if (incident.onIt) return undefined
  const { sinceMs } = waits
  const isRunning = incident.isDown && !channel.isClosed
  if (isUnseen && (sinceMs !== undefined || !isRunning)) return waits
  const isSettled = Number(sinceMs) <= nowMs && Number(sinceMs) >= seenSinceMs
  const isSame = isRunning ? isSettled && isSilenced === (waits.isSilenced ?? false) : sinceMs === undefined
  if (isSame) return waits
  // A silence may begin after the last poll, and the next one see that it was up then.
  const knownMs = isRunning && isSilenced ? Math.max(sinceMs ?? nowMs, Math.min(nowMs, lastOkMs)) : nowMs
  return {
    ms: waits.ms + countSince(channel, incident, sinceMs, getSeenToMs(knownMs, incident.downs.at(-1))),
    ...(isRunning && { sinceMs: knownMs, ...(isSilenced && { isSilenced }) }),
    pages: waits.pages,
  }
}

/** How long it has waited before the channel lists it. If somebody was on it meanwhile, it begins again. */
export const countBefore = (
  { channel, nowMs }: Pick<Facts, 'channel' | 'nowMs'>,
  incident: Matched['incident'],
): number =>
  incident.takenFirst
    ? 0
    : incident.downs.reduce(
        (ms, down) => ms + countSince(channel, incident, down.from.getTime(), getSeenToMs(nowMs, down)),
        0,
      )

const countSince = (
  { sumSilencedMs }: Facts['channel'],
  { check }: Matched['incident'],
  fromMs: number | undefined,
  toMs: number,
): number => (fromMs === undefined || fromMs >= toMs ? 0 : toMs - fromMs - sumSilencedMs(check, fromMs, toMs))

/** These watches have paged. What follows counts from then. */
export function countPages(waits: Waits, watchIds: readonly string[], atMs: number): Waits {
  const { sinceMs, isSilenced } = waits
  // While it's silenced, the count stands still.
  const runs = sinceMs !== undefined && !isSilenced
  const pagedMs = runs ? Math.max(atMs, sinceMs) : sinceMs
  const ms = waits.ms + (runs ? Math.max(0, atMs - sinceMs) : 0)
  const counted = watchIds.map((id) => [id, { atMs: ms, count: (waits.pages[id]?.count ?? 0) + 1 }])
  return { ...waits, ms, sinceMs: pagedMs, pages: { ...waits.pages, ...Object.fromEntries(counted) } }
}

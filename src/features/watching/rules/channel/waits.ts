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

/** It begins again when somebody was on it, and stands still while it's up or silenced. */
function follow(
  { nowMs, channel, isUnseen }: Facts,
  { incident, isSilenced }: Matched,
  { waits = NOT_WAITED }: Pick<ChannelIncident, 'waits'>,
): Waits | undefined {
  if (incident.onIt) return undefined
  const isWaiting = incident.isDown && !isSilenced && !channel.isClosed
  // A time in the future is from before the clock was set back. Until when it was down isn't known before somebody looks.
  const isSame = isWaiting ? Number(waits.sinceMs) <= nowMs : waits.sinceMs === undefined || isUnseen
  const { fromMs = nowMs } = channel.findSilenced(incident.check) ?? {}
  return isSame
    ? waits
    : settle(waits, Math.min(fromMs, getSeenToMs(nowMs, incident.downs.at(-1))), isWaiting)
}

const settle = ({ ms, sinceMs, pages }: Waits, atMs: number, isWaiting: boolean): Waits => ({
  ms: ms + Math.max(0, atMs - (sinceMs ?? atMs)),
  sinceMs: isWaiting ? atMs : undefined,
  pages,
})

/** These watches have paged. What follows counts from then. */
export function countPages(waits: Waits, watchIds: readonly string[], atMs: number): Waits {
  const { sinceMs } = waits
  const after = settle(waits, Math.max(atMs, sinceMs ?? 0), sinceMs !== undefined)
  const counted = watchIds.map((id) => [id, { atMs: after.ms, count: (waits.pages[id]?.count ?? 0) + 1 }])
  return { ...after, pages: { ...waits.pages, ...Object.fromEntries(counted) } }
}

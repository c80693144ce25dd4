import { getFallTime, isNoData, wasDownAtFirst } from '../../../../domain/outages/incident.ts'
import type { ChannelIncident, Facts, Known, Matched } from './state.ts'

/** A watch begins to wait when the check goes down again. */
const NEXT_FALL = 0

/** The watches that an incident was down before: as the channel knows, or all of them if it was down at the first poll. */
export const listAlreadyDown = (known: Known, { incident, matching }: Matched): readonly string[] =>
  known.get(incident.id)?.alreadyDown ?? (wasDownAtFirst(incident) ? matching.map(({ id }) => id) : [])

/**
 * What was down when a watch was saved, and is new to it, isn't paged about, whenever a card lists it: it may be muted now. What is up again
 * isn't old if it goes down: then these watches begin to wait.
 */
export function markAlreadyDown(
  { channel: { channelId, saved } }: Pick<Facts, 'channel'>,
  known: Known,
  matched: readonly Matched[],
): ChannelIncident[] {
  return matched.flatMap((one) => {
    const { incident, matching } = one
    const before = listAlreadyDown(known, one)
    const isOld =
      saved &&
      !isNoData(incident) &&
      matching.some(({ id }) => id === saved.id) &&
      !saved.knew(incident.check)
    const own = known.get(incident.id) ?? {
      ...{ channelId, incidentId: incident.id, alreadyDown: [], pages: {} },
    }
    const alreadyDown = incident.isDown ? [...new Set([...before, ...(isOld ? [saved.id] : [])])] : []
    const isKept = alreadyDown.length === own.alreadyDown.length
    if (isKept || (!isOld && !known.has(incident.id))) return []
    const cleared = incident.isDown ? [] : own.alreadyDown.map((id) => [id, { atMs: NEXT_FALL, count: 0 }])
    return [{ ...own, alreadyDown, pages: { ...own.pages, ...Object.fromEntries(cleared) } }]
  })
}

/** Whoever is on something knows of it, and the channel sees that on the card. */
export const markTaken = (
  { nowMs }: Pick<Facts, 'nowMs'>,
  known: Known,
  matched: readonly Matched[],
): ChannelIncident[] =>
  matched.flatMap(({ incident }) => {
    const own = known.get(incident.id)
    return own && !own.toldAt && incident.onIt && incident.isDown ? [{ ...own, toldAt: new Date(nowMs) }] : []
  })

/** What nobody is on waits for somebody, until a person or a silence ends that. Then the steps begin again with the first. */
export const updateWaits = (
  { nowMs, channel }: Pick<Facts, 'nowMs' | 'channel'>,
  known: Known,
  matched: readonly Matched[],
): ChannelIncident[] =>
  matched.flatMap(({ incident, isSilenced }) => {
    const own = known.get(incident.id)
    if (!own) return []
    const isWaiting = !incident.onIt && !isSilenced && !channel.isClosed
    const fallMs = incident.isDown ? getFallTime(incident).getTime() : NEXT_FALL
    // What is in the future is from before the clock was set back.
    const waitsFrom = isWaiting ? new Date(Math.min(own.waitsFrom?.getTime() ?? nowMs, nowMs)) : undefined
    const before = Object.entries(own.pages)
    const pages = (isWaiting ? before : []).map(([id, { atMs, count }]) => {
      const pagedMs = Math.min(atMs === NEXT_FALL ? fallMs : atMs, nowMs)
      return { id, count, atMs: pagedMs, isSame: pagedMs === atMs }
    })
    const isSame = pages.length === before.length && pages.every((page) => page.isSame)
    if (isSame && waitsFrom?.getTime() === own.waitsFrom?.getTime()) return []
    const saved = pages.map(({ id, atMs, count }) => [id, { atMs, count }])
    return [{ ...own, waitsFrom, pages: Object.fromEntries(saved) }]
  })

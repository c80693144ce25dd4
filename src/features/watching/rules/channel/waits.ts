import { getFallTime, isNoData, wasDownAtFirst } from '../../../../domain/outages/incident.ts'
import type { Watch } from '../watch.ts'
import type { ChannelIncident, Facts, Listed, Matched } from './state.ts'

/** A watch begins to wait when the check goes down again. */
const NEXT_FALL = 0

/** Whether it went down before a watch. */
export const isOlder =
  ({ nowMs }: Pick<Facts, 'nowMs'>, { incident }: Matched) =>
  ({ madeAt }: Watch): boolean =>
    !isNoData(incident) &&
    // A watch from the future is from before the clock was set back.
    (wasDownAtFirst(incident) || (getFallTime(incident) < madeAt && madeAt.getTime() <= nowMs))

/**
 * What was down when a watch was saved, and is new to it, isn't paged about. What is up again isn't old if it goes down: then these
 * watches begin to wait.
 */
export function markAlreadyDown(
  { channel: { saved } }: Pick<Facts, 'channel'>,
  listed: Listed,
  matched: readonly Matched[],
): ChannelIncident[] {
  return matched.flatMap(({ incident, matching }) => {
    const own = listed.get(incident.id)
    if (!own) return []
    const isOld = saved && matching.some(({ id }) => id === saved.id) && !saved.knew(incident.check)
    const alreadyDown = incident.isDown
      ? [...new Set([...own.alreadyDown, ...(isOld ? [saved.id] : [])])]
      : []
    if (alreadyDown.length === own.alreadyDown.length) return []
    const cleared = incident.isDown ? [] : own.alreadyDown.map((id) => [id, { atMs: NEXT_FALL, count: 0 }])
    return [{ ...own, alreadyDown, pages: { ...own.pages, ...Object.fromEntries(cleared) } }]
  })
}

/** Whoever is on something knows of it, and the channel sees that on the card. */
export const markTaken = (
  { nowMs }: Pick<Facts, 'nowMs'>,
  listed: Listed,
  matched: readonly Matched[],
): ChannelIncident[] =>
  matched.flatMap(({ incident }) => {
    const own = listed.get(incident.id)
    return own && !own.toldAt && incident.onIt && incident.isDown ? [{ ...own, toldAt: new Date(nowMs) }] : []
  })

/** What nobody is on waits for somebody, until a person or a silence ends that. Then the steps begin again with the first. */
export const updateWaits = (
  { nowMs, channel }: Pick<Facts, 'nowMs' | 'channel'>,
  listed: Listed,
  matched: readonly Matched[],
): ChannelIncident[] =>
  matched.flatMap(({ incident, isSilenced }) => {
    const own = listed.get(incident.id)
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

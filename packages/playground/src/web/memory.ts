import { isFields, parseJson } from '../json.ts'
import type { Memory } from './state.ts'
import { PANEL_FITS } from './use-media.ts'

const PLACE = 'signalman.place'
const VISITED = 'signalman.been'

/** Reads the saved place. It is saved per tab, because tabs can act as different people. */
export function recall(): Memory | undefined {
  const kept = parseJson(sessionStorage.getItem(PLACE) ?? '')
  // Only `remember` writes it. Anything that isn't an object is ignored.
  return isFields(kept) ? (kept as unknown as Memory) : undefined
}

export function remember(place: Memory): void {
  sessionStorage.setItem(PLACE, JSON.stringify(place))
  if (place.panel?.kind !== 'host' && matchMedia(PANEL_FITS).matches) localStorage.setItem(VISITED, 'yes')
}

/** Whether this is the browser's first visit, and there is room next to the conversation. */
export function hasRoomFirst(): boolean {
  return localStorage.getItem(VISITED) === null && matchMedia(PANEL_FITS).matches
}

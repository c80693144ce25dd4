import { isFields, parseJson } from '../json.ts'
import type { SavedPlace } from './state.ts'
import { PANEL_FITS } from './use-media.ts'

const PLACE_KEY = 'signalman.place'
const VISITED_KEY = 'signalman.been'

/** Reads the saved place. It is saved per tab, because tabs can act as different people. */
export function loadPlace(): SavedPlace | undefined {
  const saved = parseJson(sessionStorage.getItem(PLACE_KEY) ?? '')
  // Only `savePlace` writes it. Anything that isn't an object is ignored.
  return isFields(saved) ? (saved as unknown as SavedPlace) : undefined
}

export function savePlace(place: SavedPlace): void {
  sessionStorage.setItem(PLACE_KEY, JSON.stringify(place))
  if (place.panel?.kind !== 'host' && matchMedia(PANEL_FITS).matches) localStorage.setItem(VISITED_KEY, 'yes')
}

/** Whether this is the browser's first visit, and there is room next to the conversation. */
export function isFirstVisitWithRoom(): boolean {
  return localStorage.getItem(VISITED_KEY) === null && matchMedia(PANEL_FITS).matches
}

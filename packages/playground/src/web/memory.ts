import type { Memory, PageState } from './state.ts'
import { TOUR_FITS } from './use-media.ts'

const PLACE = 'signalman.place'
const TOURED = 'signalman.toured'
const TRIED = 'signalman.tried'

function read(storage: Storage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null')
  } catch {
    return null
  }
}

/** The tab's own: another window may be another person elsewhere. */
export function recall(): Memory | undefined {
  // Only `remember` writes it; anything else in its place is no object, and is passed over.
  const kept = read(sessionStorage, PLACE) as Memory | null
  return kept !== null && typeof kept === 'object' ? kept : undefined
}

export function remember(place: Memory): void {
  sessionStorage.setItem(PLACE, JSON.stringify(place))
  if (place.panel?.kind !== 'tour' && matchMedia(TOUR_FITS).matches) localStorage.setItem(TOURED, 'yes')
}

/** What is open beside the conversation for somebody who comes for the first time, where there is room. */
export function firstPanel(): PageState['panel'] {
  const isNew = localStorage.getItem(TOURED) === null
  return isNew && matchMedia(TOUR_FITS).matches ? { kind: 'tour' } : null
}

/** What of the tour has been tried in this browser. */
export function recallTried(): string[] {
  const kept = read(localStorage, TRIED)
  return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
}

export function rememberTried(tried: readonly string[]): void {
  localStorage.setItem(TRIED, JSON.stringify(tried))
}

import { isFields, parseJson } from '../json.ts'
import type { TabState } from './state.ts'
import { PANEL_FITS } from './use-media.ts'

const TAB_KEY = 'signalman.tab'
const HOST_PANEL_CLOSED_KEY = 'signalman.host-panel-closed'

/** Reads what was open in this tab. It is saved per tab, because tabs can act as different people. */
export function loadTabState(): TabState | undefined {
  const saved = parseJson(sessionStorage.getItem(TAB_KEY) ?? '')
  // Only `saveTabState` writes it. Anything that isn't an object is ignored.
  return isFields(saved) ? (saved as unknown as TabState) : undefined
}

/** Saves what is open in this tab, and for all tabs whether the host's panel has been closed. */
export function saveTabState(tab: TabState): void {
  sessionStorage.setItem(TAB_KEY, JSON.stringify(tab))
  if (tab.panel?.kind !== 'host' && matchMedia(PANEL_FITS).matches)
    localStorage.setItem(HOST_PANEL_CLOSED_KEY, 'yes')
}

/** Whether to start with the host's panel open: if it fits, until the person has closed it once. */
export function shouldOpenHostPanel(): boolean {
  return localStorage.getItem(HOST_PANEL_CLOSED_KEY) === null && matchMedia(PANEL_FITS).matches
}

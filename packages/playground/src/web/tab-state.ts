import { isFields, parseJson } from '../protocol/json.ts'
import type { TabState } from './state.ts'
import { PANEL_FITS } from './use-media.ts'

const TAB_KEY = 'signalman.tab'
const HOST_PANEL_CLOSED_KEY = 'signalman.host-panel-closed'

/** Loads what was open in this tab. The state is saved per tab, because each tab can act as a different person. */
export function loadTabState(): TabState | undefined {
  const saved = parseJson(sessionStorage.getItem(TAB_KEY) ?? '')
  // Only `saveTabState` writes this key, so an object has the right type. Anything else is ignored.
  return isFields(saved) ? (saved as unknown as TabState) : undefined
}

/** Saves what is open in this tab. If the person has closed the host's panel, also saves that, for all tabs. */
export function saveTabState(tab: TabState): void {
  sessionStorage.setItem(TAB_KEY, JSON.stringify(tab))
  if (tab.panel === null && matchMedia(PANEL_FITS).matches) localStorage.setItem(HOST_PANEL_CLOSED_KEY, 'yes')
}

/** Whether to show the host's panel at the start: only if it fits, and if the person hasn't closed it before. */
export function shouldOpenHostPanel(): boolean {
  return localStorage.getItem(HOST_PANEL_CLOSED_KEY) === null && matchMedia(PANEL_FITS).matches
}

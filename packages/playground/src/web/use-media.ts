import { useSyncExternalStore } from 'react'

/** Narrow windows: the sidebar is a drawer, panels cover the conversation, and the host's panel is below it. */
export const NARROW = '(max-width: 860px)'
/** Windows in which a panel fits next to the conversation. */
export const PANEL_FITS = '(min-width: 1100px)'

/** Whether the window matches the media query, now and after changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const mediaQuery = matchMedia(query)
      mediaQuery.addEventListener('change', listener)
      return () => mediaQuery.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

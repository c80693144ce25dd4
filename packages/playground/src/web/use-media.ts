import { useSyncExternalStore } from 'react'

/**
 * Matches narrow windows. In these, the sidebar is a drawer, the host's panel is below the conversation, and other panels cover the
 * conversation.
 */
export const NARROW = '(max-width: 860px)'
/** Matches windows in which the host's panel leaves enough of the conversation visible: next to it, or in narrow windows below it. */
export const PANEL_FITS = '(min-width: 1100px), (max-width: 860px)'

/** Whether the window matches the media query. Updates when that changes. */
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

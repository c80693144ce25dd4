import { useSyncExternalStore } from 'react'

/** Below this width, the side bar is a drawer, and a panel covers the conversation; the host's panel is below it. */
export const NARROW = '(max-width: 860px)'
/** Below this width, nothing is next to the conversation unless someone opens it. */
export const PANEL_FITS = '(min-width: 1100px)'

/** Whether the window matches the media query, now and after changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

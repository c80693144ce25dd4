import { useSyncExternalStore } from 'react'

/** Below it the side bar is a drawer, and a panel covers the conversation; the host’s stands under it. */
export const NARROW = '(max-width: 860px)'
/** Below it nothing stands beside the conversation until somebody asks for it. */
export const PANEL_FITS = '(min-width: 1100px)'

/** Whether the window is as the media query says, now and from now on. */
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

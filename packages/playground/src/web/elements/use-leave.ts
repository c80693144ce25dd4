import { type RefObject, useEffect } from 'react'

/** Calls `onLeave` when the focus or a press goes outside `root`, for as long as `active`. */
export function useLeave(root: RefObject<HTMLElement | null>, active: boolean, onLeave: () => void): void {
  useEffect(() => {
    if (!active) return
    const leave = (event: Event) => {
      const to = event instanceof FocusEvent ? event.relatedTarget : event.target
      if (to instanceof Node && !root.current?.contains(to)) onLeave()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusout', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusout', leave)
    }
  }, [root, active, onLeave])
}

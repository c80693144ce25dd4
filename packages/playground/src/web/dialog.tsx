import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { UNSAFE_PortalProvider as PortalProvider } from 'react-aria/PortalProvider'

/**
 * A modal dialog based on the browser's: it keeps the focus inside, returns it when it closes, and reacts to Escape. Nothing
 * behind it can be reached, so lists that open in it are rendered in it too. `onCancel` decides what Escape does.
 */
export function Dialog({
  labelledBy,
  describedBy,
  className,
  hidden = false,
  onCancel,
  onPressOutside,
  children,
}: {
  labelledBy: string
  describedBy?: string
  className: string
  /** Kept but not shown: a view below another one. */
  hidden?: boolean
  onCancel: () => void
  onPressOutside?: () => void
  children: ReactNode
}) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (!dialog || hidden) return
    const opener = document.activeElement
    dialog.showModal()
    return () => {
      dialog.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [hidden])
  const container = useCallback(() => ref.current, [])
  return (
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-modal="true"
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onPointerDown={(event) => event.target === ref.current && onPressOutside?.()}
      onCancel={(event) => {
        if (event.target !== ref.current) return
        event.preventDefault()
        onCancel()
      }}
      onKeyDown={(event) => {
        // A second Escape in a row would close the dialog without its owner.
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        // The first Escape is for the open list, which has handled it.
        if (!event.currentTarget.querySelector('[data-trigger]')) onCancel()
      }}
    >
      <PortalProvider getContainer={container}>{children}</PortalProvider>
    </dialog>
  )
}

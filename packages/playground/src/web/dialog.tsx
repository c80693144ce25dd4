import { type ReactNode, useCallback, useEffect, useRef } from 'react'
import { UNSAFE_PortalProvider as PortalProvider } from 'react-aria/PortalProvider'

/**
 * A modal dialog based on `<dialog>`. It traps the focus, calls `onCancel` on Escape, and returns the focus when it closes. Nothing
 * outside the dialog can be clicked, so menus that open from it are rendered inside it.
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
  /** Hides the dialog but keeps its state, for views below the top one. */
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
        // Handles the key here, because on a second Escape browsers close the dialog even if `cancel` is prevented.
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        // If a list in the dialog is open, the first Escape only closes the list.
        if (!event.currentTarget.querySelector('[data-trigger]')) onCancel()
      }}
    >
      <PortalProvider getContainer={container}>{children}</PortalProvider>
    </dialog>
  )
}

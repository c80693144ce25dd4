import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { useActions } from './page.ts'
import { Scrolling } from './scrolling.tsx'

/** A panel next to the conversation that can be closed. */
export function Panel({
  title,
  closeLabel,
  bodyLabel,
  className = '',
  onClose,
  children,
}: {
  title: string
  closeLabel: string
  /** The accessible name of the body, if it scrolls as a whole. */
  bodyLabel?: string
  className?: string
  /** Replaces the default, which closes the page's current panel. */
  onClose?: () => void
  children: ReactNode
}) {
  const { dispatch } = useActions()
  return (
    <aside className={`panel ${className}`} aria-label={title}>
      <header className="bar">
        <h2>{title}</h2>
        <IconButton
          icon="close"
          label={closeLabel}
          onClick={onClose ?? (() => dispatch({ type: 'panel', panel: null }))}
        />
      </header>
      {bodyLabel === undefined ? (
        children
      ) : (
        <Scrolling className="panel-body" label={bodyLabel}>
          {children}
        </Scrolling>
      )}
    </aside>
  )
}

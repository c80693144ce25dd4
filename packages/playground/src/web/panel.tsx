import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { Each } from './each.ts'
import { useActions } from './page.ts'
import { Scrolling } from './scrolling.tsx'

/** A panel next to the conversation that can be closed. */
export function Panel({
  title,
  label = title,
  closeLabel,
  bodyLabel,
  className = '',
  onClose,
  children,
}: {
  title: string
  /** Its name for screen readers. */
  label?: string
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
    <aside className={`panel ${className}`} aria-label={label}>
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

/** A list of names and values. `isLong` values take the full width. */
export function Facts({ facts }: { facts: readonly { name: string; value: ReactNode; isLong?: boolean }[] }) {
  if (facts.length === 0) return null
  return (
    <dl className="facts">
      <Each of={facts}>
        {({ name, value, isLong }) => (
          <div className={isLong ? 'long' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )}
      </Each>
    </dl>
  )
}

import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** What stands beside the conversation, and can be closed. */
export function Panel({
  title,
  label = title,
  closing,
  className = '',
  onClose,
  children,
}: {
  title: string
  /** What it is called to those who do not see where it stands. */
  label?: string
  closing: string
  className?: string
  onClose: () => void
  children: ReactNode
}) {
  return (
    <aside className={`panel ${className}`} aria-label={label}>
      <header className="bar">
        <h2>{title}</h2>
        <button type="button" className="button icon" aria-label={closing} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </aside>
  )
}

/** The part of a panel that scrolls. */
export function PanelBody({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="panel-body" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}

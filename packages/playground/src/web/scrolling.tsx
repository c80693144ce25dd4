import type { ReactNode } from 'react'

/** A scrollable region that keyboard users can focus, and a landmark for screen readers. */
export function Scrolling({
  label,
  className,
  children,
}: {
  label: string
  className: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
    <section className={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}

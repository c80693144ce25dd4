import type { ReactNode, RefObject } from 'react'

/** A scrollable region that can be focused by keyboard. If a page has many of them, `isGroup` makes them groups instead of landmarks. */
export function Scrolling({
  label,
  className,
  isGroup = false,
  ref,
  children,
}: {
  label: string
  className: string
  isGroup?: boolean
  ref?: RefObject<HTMLDivElement | null>
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a name
    <div ref={ref} className={className} role={isGroup ? 'group' : 'region'} tabIndex={0} aria-label={label}>
      {children}
    </div>
  )
}

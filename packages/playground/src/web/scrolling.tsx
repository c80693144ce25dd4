import type { ReactNode, RefObject } from 'react'

/** A part of the page that scrolls by itself, also with the keyboard. `isGroup`: not a landmark, because there may be many. */
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

import type { ReactNode, RefObject } from 'react'

/**
 * A scrollable region that keyboard users can focus. It's a landmark for screen readers, or with `isGroup` just a group, because many
 * landmarks on a page would be confusing.
 */
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

import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** A button that doesn't submit the form around it. `look` is its CSS class. */
export function Button({
  look: className = 'button small',
  ...rest
}: ComponentProps<'button'> & { look?: string }) {
  return <button type="button" className={className} {...rest} />
}

/** An icon button with a label for screen readers. */
export function IconButton({
  icon,
  label,
  look = 'button icon',
  ...rest
}: ComponentProps<'button'> & { icon: IconName; label: string; look?: string }) {
  return (
    <Button look={look} aria-label={label} {...rest}>
      <Icon name={icon} />
    </Button>
  )
}

/** A selected item with a button that removes it. */
export function Chip({
  name,
  onRemove,
  children,
}: {
  name: string
  onRemove: () => void
  children: ReactNode
}) {
  return (
    <span className="chip">
      {children}
      <Button look="" aria-label={`Remove ${name}`} onClick={onRemove}>
        ×
      </Button>
    </span>
  )
}

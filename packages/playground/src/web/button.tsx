import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** A button that doesn't submit the form around it. */
export function Button({ className = 'button small', ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={className} {...rest} />
}

/** An icon button with a label for screen readers. */
export function IconButton({
  icon,
  label,
  className = 'button icon',
  ...rest
}: ComponentProps<'button'> & { icon: IconName; label: string }) {
  return (
    <Button className={className} aria-label={label} {...rest}>
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
      <Button className="" aria-label={`Remove ${name}`} onClick={onRemove}>
        ×
      </Button>
    </span>
  )
}

import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** A button of the page's own, which sends no form that it stands in; `look` is its place among the styles. */
export function Button({ look = 'button small', ...rest }: ComponentProps<'button'> & { look?: string }) {
  return <button type="button" className={look} {...rest} />
}

/** A button that is a drawing, named for those who do not see it. */
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

/** Something chosen, with a way to leave it out again. */
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

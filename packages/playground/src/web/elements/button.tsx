import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { SAFE_URL } from '../text/nodes.ts'
import { Plain } from '../text/text-view.tsx'
import { type Slot, useElement } from './slot.ts'

/** A button that sends an action. Ignores further clicks until the app has acknowledged it. Only feedback buttons have a `value`. */
function ActionButton({
  slot,
  value,
  className = 'button small',
  ...rest
}: {
  slot: Slot
  value?: string
  className?: string
  title?: string | undefined
  'aria-label'?: string | undefined
  children: ReactNode
}) {
  const { busy, press } = useElement(slot)
  return (
    <Button className={className} aria-busy={busy} onClick={() => !busy && void press(value)} {...rest} />
  )
}

/** Renders `button`. If it has a URL, a click sends the action and opens the URL. */
export function ButtonElement({ slot }: { slot: Slot }) {
  const { text, url, style = '', accessibility_label: name } = slot.element
  const { press } = useElement(slot)
  if (url === undefined || !SAFE_URL.test(url))
    return (
      <ActionButton slot={slot} className={`button ${style}`} aria-label={name}>
        <Plain text={text ?? ''} />
      </ActionButton>
    )
  return (
    <a
      className={`button ${style}`}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={name}
      onClick={() => void press()}
    >
      <Plain text={text ?? ''} />
      <Icon name="external" />
    </a>
  )
}

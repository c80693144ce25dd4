import { Button } from '../button.tsx'
import { Plain } from '../text/text-view.tsx'
import { type Slot, useElement } from './slot.ts'

/** Renders `button`. Ignores further clicks until the app has acknowledged the first. */
export function ButtonElement({ slot }: { slot: Slot }) {
  const { text, style = '', accessibility_label: name } = slot.element
  const { busy, press } = useElement(slot)
  return (
    <Button
      className={`button ${style}`}
      aria-label={name}
      aria-busy={busy}
      onClick={() => !busy && void press()}
    >
      <Plain text={text ?? ''} />
    </Button>
  )
}

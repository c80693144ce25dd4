import { Plain } from '../text/text-view.tsx'
import { Menu } from './menu.tsx'
import { type Slot, useElement } from './slot.ts'

/** Renders `overflow`: a button that opens a menu. */
export function OverflowElement({ slot }: { slot: Slot }) {
  const { press } = useElement(slot)
  const items = (slot.element.options ?? []).map((option) => ({
    key: option.value,
    label: <Plain text={option.text} />,
    onSelect: () => void press(option.value),
  }))
  return <Menu label="More actions" icon="more" items={items} className="overflow" />
}

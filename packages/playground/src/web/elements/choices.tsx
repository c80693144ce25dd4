import type { Option } from '../block-kit.ts'
import { Text } from '../text/text-view.tsx'
import { groupAttributes, type Slot, useElement } from './slot.ts'

/** Renders `checkboxes`. */
export function ChoicesElement({ slot }: { slot: Slot }) {
  const { value, choose } = useElement(slot)
  const { options = [] } = slot.element
  const selectedValues = [value ?? []].flat()
  const select = (option: Option, checked: boolean) => {
    const selected = options.filter((candidate) =>
      candidate === option ? checked : selectedValues.includes(candidate.value),
    )
    void choose(selected.map((selectedOption) => selectedOption.value))
  }
  return (
    <fieldset className="choices" {...groupAttributes(slot)}>
      {options.map((option) => (
        <label key={option.value} className="choice">
          <input
            type="checkbox"
            value={option.value}
            checked={selectedValues.includes(option.value)}
            onChange={(event) => select(option, event.currentTarget.checked)}
          />
          <span className="choice-text">
            <Text text={option.text} />
          </span>
        </label>
      ))}
    </fieldset>
  )
}

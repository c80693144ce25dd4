import { useId } from 'react'
import { Text } from '../text/text-view.tsx'
import { asList, asText } from '../values.ts'
import type { Option } from '../wire.ts'
import { groupAttributes, type Slot, useElement } from './slot.ts'

function Choice({
  type,
  name,
  option,
  checked,
  onChange,
}: {
  type: 'checkbox' | 'radio'
  name: string
  option: Option
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className="choice">
      <input
        type={type}
        name={name}
        value={option.value}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span className="choice-text">
        <Text of={option.text} />
        {option.description && (
          <span className="choice-detail">
            <Text of={option.description} />
          </span>
        )}
      </span>
    </label>
  )
}

export function CheckboxesElement({ slot }: { slot: Slot }) {
  const { value, choose } = useElement(slot)
  const name = useId()
  const options = slot.element.options ?? []
  const chosen = asList(value)
  const toggle = (option: Option, checked: boolean) => {
    const wanted = options.filter((one) => (one === option ? checked : chosen.includes(one.value)))
    void choose(wanted.map((one) => one.value))
  }
  return (
    <fieldset className="choices" {...groupAttributes(slot)}>
      {options.map((option) => (
        <Choice
          key={option.value}
          type="checkbox"
          name={name}
          option={option}
          checked={chosen.includes(option.value)}
          onChange={(checked) => toggle(option, checked)}
        />
      ))}
    </fieldset>
  )
}

export function RadioElement({ slot }: { slot: Slot }) {
  const { value, choose } = useElement(slot)
  const name = useId()
  return (
    <div className="choices" role="radiogroup" {...groupAttributes(slot)}>
      {(slot.element.options ?? []).map((option) => (
        <Choice
          key={option.value}
          type="radio"
          name={name}
          option={option}
          checked={asText(value) === option.value}
          onChange={() => void choose(option.value)}
        />
      ))}
    </div>
  )
}

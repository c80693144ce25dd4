import type { ChangeEvent } from 'react'
import type { Element } from '../block-kit.ts'
import { asText } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

function findInputMode({ type, is_decimal_allowed }: Element) {
  if (type !== 'number_input') return undefined
  return is_decimal_allowed ? 'decimal' : 'numeric'
}

function RemainingCharacters({ value, max }: { value: string; max: number | undefined }) {
  if (max === undefined) return null
  const remaining = max - [...value].length
  // Hidden until the text is near the limit.
  if (remaining > Math.max(20, max * 0.1)) return null
  return (
    <span className={remaining < 0 ? 'left over' : 'left'} role="status">
      {remaining < 0 ? `${-remaining} too many` : `${remaining} left`}
    </span>
  )
}

/** Renders `plain_text_input` and `number_input`. */
export function TextInputElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { value, choose } = useElement(slot)
  const text = asText(value)
  const attributes = {
    ...controlAttributes(slot),
    className: 'field',
    placeholder: element.placeholder?.text,
    value: text,
    autoComplete: 'off',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      void choose(event.currentTarget.value || null),
  }
  return (
    <div className="field-box">
      {element.multiline ? (
        <textarea {...attributes} rows={4} />
      ) : (
        <input {...attributes} type="text" inputMode={findInputMode(element)} />
      )}
      <RemainingCharacters value={text} max={element.max_length} />
    </div>
  )
}

import type { ChangeEvent, KeyboardEvent } from 'react'
import type { Element } from '../block-kit.ts'
import { asText } from '../values.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

function findInputMode({ type, is_decimal_allowed }: Element) {
  if (type !== 'number_input') return undefined
  return is_decimal_allowed ? 'decimal' : 'numeric'
}

/** Whether this event sends an action to the app. By default, only Enter does. */
function dispatchesOn(slot: Slot, trigger: 'on_enter_pressed' | 'on_character_entered'): boolean {
  if (!slot.input?.dispatches) return false
  return (slot.element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed']).includes(trigger)
}

/** The state of a text field. With `on_character_entered`, every change is sent to the app. */
function useTextField(slot: Slot) {
  const { value, setValue, choose } = useElement(slot)
  const update = dispatchesOn(slot, 'on_character_entered') ? choose : setValue
  return {
    text: asText(value),
    setText: (typed: string) => void update(typed === '' ? null : typed),
    send: () => void choose(asText(value) || null),
  }
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
  const { text, setText, send } = useTextField(slot)
  const attributes = {
    ...controlAttributes(slot),
    className: 'field',
    placeholder: element.placeholder?.text,
    value: text,
    autoComplete: 'off',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setText(event.currentTarget.value),
  }
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !dispatchesOn(slot, 'on_enter_pressed')) return
    event.preventDefault()
    send()
  }
  return (
    <div className="field-box">
      {element.multiline ? (
        <textarea {...attributes} rows={4} />
      ) : (
        <input {...attributes} type="text" inputMode={findInputMode(element)} onKeyDown={onEnter} />
      )}
      <RemainingCharacters value={text} max={element.max_length} />
    </div>
  )
}

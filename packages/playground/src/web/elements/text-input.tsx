import type { KeyboardEvent } from 'react'
import { asText } from '../values.ts'
import type { Element } from '../wire.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

const TYPES: Record<string, { type: string; mode?: 'numeric' | 'decimal' | 'email' | 'url' }> = {
  email_text_input: { type: 'email', mode: 'email' },
  url_text_input: { type: 'url', mode: 'url' },
}

function inputType(element: Element) {
  if (element.type !== 'number_input') return TYPES[element.type] ?? { type: 'text' }
  return { type: 'text', mode: element.is_decimal_allowed ? ('decimal' as const) : ('numeric' as const) }
}

/** When the app wants to hear of typing: on Enter unless it says otherwise. */
export function dispatchesOn(slot: Slot, what: 'on_enter_pressed' | 'on_character_entered'): boolean {
  if (!slot.input?.dispatches) return false
  return (slot.element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed']).includes(what)
}

function Left({ value, max }: { value: string; max: number | undefined }) {
  const left = max === undefined ? undefined : max - [...value].length
  if (left === undefined || left > Math.max(20, (max ?? 0) * 0.1)) return null
  return (
    <span className={left < 0 ? 'left over' : 'left'} role="status">
      {left < 0 ? `${-left} too many` : `${left} left`}
    </span>
  )
}

/** plain_text_input, email_text_input, url_text_input, number_input. */
export function TextInputElement({ slot }: { slot: Slot }) {
  const { element } = slot
  const { value, type, choose } = useElement(slot)
  const shown = asText(value)
  const take = (typed: string) => {
    const next = typed === '' ? null : typed
    if (dispatchesOn(slot, 'on_character_entered')) void choose(next)
    else type(next)
  }
  const attributes = {
    ...controlAttributes(slot),
    className: 'field',
    placeholder: element.placeholder?.text,
    value: shown,
    'data-autofocus': element.focus_on_load,
    autoComplete: 'off',
  }
  if (element.multiline) {
    return (
      <div className="field-box">
        <textarea {...attributes} rows={4} onChange={(event) => take(event.currentTarget.value)} />
        <Left value={shown} max={element.max_length} />
      </div>
    )
  }
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !dispatchesOn(slot, 'on_enter_pressed')) return
    event.preventDefault()
    void choose(shown === '' ? null : shown)
  }
  const { type: inputKind, mode } = inputType(element)
  return (
    <div className="field-box">
      <input
        {...attributes}
        type={inputKind}
        inputMode={mode}
        onChange={(event) => take(event.currentTarget.value)}
        onKeyDown={onEnter}
      />
      <Left value={shown} max={element.max_length} />
    </div>
  )
}

import type { ChangeEvent, KeyboardEvent } from 'react'
import { asText } from '../values.ts'
import type { Element } from '../wire.ts'
import { controlAttributes, type Slot, useElement } from './slot.ts'

const TYPES: Record<string, { type: string; inputMode?: 'email' | 'url' }> = {
  email_text_input: { type: 'email', inputMode: 'email' },
  url_text_input: { type: 'url', inputMode: 'url' },
}

function inputType(element: Element) {
  if (element.type !== 'number_input') return TYPES[element.type] ?? { type: 'text' }
  return { type: 'text', inputMode: element.is_decimal_allowed ? ('decimal' as const) : ('numeric' as const) }
}

/** When the app wants an action while typing: on Enter by default. */
function findDispatchEvent(slot: Slot, what: 'on_enter_pressed' | 'on_character_entered'): boolean {
  if (!slot.input?.dispatches) return false
  return (slot.element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed']).includes(what)
}

/** Handles typing in a field. The app gets every character if it asked for that. */
export function useTyped(slot: Slot) {
  const { value, type, choose } = useElement(slot)
  const put = findDispatchEvent(slot, 'on_character_entered') ? choose : type
  return {
    shown: asText(value),
    take: (typed: string) => void put(typed === '' ? null : typed),
    send: () => void choose(asText(value) || null),
  }
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
  const { shown, take, send } = useTyped(slot)
  const attributes = {
    ...controlAttributes(slot),
    className: 'field',
    placeholder: element.placeholder?.text,
    value: shown,
    'data-autofocus': element.focus_on_load,
    autoComplete: 'off',
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => take(event.currentTarget.value),
  }
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !findDispatchEvent(slot, 'on_enter_pressed')) return
    event.preventDefault()
    send()
  }
  return (
    <div className="field-box">
      {element.multiline ? (
        <textarea {...attributes} rows={4} />
      ) : (
        <input {...attributes} {...inputType(element)} onKeyDown={onEnter} />
      )}
      <Left value={shown} max={element.max_length} />
    </div>
  )
}

import type { InputValue, InputValues } from '../protocol.ts'
import type { Element, Option } from './wire.ts'

function values(options: Option[] | undefined): string[] | null {
  return options ? options.map((option) => option.value) : null
}

const INITIAL: Record<string, (element: Element) => InputValue> = {
  static_select: (element) => element.initial_option?.value ?? null,
  external_select: (element) => element.initial_option?.value ?? null,
  radio_buttons: (element) => element.initial_option?.value ?? null,
  checkboxes: (element) => values(element.initial_options),
  multi_static_select: (element) => values(element.initial_options),
  multi_external_select: (element) => values(element.initial_options),
  users_select: (element) => element.initial_user ?? null,
  multi_users_select: (element) => element.initial_users ?? null,
  channels_select: (element) => element.initial_channel ?? null,
  multi_channels_select: (element) => element.initial_channels ?? null,
  conversations_select: (element) => element.initial_conversation ?? null,
  multi_conversations_select: (element) => element.initial_conversations ?? null,
  datepicker: (element) => element.initial_date ?? null,
  timepicker: (element) => element.initial_time ?? null,
  datetimepicker: (element) =>
    element.initial_date_time === undefined ? null : String(element.initial_date_time),
}

/** What an element holds before anybody touches it. */
export function initialValue(element: Element): InputValue {
  const read = INITIAL[element.type]
  return read ? read(element) : (element.initial_value ?? null)
}

/** What an element holds now: what the person put there (null: emptied), or else its initial value. */
export function currentValue(typed: InputValues, blockId: string, element: Element): InputValue {
  const value = typed[blockId]?.[element.action_id]
  return value === undefined ? initialValue(element) : value
}

export function withValue(
  typed: InputValues,
  blockId: string,
  actionId: string,
  value: InputValue,
): InputValues {
  return { ...typed, [blockId]: { ...typed[blockId], [actionId]: value } }
}

export function asText(value: InputValue): string {
  return typeof value === 'string' ? value : ''
}

export function asList(value: InputValue): string[] {
  return Array.isArray(value) ? value : []
}

import type { Block, InputValue, InputValues } from '../protocol.ts'
import { type Element, type Option, wire } from './wire.ts'

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
  // Its initial value is rich text, which this page edits as plain text: untouched, the server keeps it.
  rich_text_input: () => null,
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

function elementsOf(block: Block): Element[] {
  const read = wire(block)
  if (read.type === 'input') return [read.element]
  if (read.type === 'actions' || read.type === 'context_actions') return read.elements
  return read.type === 'section' && read.accessory ? [read.accessory] : []
}

/** Whether what was chosen can still be chosen, after the app has changed the options. */
function isOffered(element: Element, value: InputValue): boolean {
  const { options, option_groups: groups } = element
  if (value === null || (!options && !groups)) return true
  const offered = [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)]
  return [value].flat().every((one) => offered.some((option) => option.value === one))
}

/** What of the typed values still has its place: the app may have replaced blocks, elements or options since. */
export function fitting(blocks: readonly Block[], typed: InputValues): InputValues {
  let kept: InputValues = {}
  for (const block of blocks) {
    for (const element of typed[block.block_id] ? elementsOf(block) : []) {
      const value = typed[block.block_id]?.[element.action_id]
      if (value !== undefined && isOffered(element, value)) {
        kept = withValue(kept, block.block_id, element.action_id, value)
      }
    }
  }
  return kept
}

export function asText(value: InputValue): string {
  return typeof value === 'string' ? value : ''
}

export function asList(value: InputValue): string[] {
  return Array.isArray(value) ? value : []
}

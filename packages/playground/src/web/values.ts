import { elementsOf as acting, flatBlocks } from '../elements.ts'
import type { Block, InputValue, InputValues } from '../protocol.ts'
import { typedOf } from '../rich-typed.ts'
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
  rich_text_input: ({ initial_value: rich }) => (typeof rich === 'object' ? typedOf(rich) : null),
  datepicker: (element) => element.initial_date ?? null,
  timepicker: (element) => element.initial_time ?? null,
  datetimepicker: (element) =>
    element.initial_date_time === undefined ? null : String(element.initial_date_time),
}

/** What an element holds before anybody touches it. */
export function initialValue(element: Element): InputValue {
  const read = INITIAL[element.type]
  const typed = element.initial_value
  return read ? read(element) : typeof typed === 'string' ? typed : null
}

/** The blocks with the conversation of their place chosen, where a select is to start with it. */
export function inConversation(blocks: readonly Block[], conversation: string | null): Block[] {
  const chosen = (element: Element): Element => {
    const { type, default_to_current_conversation: isDefault } = element
    if (!isDefault || conversation === null) return element
    return type === 'multi_conversations_select'
      ? { initial_conversations: [conversation], ...element }
      : { initial_conversation: conversation, ...element }
  }
  return blocks.map((block): Block => {
    const read = wire(block)
    const elements = 'elements' in block ? { elements: elementsOf(block).map(chosen) } : {}
    // Each is the block as it came, but for one field of its elements.
    if (read.type === 'input') return { ...block, element: chosen(read.element) } as unknown as Block
    if (read.type === 'actions') return { ...block, ...elements } as unknown as Block
    if (read.type === 'section' && read.accessory)
      return { ...block, accessory: chosen(read.accessory) } as unknown as Block
    return block
  })
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
  // Holds because the server stores no element that breaks Block Kit's rules.
  return acting(block) as unknown as Element[]
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
  for (const block of flatBlocks(blocks)) {
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

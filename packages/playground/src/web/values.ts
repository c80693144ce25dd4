import { interactiveElements as acting, flatBlocks } from '../elements.ts'
import type { Block, InputValue, InputValues } from '../protocol.ts'
import { richTextToTyped } from '../rich-typed.ts'
import { type Element, wire } from './wire.ts'

/** An element's initial value. Each type has at most one of these fields. */
export function initialValue(element: Element): InputValue {
  const { initial_value: typed, initial_date_time: moment, initial_options: several } = element
  if (typeof typed === 'object') return richTextToTyped(typed)
  if (moment !== undefined) return String(moment)
  const chosen = element.initial_option?.value ?? several?.map(({ value }) => value)
  const place = element.initial_channel ?? element.initial_channels ?? element.initial_conversation
  const who = element.initial_user ?? element.initial_users ?? element.initial_conversations
  return chosen ?? place ?? who ?? element.initial_date ?? element.initial_time ?? typed ?? null
}

/** The blocks, with the current conversation selected in selects that ask for it as their default. */
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
    // Each is the original block, except for one field of its elements.
    if (read.type === 'input') return { ...block, element: chosen(read.element) } as unknown as Block
    if (read.type === 'actions') return { ...block, ...elements } as unknown as Block
    if (read.type === 'section' && read.accessory)
      return { ...block, accessory: chosen(read.accessory) } as unknown as Block
    return block
  })
}

/** An element's current value: what the person entered (null: emptied), or else its initial value. */
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
  // Safe because the server stores no element that breaks Block Kit's rules.
  return acting(block) as unknown as Element[]
}

/** Whether the choice still exists after the app has changed the options. */
function isOffered(element: Element, value: InputValue): boolean {
  const { options, option_groups: groups } = element
  if (value === null || (!options && !groups)) return true
  const offered = [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)]
  return [value].flat().every((one) => offered.some((option) => option.value === one))
}

/** The typed values that still have an element. The app may have replaced blocks, elements, or options since. */
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

import type { InputValue, InputValues } from '../protocol/answers.ts'
import { interactiveElements } from '../protocol/elements.ts'
import type { Block } from '../protocol/protocol.ts'
import { type Element, toTypedBlock } from './block-kit.ts'

/** An element's initial value. Each type of element has at most one of these `initial_…` fields. */
export function initialValue(element: Element): InputValue {
  const { initial_value: typed, initial_options: options } = element
  const chosenOptions = element.initial_option?.value ?? options?.map(({ value }) => value)
  const users = element.initial_user ?? element.initial_users
  const channels = element.initial_channel ?? element.initial_channels
  const conversations = element.initial_conversation ?? element.initial_conversations
  return chosenOptions ?? users ?? channels ?? conversations ?? (typeof typed === 'string' ? typed : null)
}

/** Preselects the current conversation in all elements with `default_to_current_conversation`. */
export function selectCurrentConversation(blocks: readonly Block[], conversation: string | null): Block[] {
  const withConversation = (element: Element): Element => {
    const { type, default_to_current_conversation: isDefault } = element
    if (!isDefault || conversation === null) return element
    return type === 'multi_conversations_select'
      ? { initial_conversations: [conversation], ...element }
      : { initial_conversation: conversation, ...element }
  }
  return blocks.map((block): Block => {
    const typedBlock = toTypedBlock(block)
    const elements = 'elements' in block ? { elements: typedElements(block).map(withConversation) } : {}
    // Safe casts: only an initial value was added to the elements.
    if (typedBlock.type === 'input')
      return { ...block, element: withConversation(typedBlock.element) } as unknown as Block
    if (typedBlock.type === 'actions') return { ...block, ...elements } as unknown as Block
    if (typedBlock.type === 'section' && typedBlock.accessory)
      return { ...block, accessory: withConversation(typedBlock.accessory) } as unknown as Block
    return block
  })
}

/** An element's current value: what the person entered (null if cleared), otherwise its initial value. */
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

function typedElements(block: Block): Element[] {
  // Safe because the server validates elements before it stores them.
  return interactiveElements(block) as unknown as Element[]
}

/** Whether the chosen options still exist. The app may have changed the element since. */
function isStillOffered(element: Element, value: InputValue): boolean {
  const { options, option_groups: groups } = element
  if (value === null || (!options && !groups)) return true
  const allOptions = [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)]
  return [value].flat().every((chosenValue) => allOptions.some((option) => option.value === chosenValue))
}

/** Returns the entered values that are still valid. The app may have replaced blocks, elements, or options since. */
export function keepValidValues(blocks: readonly Block[], typed: InputValues): InputValues {
  let valid: InputValues = {}
  for (const block of blocks) {
    for (const element of typed[block.block_id] ? typedElements(block) : []) {
      const value = typed[block.block_id]?.[element.action_id]
      if (value !== undefined && isStillOffered(element, value)) {
        valid = withValue(valid, block.block_id, element.action_id, value)
      }
    }
  }
  return valid
}

export function asText(value: InputValue): string {
  return typeof value === 'string' ? value : ''
}

export function asList(value: InputValue): string[] {
  return Array.isArray(value) ? value : []
}

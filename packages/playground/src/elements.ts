import { fieldsOf, isFields, stringOf } from './json.ts'
import type { Block, Fields, Message } from './protocol.ts'

const asBlocks = (given: readonly Fields[]): Block[] =>
  given.map((one) => ({ ...one, type: String(one.type), block_id: stringOf(one.block_id) ?? '' }))

/** A message's own blocks, and those of its attachments. */
export function messageBlocks({
  blocks,
  attachments = [],
}: Pick<Message, 'blocks' | 'attachments'>): Block[] {
  return [...blocks, ...attachments.flatMap((one) => asBlocks(fieldsOf(one.blocks)))]
}

/** Where a block contains other blocks, and elements that can be used, by the block's type. */
export const BLOCK_LISTS: Readonly<Record<string, string>> = {
  carousel: 'elements',
  container: 'child_blocks',
  layout: 'fallback',
}
export const ELEMENT_LISTS: Readonly<Record<string, string>> = {
  actions: 'elements',
  context_actions: 'elements',
  card: 'actions',
}

/** The blocks, and those inside others, in reading order. */
export function flatBlocks(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => {
    const inside = BLOCK_LISTS[block.type]
    return inside === undefined ? [block] : [block, ...flatBlocks(asBlocks(fieldsOf(block[inside])))]
  })
}

/** Every element of one block that a person can use: its accessory, its elements, or the element of an input. */
export function elementsOf(block: Block): Fields[] {
  const single = [block.accessory, block.element].filter(isFields)
  const many = fieldsOf(block[ELEMENT_LISTS[block.type] ?? ''])
  return [...single, ...many].filter((element) => typeof element.action_id === 'string')
}

export function findElement(blocks: readonly Block[], blockId: string, actionId: string): Fields | undefined {
  const block = flatBlocks(blocks).find((one) => one.block_id === blockId)
  return block && elementsOf(block).find((element) => element.action_id === actionId)
}

/** All options of an element, including those in groups. */
export function optionsOf(element: Fields): Fields[] {
  return [
    ...fieldsOf(element.options),
    ...fieldsOf(element.option_groups).flatMap((group) => fieldsOf(group.options)),
  ]
}

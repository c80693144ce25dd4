import type { Fields } from './json.ts'
import { asString, isFields, objectsIn } from './json.ts'
import type { Block, Message } from './protocol.ts'

const asBlocks = (blocks: readonly Fields[]): Block[] =>
  blocks.map((block) => ({ ...block, type: String(block.type), block_id: asString(block.block_id) ?? '' }))

/** A message's blocks, including those in its attachments. */
export function messageBlocks({
  blocks,
  attachments = [],
}: Pick<Message, 'blocks' | 'attachments'>): Block[] {
  return [...blocks, ...attachments.flatMap((attachment) => asBlocks(objectsIn(attachment.blocks)))]
}

/** The interactive elements of one block: its accessory, its elements, or the element of an input. */
export function interactiveElements(block: Block): Fields[] {
  const singleElements = [block.accessory, block.element].filter(isFields)
  const listedElements = block.type === 'actions' ? objectsIn(block.elements) : []
  return [...singleElements, ...listedElements].filter((element) => typeof element.action_id === 'string')
}

export function findElement(blocks: readonly Block[], blockId: string, actionId: string): Fields | undefined {
  const block = blocks.find((candidate) => candidate.block_id === blockId)
  return block && interactiveElements(block).find((element) => element.action_id === actionId)
}

/** All options of an element, including those in groups. */
export function allOptions(element: Fields): Fields[] {
  return [
    ...objectsIn(element.options),
    ...objectsIn(element.option_groups).flatMap((group) => objectsIn(group.options)),
  ]
}

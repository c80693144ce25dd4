import type { Fields } from './json.ts'
import { isFields, objectsIn } from './json.ts'
import type { Block } from './protocol.ts'

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

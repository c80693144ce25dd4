import { fieldsOf, isFields } from './json.ts'
import type { Block, Fields } from './protocol.ts'

/** Every element of a block that a person can act on: accessory, elements, or the element of an input. */
export function elementsOf(block: Block): Fields[] {
  const single = [block.accessory, block.element].filter(isFields)
  const many = block.type === 'actions' || block.type === 'context_actions' ? fieldsOf(block.elements) : []
  return [...single, ...many].filter((element) => typeof element.action_id === 'string')
}

export function findElement(blocks: Block[], blockId: string, actionId: string): Fields | undefined {
  const block = blocks.find((one) => one.block_id === blockId)
  return block && elementsOf(block).find((element) => element.action_id === actionId)
}

/** All options of an element, those in groups included. */
export function optionsOf(element: Fields): Fields[] {
  return [
    ...fieldsOf(element.options),
    ...fieldsOf(element.option_groups).flatMap((group) => fieldsOf(group.options)),
  ]
}

import type { InputValue, InputValues } from '../protocol/answers.ts'
import { interactiveElements } from '../protocol/elements.ts'
import type { Block } from '../protocol/protocol.ts'
import type { Element } from './block-kit.ts'

/** An element's initial value. Each type of element has at most one of these `initial_…` fields. */
function initialValue(element: Element): InputValue {
  const { initial_value: typed, initial_options: options } = element
  const chosenOptions = element.initial_option?.value ?? options?.map(({ value }) => value)
  return chosenOptions ?? element.initial_conversation ?? (typeof typed === 'string' ? typed : null)
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
function isStillOffered({ options }: Element, value: InputValue): boolean {
  if (value === null || !options) return true
  return [value].flat().every((chosenValue) => options.some((option) => option.value === chosenValue))
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

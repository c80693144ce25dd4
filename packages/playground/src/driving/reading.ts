import { elementsOf, flatBlocks, optionsOf } from '../elements.ts'
import { isFields, stringOf, textOf } from '../json.ts'
import type { Block, Fields, InputValue, InputValues, Json, Message, OpenView, View } from '../protocol.ts'

const SHOWN = new Set(['text', 'alt_text', 'caption', 'title', 'label', 'hint', 'description'])

function strings(value: Json, name: string): string[] {
  if (typeof value === 'string') return SHOWN.has(name) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((each) => strings(each, name === 'elements' ? '' : name))
  if (!isFields(value)) return []
  if (value.type === 'link' && value.text === undefined) return [String(value.url)]
  return Object.entries(value).flatMap(([inner, each]) => strings(each, inner))
}

/** Everything that a person can read in a message or a view, one string per line, with markup as it was sent. */
export function readText(shown: Message | View | OpenView | undefined): string {
  if (!shown) return ''
  if ('view' in shown)
    return [readText(shown.view), ...Object.values(shown.errors), shown.banner ?? ''].join('\n').trim()
  const blocks = shown.blocks.flatMap((block) => strings(block, ''))
  if (!('ts' in shown)) return [shown.title?.text ?? '', ...blocks].join('\n').trim()
  const attached = (shown.attachments ?? []).flatMap((one) => strings(one, ''))
  return [...(shown.blocks.length > 0 ? blocks : [shown.text]), ...attached].join('\n')
}

export interface Spot {
  block: Block
  element: Fields
}

function names({ block, element }: Spot): string[] {
  return [
    stringOf(element.action_id) ?? '',
    textOf(element.text),
    stringOf(element.accessibility_label) ?? '',
    textOf(block.label),
    textOf(element.placeholder),
    block.block_id,
  ]
}

/** An option behind `···`, with a button's text. */
const optionNames = ({ element }: Spot): string[] =>
  element.type === 'overflow' ? optionsOf(element).map(({ text }) => textOf(text)) : []

/** The option of an overflow menu with this label, which is pressed like a button. */
export const optionNamed = (spot: Spot, name: string): InputValue | undefined =>
  optionNames(spot).includes(name) ? toValue(spot, name) : undefined

/**
 * The element with this action_id, button text, input label, placeholder, or block_id, in that order, or the overflow menu with
 * an option of this name. Throws an Error if there is none.
 */
export function findSpot(blocks: Block[], name: string): Spot {
  const spots = flatBlocks(blocks).flatMap((block) =>
    elementsOf(block).map((element) => ({ block, element })),
  )
  for (const nth of [0, 1, 2, 3, 4, 5]) {
    const found = spots.find((spot) => names(spot)[nth] === name)
    if (found) return found
  }
  const menu = spots.find((spot) => optionNames(spot).includes(name))
  if (menu) return menu
  const known = spots.flatMap((spot) => [
    names(spot).find((each, index) => index > 0 && each !== '') ?? names(spot)[0],
    ...optionNames(spot),
  ])
  throw new Error(
    `There is nothing called "${name}" here. There is: ${known.join(', ') || 'nothing to act on'}.`,
  )
}

/** The value of a choice with this label or value; anything else stays unchanged. */
export function toValue({ element }: Spot, given: InputValue): InputValue {
  const options = optionsOf(element)
  const one = (choice: string): string => {
    const found = options.find((option) => option.value === choice || textOf(option.text) === choice)
    return stringOf(found?.value) ?? choice
  }
  if (given === null || options.length === 0) return given
  return Array.isArray(given) ? given.map(one) : one(given)
}

/** Answers by label, action_id, or block_id, as the page would post them. */
export function toValues(blocks: Block[], answers: Record<string, InputValue>): InputValues {
  const values: InputValues = {}
  for (const [name, answer] of Object.entries(answers)) {
    const spot = findSpot(blocks, name)
    const actionId = String(spot.element.action_id)
    values[spot.block.block_id] = { ...values[spot.block.block_id], [actionId]: toValue(spot, answer) }
  }
  return values
}

export function mergeValues(before: InputValues, after: InputValues): InputValues {
  const merged = { ...before }
  for (const [blockId, actions] of Object.entries(after)) merged[blockId] = { ...merged[blockId], ...actions }
  return merged
}

import type { InputValue, InputValues } from '../protocol/answers.ts'
import { interactiveElements } from '../protocol/elements.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { asString, isFields, objectsIn, textIn } from '../protocol/json.ts'
import type { Block, Message, OpenView, View } from '../protocol/protocol.ts'

const TEXT_FIELDS = new Set(['text', 'alt_text', 'caption', 'title', 'label', 'hint', 'description'])

function collectTexts(value: Json, name: string): string[] {
  if (typeof value === 'string') return TEXT_FIELDS.has(name) ? [value] : []
  if (Array.isArray(value))
    return value.flatMap((item) => collectTexts(item, name === 'elements' ? '' : name))
  if (!isFields(value)) return []
  if (value.type === 'link' && value.text === undefined) return [String(value.url)]
  return Object.entries(value).flatMap(([inner, item]) => collectTexts(item, inner))
}

/** Returns all text that a person can read in a message or view, one string per line, with its original markup. */
export function readText(surface: Message | View | OpenView | undefined): string {
  if (!surface) return ''
  if ('view' in surface)
    return [readText(surface.view), ...Object.values(surface.errors), surface.banner ?? ''].join('\n').trim()
  const blocks = surface.blocks.flatMap((block) => collectTexts(block, ''))
  if (!('ts' in surface)) return [surface.title?.text ?? '', ...blocks].join('\n').trim()
  return surface.blocks.length > 0 ? blocks.join('\n') : surface.text
}

interface ElementTarget {
  block: Block
  element: Fields
}

/** The names by which an element can be found, in order of precedence. */
function elementNames({ block, element }: ElementTarget): string[] {
  return [
    asString(element.action_id) ?? '',
    textIn(element.text),
    asString(element.accessibility_label) ?? '',
    textIn(block.label),
    textIn(element.placeholder),
  ]
}

/** The parts of an element that people click like buttons: an overflow menu's options. */
const clickableParts = ({ element }: ElementTarget): Fields[] =>
  element.type === 'overflow' ? objectsIn(element.options) : []

const partNames = (target: ElementTarget): string[] => clickableParts(target).map(({ text }) => textIn(text))

/** Finds the value of such a part by its label. */
export const findPartValue = (target: ElementTarget, name: string): InputValue | undefined =>
  asString(clickableParts(target).find(({ text }) => textIn(text) === name)?.value)

/**
 * Finds an element by its action_id, button text, accessibility label, input label, or placeholder, in that order or
 * else an overflow menu by an option's label. Throws an Error if there is none.
 */
export function findTarget(blocks: Block[], name: string): ElementTarget {
  const targets = blocks.flatMap((block) => interactiveElements(block).map((element) => ({ block, element })))
  // Searches all elements by one kind of name after another, so that an action_id takes precedence over any label.
  for (const rank of [0, 1, 2, 3, 4]) {
    const match = targets.find((target) => elementNames(target)[rank] === name)
    if (match) return match
  }
  const menu = targets.find((target) => partNames(target).includes(name))
  if (menu) return menu
  // Lists each element by its label, or if it has none, by its action_id.
  const available = targets.flatMap((target) => [
    elementNames(target).find((elementName, rank) => rank > 0 && elementName !== '') ??
      elementNames(target)[0],
    ...partNames(target),
  ])
  throw new Error(
    `There is no element "${name}" here. There are: ${available.join(', ') || 'no interactive elements'}.`,
  )
}

/** Converts an option's label to its value. Returns everything else unchanged. */
export function toValue({ element }: ElementTarget, value: InputValue): InputValue {
  const options = objectsIn(element.options)
  const toOptionValue = (choice: string): string => {
    const match = options.find((option) => option.value === choice || textIn(option.text) === choice)
    return asString(match?.value) ?? choice
  }
  if (value === null || options.length === 0) return value
  return Array.isArray(value) ? value.map(toOptionValue) : toOptionValue(value)
}

/** Converts form values, given by label or action_id, to the values that the page would post. */
export function toValues(blocks: Block[], answers: Record<string, InputValue>): InputValues {
  const values: InputValues = {}
  for (const [name, answer] of Object.entries(answers)) {
    const target = findTarget(blocks, name)
    const actionId = String(target.element.action_id)
    values[target.block.block_id] = { ...values[target.block.block_id], [actionId]: toValue(target, answer) }
  }
  return values
}

export function mergeValues(before: InputValues, after: InputValues): InputValues {
  const merged = { ...before }
  for (const [blockId, actions] of Object.entries(after)) merged[blockId] = { ...merged[blockId], ...actions }
  return merged
}

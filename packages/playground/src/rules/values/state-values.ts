// This folder: values that people enter.

import type { InputValue, InputValues } from '../../protocol/answers.ts'
import { checkChoiceCount, checkFiles, ImpossibleValueError } from '../../protocol/choice-limits.ts'
import { interactiveElements } from '../../protocol/elements.ts'
import type { Fields } from '../../protocol/json.ts'
import { asList, asString, objectsIn } from '../../protocol/json.ts'
import type { Block } from '../../protocol/protocol.ts'
import { findMenuChoice, type MenuDirectory } from './menu-choices.ts'

/** Looks up the options, files, and channels that entered values refer to. */
export interface Lookups {
  /** Finds an option that the app has suggested for an external select, by its value. */
  findOfferedOption: (actionId: string, value: string) => Fields | undefined
  findFile: (id: string) => Fields | undefined
  /** What the menus for conversations can offer. */
  directory: MenuDirectory
}

type ReadState = (element: Fields, value: InputValue | undefined, lookups: Lookups) => Fields

function toSingle(value: InputValue): string | null {
  if (Array.isArray(value)) throw new ImpossibleValueError('this element accepts one value, not a list')
  return value === '' ? null : value
}

function toList(value: InputValue): string[] {
  if (value === null) return []
  return Array.isArray(value) ? value : [value]
}

function findOption(element: Fields, value: string, lookups: Lookups): Fields {
  const match =
    element.type === 'multi_external_select'
      ? (lookups.findOfferedOption(String(element.action_id), value) ?? findInitialOption(element, value))
      : objectsIn(element.options).find((candidate) => candidate.value === value)
  if (!match) throw new ImpossibleValueError(`"${value}" isn't an option of ${element.action_id}`)
  return match
}

function findInitialOption(element: Fields, value: string): Fields | undefined {
  return objectsIn(element.initial_options).find((candidate) => candidate.value === value)
}

const plainText: ReadState = (element, value) => {
  if (value === undefined) return { value: asString(element.initial_value) ?? null }
  const text = toSingle(value)
  if (element.multiline !== true && /[\r\n]/.test(text ?? ''))
    throw new ImpossibleValueError('this element accepts one line, without line breaks')
  return { value: text }
}

/** The initial conversation stays possible, even if the menu no longer offers it. */
const conversation: ReadState = (element, value, { directory }) => {
  const { initial_conversation: initial = null } = element
  const chosen = value === undefined ? initial : toSingle(value)
  const isOffered = typeof chosen === 'string' && chosen !== initial
  return { selected_conversation: isOffered ? findMenuChoice(element, chosen, directory) : chosen }
}

const singleOption: ReadState = (element, value, lookups) => {
  if (value === undefined) return { selected_option: element.initial_option ?? null }
  const optionValue = toSingle(value)
  return { selected_option: optionValue === null ? null : findOption(element, optionValue, lookups) }
}

const optionList: ReadState = (element, value, lookups) => ({
  selected_options:
    value === undefined
      ? asList(element.initial_options)
      : toList(value).map((optionValue) => findOption(element, optionValue, lookups)),
})

const fileList: ReadState = (element, value, lookups) => {
  const files = toList(value ?? null).map((id) => {
    const file = lookups.findFile(id)
    if (!file) throw new ImpossibleValueError(`there is no uploaded file ${id}`)
    return file
  })
  checkFiles(element, files)
  return { files }
}

/** Reads an element's state as in `state.values` and in actions, by element type. */
const READERS: Record<string, ReadState> = {
  plain_text_input: plainText,
  number_input: plainText,
  file_input: fileList,
  static_select: singleOption,
  multi_external_select: optionList,
  checkboxes: optionList,
  conversations_select: conversation,
}

/** Returns an element's state, without its type. Undefined for elements without state, such as buttons. */
export function readState(
  element: Fields,
  value: InputValue | undefined,
  lookups: Lookups,
): Fields | undefined {
  checkChoiceCount(element, value)
  return READERS[String(element.type)]?.(element, value, lookups)
}

/** Builds `state.values` with the state of every element, changed or not. Throws ImpossibleValueError for invalid values. */
export function stateValues(blocks: Block[], entered: InputValues, lookups: Lookups): Record<string, Fields> {
  const values: Record<string, Fields> = {}
  for (const block of blocks) {
    for (const element of interactiveElements(block)) {
      const actionId = String(element.action_id)
      const state = readState(element, entered[block.block_id]?.[actionId], lookups)
      if (state)
        values[block.block_id] = {
          ...values[block.block_id],
          [actionId]: { type: String(element.type), ...state },
        }
    }
  }
  return values
}

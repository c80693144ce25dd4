// This folder: values that people enter.

import type { InputValue, InputValues } from '../../protocol/answers.ts'
import { checkChoiceCount, checkFiles, ImpossibleValueError } from '../../protocol/choice-limits.ts'
import { allOptions, interactiveElements } from '../../protocol/elements.ts'
import type { Fields } from '../../protocol/json.ts'
import { asList, asString, objectsIn } from '../../protocol/json.ts'
import type { Block } from '../../protocol/protocol.ts'
import { findMenuChoice, type MenuDirectory } from './menu-choices.ts'

/** Looks up the options, files, people, and channels that entered values refer to. */
export interface Lookups {
  /** Finds an option that the app has suggested for an external select, by its value. */
  findOfferedOption: (actionId: string, value: string) => Fields | undefined
  findFile: (id: string) => Fields | undefined
  /** Whom and what the menus for people and conversations can offer. */
  directory: MenuDirectory
  /** The channel that `default_to_current_conversation` selects. */
  currentConversation: string | null
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
  const isExternal = String(element.type).endsWith('external_select')
  const match = isExternal
    ? (lookups.findOfferedOption(String(element.action_id), value) ?? findInitialOption(element, value))
    : allOptions(element).find((candidate) => candidate.value === value)
  if (!match) throw new ImpossibleValueError(`"${value}" isn't an option of ${element.action_id}`)
  return match
}

function findInitialOption(element: Fields, value: string): Fields | undefined {
  return objectsIn([element.initial_option ?? null, ...asList(element.initial_options)]).find(
    (candidate) => candidate.value === value,
  )
}

const plainText: ReadState = (element, value) => {
  if (value === undefined) return { value: asString(element.initial_value) ?? null }
  const text = toSingle(value)
  if (element.multiline !== true && /[\r\n]/.test(text ?? ''))
    throw new ImpossibleValueError('this element accepts one line, without line breaks')
  return { value: text }
}

/** Replaces names by IDs. The initial values stay possible, even if the menu no longer offers them. */
function toIds(element: Fields, value: InputValue, initial: string, { directory }: Lookups): string[] {
  const initialIds = [element[initial] ?? null].flat()
  return toList(value).map((chosen) =>
    initialIds.includes(chosen) ? chosen : findMenuChoice(element, chosen, directory),
  )
}

const oneId =
  (name: string, initial: string): ReadState =>
  (element, value, lookups) => ({
    [name]:
      value === undefined
        ? (element[initial] ?? null)
        : (toIds(element, toSingle(value), initial, lookups)[0] ?? null),
  })

const idList =
  (name: string, initial: string): ReadState =>
  (element, value, lookups) => ({
    [name]: value === undefined ? asList(element[initial]) : toIds(element, value, initial, lookups),
  })

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

const conversation: ReadState = (element, value, lookups) => {
  const initial_conversation =
    element.initial_conversation ??
    (element.default_to_current_conversation ? lookups.currentConversation : null)
  const read = oneId('selected_conversation', 'initial_conversation')
  return read({ ...element, initial_conversation }, value, lookups)
}

const conversationList: ReadState = (element, value, lookups) => {
  const defaultConversation =
    element.default_to_current_conversation === true ? lookups.currentConversation : null
  const initial_conversations =
    element.initial_conversations ?? (defaultConversation === null ? [] : [defaultConversation])
  const read = idList('selected_conversations', 'initial_conversations')
  return read({ ...element, initial_conversations }, value, lookups)
}

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
  email_text_input: plainText,
  url_text_input: plainText,
  number_input: plainText,
  file_input: fileList,
  static_select: singleOption,
  external_select: singleOption,
  radio_buttons: singleOption,
  multi_static_select: optionList,
  multi_external_select: optionList,
  checkboxes: optionList,
  users_select: oneId('selected_user', 'initial_user'),
  channels_select: oneId('selected_channel', 'initial_channel'),
  conversations_select: conversation,
  multi_users_select: idList('selected_users', 'initial_users'),
  multi_channels_select: idList('selected_channels', 'initial_channels'),
  multi_conversations_select: conversationList,
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

import { elementsOf, flatBlocks, optionsOf } from './elements.ts'
import { fieldsOf, listOf, stringOf } from './json.ts'
import { checkCount, checkFiles, ImpossibleValue } from './pickable.ts'
import type { Block, Fields, InputValue, InputValues } from './protocol.ts'
import { richOf } from './rich-typed.ts'

/** What is needed to read values. */
export interface Lookups {
  /** The option of an external select that the app has offered for this value. */
  offered: (actionId: string, value: string) => Fields | undefined
  file: (id: string) => Fields | undefined
  /** The channel for `default_to_current_conversation`. */
  conversation: string | null
}

type Read = (element: Fields, value: InputValue | undefined, lookups: Lookups) => Fields

function one(value: InputValue): string | null {
  if (Array.isArray(value)) throw new ImpossibleValue('this element takes one value, not a list')
  return value === '' ? null : value
}

function many(value: InputValue): string[] {
  return value === null ? [] : Array.isArray(value) ? value : [value]
}

function option(element: Fields, value: string, lookups: Lookups): Fields {
  const external = String(element.type).endsWith('external_select')
  const found = external
    ? (lookups.offered(String(element.action_id), value) ?? initialOption(element, value))
    : optionsOf(element).find((each) => each.value === value)
  if (!found) throw new ImpossibleValue(`"${value}" is not among the options of ${element.action_id}`)
  return found
}

function initialOption(element: Fields, value: string): Fields | undefined {
  return fieldsOf([element.initial_option ?? null, ...listOf(element.initial_options)]).find(
    (each) => each.value === value,
  )
}

const typed: Read = (element, value) => ({
  value: value === undefined ? (stringOf(element.initial_value) ?? null) : one(value),
})

/** An element that contains one plain value under `name`, with its initial value under `initial`. */
const plain =
  (name: string, initial: string): Read =>
  (element, value) => ({ [name]: value === undefined ? (element[initial] ?? null) : one(value) })

const plainList =
  (name: string, initial: string): Read =>
  (element, value) => ({ [name]: value === undefined ? listOf(element[initial]) : many(value) })

const oneOption: Read = (element, value, lookups) => {
  if (value === undefined) return { selected_option: element.initial_option ?? null }
  const chosen = one(value)
  return { selected_option: chosen === null ? null : option(element, chosen, lookups) }
}

const manyOptions: Read = (element, value, lookups) => ({
  selected_options:
    value === undefined
      ? listOf(element.initial_options)
      : many(value).map((each) => option(element, each, lookups)),
})

const time: Read = (element, value, lookups) => ({
  ...plain('selected_time', 'initial_time')(element, value, lookups),
  ...(element.timezone !== undefined && { timezone: element.timezone }),
})

const dateTime: Read = (element, value) => {
  if (value === undefined) return { selected_date_time: element.initial_date_time ?? null }
  const text = one(value)
  if (text !== null && !/^\d{10}$/.test(text))
    throw new ImpossibleValue('a date and time is 10 digits: Unix seconds')
  return { selected_date_time: text === null ? null : Number(text) }
}

const conversation: Read = (element, value, lookups) => {
  const initial =
    element.initial_conversation ?? (element.default_to_current_conversation ? lookups.conversation : null)
  return { selected_conversation: value === undefined ? initial : one(value) }
}

const conversationList: Read = (element, value, lookups) => {
  const here = element.default_to_current_conversation === true ? lookups.conversation : null
  const initial = element.initial_conversations ?? (here === null ? [] : [here])
  return { selected_conversations: value === undefined ? listOf(initial) : many(value) }
}

const richText: Read = (element, value) => {
  const text = value === undefined ? null : one(value)
  const rich = text === null ? (value === undefined ? element.initial_value : undefined) : richOf(text)
  return rich === undefined ? {} : { rich_text_value: rich }
}

const fileList: Read = (element, value, lookups) => {
  const files = many(value ?? null).map((id) => {
    const file = lookups.file(id)
    if (!file) throw new ImpossibleValue(`there is no uploaded file ${id}`)
    return file
  })
  checkFiles(element, files)
  return { files }
}

/** Element type → how its state is written in `state.values` and in an action. */
const STATEFUL: Record<string, Read> = {
  plain_text_input: typed,
  email_text_input: typed,
  url_text_input: typed,
  number_input: typed,
  rich_text_input: richText,
  file_input: fileList,
  datepicker: plain('selected_date', 'initial_date'),
  timepicker: time,
  datetimepicker: dateTime,
  static_select: oneOption,
  external_select: oneOption,
  radio_buttons: oneOption,
  multi_static_select: manyOptions,
  multi_external_select: manyOptions,
  checkboxes: manyOptions,
  users_select: plain('selected_user', 'initial_user'),
  channels_select: plain('selected_channel', 'initial_channel'),
  conversations_select: conversation,
  multi_users_select: plainList('selected_users', 'initial_users'),
  multi_channels_select: plainList('selected_channels', 'initial_channels'),
  multi_conversations_select: conversationList,
}

/** One element's state, without its type; undefined for elements without one (buttons, overflow menus). */
export function readElement(
  element: Fields,
  value: InputValue | undefined,
  lookups: Lookups,
): Fields | undefined {
  checkCount(element, value)
  return STATEFUL[String(element.type)]?.(element, value, lookups)
}

/** `state.values`: every element with a value, changed or not. Throws ImpossibleValue. */
export function stateValues(blocks: Block[], touched: InputValues, lookups: Lookups): Record<string, Fields> {
  const values: Record<string, Fields> = {}
  for (const block of flatBlocks(blocks)) {
    for (const element of elementsOf(block)) {
      const actionId = String(element.action_id)
      const state = readElement(element, touched[block.block_id]?.[actionId], lookups)
      if (state)
        values[block.block_id] = {
          ...values[block.block_id],
          [actionId]: { type: String(element.type), ...state },
        }
    }
  }
  return values
}

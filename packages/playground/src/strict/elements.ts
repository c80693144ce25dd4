import { isFields, listOf } from '../json.ts'
import {
  boxOption,
  confirm,
  conversationFilter,
  dispatchConfig,
  distinctValues,
  identifier,
  imageShape,
  initialAmongOptions,
  menuOption,
  oneOf,
  optionGroups,
  options,
  overflowOption,
  plainText,
} from './objects.ts'
import { richText } from './rich-text.ts'
import {
  address,
  all,
  among,
  anything,
  fault,
  flag,
  list,
  matching,
  object,
  type Rule,
  type Shape,
  text,
  whole,
} from './rules.ts'

/** Elements: https://docs.slack.dev/reference/block-kit/block-elements (November 2026). */
const base: Shape = { 'type!': anything, action_id: identifier }
const focus: Shape = { focus_on_load: flag }
const asked: Shape = { ...base, ...focus, confirm }
const placed: Shape = { ...asked, placeholder: plainText(150) }
const several: Shape = { ...placed, max_selected_items: whole(1, 100) }
const isDay = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true
const date: Rule = (value, at, check) => {
  if (typeof value !== 'string' || !isDay(value)) fault(check, at, 'must be a date in the form YYYY-MM-DD')
}
const time = matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time in the form HH:mm')
const number: Rule = matching(/^-?\d+(\.\d+)?$/, 'a number in a string')

const staticMenu = (shape: Shape): Rule =>
  all(
    oneOf('options', 'option_groups'),
    object({ ...shape, options, option_groups: optionGroups }),
    initialAmongOptions,
  )

const feedbackButton = object({ 'text!': plainText(75), 'value!': text(2000), accessibility_label: text(75) })

const lengths: Rule = (value, at, check) => {
  if (!isFields(value)) return
  const { min_length: min, max_length: max } = value
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    fault(check, `${at}/min_length`, 'must be less than or equal to max_length')
}

/** A number input's own numbers agree with each other: whole where it takes whole ones, and within its bounds. */
const numbers: Rule = (value, at, check) => {
  if (!isFields(value)) return
  const { min_value: min, max_value: max, initial_value: initial, is_decimal_allowed: isDecimal } = value
  for (const [name, given] of Object.entries({ min_value: min, max_value: max, initial_value: initial }))
    if (isDecimal === false && typeof given === 'string' && given.includes('.'))
      fault(check, `${at}/${name}`, 'must be a whole number where is_decimal_allowed is false')
  const below = (low: unknown, high: unknown) =>
    typeof low === 'string' && typeof high === 'string' && Number(low) < Number(high)
  if (below(max, min)) fault(check, `${at}/min_value`, 'must be less than or equal to max_value')
  if (below(initial, min)) fault(check, `${at}/initial_value`, 'must be greater than or equal to min_value')
  if (below(max, initial)) fault(check, `${at}/initial_value`, 'must be less than or equal to max_value')
}

/** No more chosen at first than may be chosen. */
const fewEnough: Rule = (value, at, check) => {
  if (!isFields(value) || typeof value.max_selected_items !== 'number') return
  const name = Object.keys(value).find((one) => one.startsWith('initial_')) ?? ''
  if (listOf(value[name]).length > value.max_selected_items)
    fault(check, `${at}/${name}`, `no more than ${value.max_selected_items} items allowed`)
}

const typedShape = (initial: Rule): Shape => ({
  ...base,
  ...focus,
  placeholder: plainText(150),
  dispatch_action_config: dispatchConfig,
  initial_value: initial,
})

/** Element type → its rule. */
export const ELEMENTS: Record<string, Rule> = {
  image: all(oneOf('image_url', 'slack_file'), object({ 'type!': anything, ...imageShape })),
  button: object({
    ...base,
    confirm,
    'text!': plainText(75),
    value: text(2000, 0),
    url: address('https', 'http', 'mailto', 'slack'),
    style: among('primary', 'danger'),
    accessibility_label: text(75),
  }),
  overflow: all(object({ ...base, confirm, 'options!': list(overflowOption, 5) }), distinctValues('options')),
  datepicker: object({ ...placed, initial_date: date }),
  timepicker: object({ ...placed, initial_time: time, timezone: text(100) }),
  datetimepicker: object({ ...asked, initial_date_time: whole(1_000_000_000, 9_999_999_999) }),
  radio_buttons: all(
    object({ ...asked, 'options!': list(boxOption, 10), initial_option: boxOption }),
    initialAmongOptions,
    distinctValues('options'),
  ),
  checkboxes: all(
    object({ ...asked, 'options!': list(boxOption, 10), initial_options: list(boxOption, 10) }),
    initialAmongOptions,
    distinctValues('options'),
  ),
  static_select: staticMenu({ ...placed, initial_option: menuOption }),
  multi_static_select: all(staticMenu({ ...several, initial_options: list(menuOption, 100) }), fewEnough),
  external_select: object({ ...placed, initial_option: menuOption, min_query_length: whole(0, 100) }),
  multi_external_select: all(
    object({ ...several, initial_options: list(menuOption, 100), min_query_length: whole(0, 100) }),
    fewEnough,
  ),
  users_select: object({ ...placed, initial_user: text(50) }),
  multi_users_select: all(object({ ...several, initial_users: list(text(50), 100) }), fewEnough),
  channels_select: object({ ...placed, initial_channel: text(50), response_url_enabled: flag }),
  multi_channels_select: all(object({ ...several, initial_channels: list(text(50), 100) }), fewEnough),
  conversations_select: object({
    ...placed,
    initial_conversation: text(50),
    default_to_current_conversation: flag,
    response_url_enabled: flag,
    filter: conversationFilter,
  }),
  multi_conversations_select: all(
    object({
      ...several,
      initial_conversations: list(text(50), 100),
      default_to_current_conversation: flag,
      filter: conversationFilter,
    }),
    fewEnough,
  ),
  plain_text_input: all(
    object({
      ...typedShape(text(3000, 0)),
      multiline: flag,
      min_length: whole(0, 3000),
      max_length: whole(1, 3000),
    }),
    lengths,
  ),
  email_text_input: object(typedShape(text(3000, 0))),
  url_text_input: object(typedShape(text(3000, 0))),
  number_input: all(
    object({
      ...typedShape(number),
      'is_decimal_allowed!': flag,
      min_value: number,
      max_value: number,
    }),
    numbers,
  ),
  rich_text_input: object({ ...typedShape(richText), min_lines: whole(1, 100), max_lines: whole(1, 100) }),
  file_input: object({ ...base, filetypes: list(text(20), 100), max_files: whole(1, 10) }),
  feedback_buttons: object({
    ...base,
    'positive_button!': feedbackButton,
    'negative_button!': feedbackButton,
  }),
  icon_button: object({
    ...base,
    confirm,
    'icon!': among('trash'),
    'text!': plainText(75),
    value: text(2000, 0),
    accessibility_label: text(75),
    visible_to_user_ids: list(text(50), 100),
  }),
}

/** The rules of the named elements, for `byType`. */
export function elements(...types: string[]): Record<string, Rule> {
  return Object.fromEntries(types.map((type) => [type, ELEMENTS[type] ?? anything]))
}

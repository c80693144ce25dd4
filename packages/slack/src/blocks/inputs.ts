import type {
  ConversationsSelect,
  FileInput,
  InputBlock,
  MultiConversationsSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  PlainTextInput,
  StaticSelect,
} from '@slack/types'
import { type Choice, option } from './elements.ts'
import { LIMITS } from './limits.ts'
import { clip, plain } from './text.ts'

/** Every input's element has this action_id: a form reads its answers by block_id, the field's name. */
export const ANSWER = 'answer'

interface InputOptions {
  hint?: string
  optional?: boolean
  /** Tells the app at once when the answer changes, so that the form can follow. */
  dispatch?: boolean
}

/** An input block named `field`; its element must have the action_id `ANSWER`. */
function input(
  field: string,
  label: string,
  element: InputBlock['element'],
  { hint, optional, dispatch }: InputOptions = {},
): InputBlock {
  return {
    type: 'input',
    block_id: field,
    label: plain(label, LIMITS.inputLabel),
    element,
    ...(hint && { hint: plain(hint, LIMITS.inputHint) }),
    optional: optional ?? false,
    ...(dispatch && { dispatch_action: true }),
  }
}

interface TextOptions extends InputOptions {
  initial?: string | undefined
  placeholder?: string
  multiline?: boolean
  max?: number
  /** With `dispatch`: the app is told while the person types, not only when they press Enter. */
  whileTyping?: boolean
}

/** Text that a field may have: Slack refuses one that starts with control characters or half a character. */
const typeable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is the purpose
  text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')

/** A text field. An `initial` longer than the field holds is cut with `…`. */
export function textInput(field: string, label: string, options: TextOptions = {}): InputBlock {
  const max = Math.min(options.max ?? LIMITS.inputValue, LIMITS.inputValue)
  const initial = clip(typeable(options.initial ?? ''), max)
  const element: PlainTextInput = {
    type: 'plain_text_input',
    action_id: ANSWER,
    max_length: max,
    ...(options.multiline && { multiline: true }),
    ...(options.whileTyping && {
      dispatch_action_config: { trigger_actions_on: ['on_character_entered' as const] },
    }),
    ...(initial && { initial_value: initial }),
    ...(options.placeholder && { placeholder: plain(options.placeholder, LIMITS.placeholder) }),
  }
  return input(field, label, element, options)
}

/** Slack refuses a field that starts with what could not be typed into it. */
function fits(
  value: number | undefined,
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
): boolean {
  return value !== undefined && Number.isSafeInteger(value) && value >= min && value <= max
}

/** A whole number; Slack itself checks the bounds and says so at the field. An `initial` out of them is left out. */
export function numberInput(
  field: string,
  label: string,
  options: InputOptions & { initial?: number | undefined; min?: number; max?: number },
): InputBlock {
  const { min, max } = options
  const initial = fits(options.initial, min, max) ? options.initial : undefined
  return input(
    field,
    label,
    {
      type: 'number_input',
      is_decimal_allowed: false,
      action_id: ANSWER,
      ...(initial !== undefined && { initial_value: String(initial) }),
      ...(min !== undefined && { min_value: String(min) }),
      ...(max !== undefined && { max_value: String(max) }),
    },
    options,
  )
}

/** A choice of people in Slack; the answer holds their ids. */
export function peopleInput(
  field: string,
  label: string,
  options: InputOptions & { most?: number; initial?: readonly string[] } = {},
): InputBlock {
  const { initial = [] } = options
  const element: MultiUsersSelect = {
    type: 'multi_users_select',
    action_id: ANSWER,
    ...(initial.length > 0 && { initial_users: [...initial] }),
    ...(options.most && { max_selected_items: options.most }),
  }
  return input(field, label, element, options)
}

/** A choice of channels, direct messages apart; the answer holds their ids. */
export function channelsInput(
  field: string,
  label: string,
  options: InputOptions & { most?: number; initial?: readonly string[] } = {},
): InputBlock {
  const { initial = [] } = options
  const element: MultiConversationsSelect = {
    type: 'multi_conversations_select',
    action_id: ANSWER,
    ...(options.most && { max_selected_items: options.most }),
    filter: { include: ['public', 'private'] },
    ...(initial.length > 0 && { initial_conversations: [...initial] }),
  }
  return input(field, label, element, options)
}

/** A file to upload; `types` are file name endings without the dot. Slack keeps no file when the form is shown again. */
export function fileInput(
  field: string,
  label: string,
  options: InputOptions & { types: readonly string[]; most?: number },
): InputBlock {
  const element: FileInput = {
    type: 'file_input',
    action_id: ANSWER,
    filetypes: [...options.types],
    max_files: options.most ?? 1,
  }
  return input(field, label, element, options)
}

/** One box to tick; the answer's choices hold `yes` when it is. */
export function switchInput(
  field: string,
  label: string,
  { says, isOn }: { says: string; isOn: boolean },
): InputBlock {
  const options = [option({ label: says, value: 'yes' })]
  const element = {
    type: 'checkboxes' as const,
    action_id: ANSWER,
    options,
    ...(isOn && { initial_options: options }),
  }
  return input(field, label, element, { optional: true })
}

/** A choice of one channel, direct messages apart; the answer holds its id. */
export function channelInput(
  field: string,
  label: string,
  options: InputOptions & { initial?: string | undefined } = {},
): InputBlock {
  const element: ConversationsSelect = {
    type: 'conversations_select',
    action_id: ANSWER,
    filter: { include: ['public', 'private'] },
    ...(options.initial && { initial_conversation: options.initial }),
  }
  return input(field, label, element, options)
}

type MakeMenu = (
  field: string,
  label: string,
  choices: readonly Choice[],
  options?: InputOptions,
) => InputBlock

/** A menu in a form; at most 100 choices. */
export const selectInput: MakeMenu = (field, label, choices, options = {}) => {
  const { shown, chosen } = shownOf(choices)
  const element: StaticSelect = {
    type: 'static_select',
    action_id: ANSWER,
    options: shown,
    ...(chosen[0] && { initial_option: chosen[0] }),
  }
  return input(field, label, element, options)
}

/** A menu in a form of which any number is chosen; 1 to 100 choices. */
export const choicesInput: MakeMenu = (field, label, choices, options = {}) => {
  const { shown, chosen } = shownOf(choices)
  const element: MultiStaticSelect = {
    type: 'multi_static_select',
    action_id: ANSWER,
    options: shown,
    ...(chosen.length > 0 && { initial_options: chosen }),
  }
  return input(field, label, element, options)
}

/** What a menu has room for, and what of it is chosen from the start. */
function shownOf(choices: readonly Choice[]) {
  const some = choices.slice(0, LIMITS.options)
  return { shown: some.map(option), chosen: some.filter(({ chosen }) => chosen).map(option) }
}
